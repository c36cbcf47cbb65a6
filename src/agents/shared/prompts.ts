import type { EventMapping } from "../../core/agent.ts";
import { promptEvent } from "../../core/vocabulary.ts";

/** Meaning of an agent's event that comes when a prompt is submitted. */
export const prompt = { event: promptEvent, kind: "info" } as const satisfies EventMapping;

/** Reason to skip a prompt that brings the agent news of its own work. */
export const isReport = "a report on background work, no prompt of a person's";

/** Reason to skip a sub-agent's prompt. */
export const isSubAgentsTask = "a sub-agent's task, no prompt of a person's";
