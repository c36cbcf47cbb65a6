import type { EventMapping } from "../../core/agent.ts";
import type { AgentEvent } from "../../core/event.ts";
import { promptEvent } from "../../core/vocabulary.ts";

/** What an agent's event means that comes when a prompt is submitted. */
export const prompt = { event: promptEvent, kind: "info" } as const satisfies EventMapping;

/**
 * Whether an event is a prompt that begins like this: agents hand reports and tasks to the model as prompts, with an
 * opening of their own.
 */
export function isPromptLike({ event, extra }: AgentEvent, opening: string): boolean {
  return event === promptEvent && typeof extra.prompt === "string" && extra.prompt.startsWith(opening);
}

/** Why nobody typed a prompt that brings the agent news of its own work. */
export const isReport = "a report on background work, no prompt of a person's";

/** Why nobody typed a sub-agent's prompt. */
export const isSubAgentsTask = "a sub-agent's task, no prompt of a person's";
