import { isDeepStrictEqual } from "node:util";
import { type Payload, readCallId, toolInputOf } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts, ToolCall } from "../core/facts.ts";

/** An agent may write a call down only after the hook that asks for it has run. */
const lateLineMs = 1_000;

/**
 * Finds the calls that a request asks for: the one whose id its payload has, else by the transcript those without an
 * answer when the hook ran, even if they have one by now. Among several it is the one with the payload's tool and input,
 * else those with its tool, else those whose tool the message names, else all: the request is then open until each of
 * them has an answer.
 * @param taken calls that other open requests ask for
 * @returns ids; none if no call is known
 */
export function findAskedCalls(
  event: AgentEvent,
  { work, openCalls = [] }: FoundFacts,
  taken: ReadonlySet<string> = new Set(),
): readonly string[] {
  const { atMs, extra, message = "" } = event;
  const unanswered = (work?.calls ?? []).filter(({ answeredAtMs = Number.POSITIVE_INFINITY }) => answeredAtMs > atMs);
  const callId = readCallId(extra);
  if (callId !== undefined) {
    const isUsedBefore = work?.calls.some(({ id }) => id === callId) && !unanswered.some(({ id }) => id === callId);
    return isUsedBefore ? [] : [callId];
  }
  const open = unanswered.filter((call) => (call.atMs ?? 0) <= atMs + lateLineMs);
  const free = open.filter(({ id }) => !taken.has(id));
  const tool = readTool(extra);
  const sameTool = free.filter((call) => tool !== undefined && call.tool === tool);
  const same = sameTool.find(({ input }) => isDeepStrictEqual(input, toolInputOf(extra)));
  if (same) return [same.id];
  const named = free.filter((call) => call.tool !== undefined && message.split(/\W+/).includes(call.tool));
  const found = [sameTool, named, free].find((calls) => calls.length > 0) ?? [];
  const ids = (calls: readonly ToolCall[]) => calls.map(({ id }) => id);
  // Calls that began before the part of the transcript that was read are known by their ids alone.
  return work?.calls.length ? ids(found) : openCalls.filter((id) => !taken.has(id));
}

function readTool({ tool_name, toolName }: Payload): unknown {
  return tool_name ?? toolName;
}
