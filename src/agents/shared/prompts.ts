import type { EventMapping } from "../../core/agent.ts";
import { promptEvent } from "../../core/vocabulary.ts";

/** Meaning of an agent's event for a submitted prompt. */
export const prompt = { event: promptEvent, kind: "info" } as const satisfies EventMapping;

/** Reason to skip a prompt that reports the agent's own work. */
export const reportSkipReason = "a report on background work, not a person's prompt";

/** Reason to skip a sub-agent's prompt. */
export const subAgentTaskSkipReason = "a sub-agent's task, not a person's prompt";
