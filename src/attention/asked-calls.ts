import { isDeepStrictEqual } from "node:util";
import { readCallId, readToolInput } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts, ToolCall } from "../core/facts.ts";

/** Longest time from a hook that asks about a tool call until the transcript shows the call, in milliseconds. */
const transcriptDelayMs = 1_000;

/**
 * Finds the ids of the tool calls that a request asks for. If the payload has a call id, returns that id, or no id if
 * that call already has an answer. Without a call id, looks at the calls that had no answer when the hook ran, and
 * returns the call with the payload's tool and input; or else the calls with the payload's tool; or else the calls
 * whose tool the message names; or else all of them.
 * @param taken ids of calls to leave out if the payload has no call id, because other open requests ask for them
 * @returns ids; empty if no call is known. The request stays open until all these calls have answers.
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
  const open = unanswered.filter((call) => (call.atMs ?? 0) <= atMs + transcriptDelayMs);
  const free = open.filter(({ id }) => !taken.has(id));
  const tool = extra.tool_name ?? extra.toolName;
  const sameTool = free.filter((call) => tool !== undefined && call.tool === tool);
  const same = sameTool.find(({ input }) => isDeepStrictEqual(input, readToolInput(extra)));
  if (same) return [same.id];
  const named = free.filter((call) => call.tool !== undefined && message.split(/\W+/).includes(call.tool));
  const found = [sameTool, named, free].find((calls) => calls.length > 0) ?? [];
  const ids = (calls: readonly ToolCall[]) => calls.map(({ id }) => id);
  // Of a call that began before the part of the transcript that was read, only the id is known.
  return work?.calls.length ? ids(found) : openCalls.filter((id) => !taken.has(id));
}
