import { isDeepStrictEqual } from "node:util";
import { readCallId, readToolInput } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts, ToolCall } from "../core/facts.ts";

/** Longest time from a hook that asks about a tool call to the call's line in the transcript, milliseconds. */
const transcriptDelayMs = 1_000;

/**
 * Finds the tool calls that a request asks for. If the payload has a call id, this is the call with that id. Otherwise
 * these are the calls that had no answer when the hook ran. If there are several, prefers the call with the payload's
 * tool and input, then calls with the payload's tool, then calls whose tool the message names. If none of these match,
 * returns all of them, and the request stays open until each call has an answer.
 * @param taken ids of calls that other open requests ask for
 * @returns ids; empty if no call is known
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
