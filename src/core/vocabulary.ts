/** The four events for which beckon notifies. Agents' native events are mapped to these events. */
export const eventNames = ["Notification", "Stop", "SubagentStop", "SessionEnd"] as const;
export type EventName = (typeof eventNames)[number];

/** Event for a prompt that the user typed. Never sent; resolves the session's open concerns. */
export const promptEvent = "Prompt";
/** Event for a request that was answered or withdrawn. Never sent; resolves the request that has its call id. */
export const answerEvent = "Answer";
/** Internal event: the user marked a session as seen, on the command line or the board. */
export const seenEvent = "Seen";
/** Internal event: beckon on another machine reports new states of its events. */
export const stateEvent = "State";
/** Event of beckon's own notice that an agent's usage limit is nearly reached. */
export const limitEvent = "Limit";
/** Events that are never sent, because no route matches them. */
export const silentEvents: readonly string[] = [promptEvent, answerEvent, seenEvent, stateEvent];

/** Events for which a hook can be installed. */
export type HookEventName = EventName | typeof promptEvent | typeof answerEvent;

/** Kinds of events, most urgent first. */
export const kinds = ["needs-you", "failed", "finished", "info"] as const;
export type Kind = (typeof kinds)[number];

/** Counts open concerns by kind, in a status bar's words: `2 waiting, 1 failed, 1 done`. */
export function countConcerns(open: readonly Kind[]): string {
  const count = (...wanted: readonly Kind[]) => open.filter((kind) => wanted.includes(kind)).length;
  const counts = [
    [count("needs-you"), "waiting"],
    [count("failed"), "failed"],
    [count("finished", "info"), "done"],
  ] as const;
  return counts.flatMap(([number, word]) => (number > 0 ? `${number} ${word}` : [])).join(", ");
}

/** Statuses in journal lines. */
export const statuses = [
  "accepted",
  "held",
  "sent",
  "updated",
  "withdrawn",
  "resolved",
  "skipped",
  "retrying",
  "failed",
  "expired",
  "rejected",
  "asked",
  "answered",
  "refused",
  "late",
  "given-up",
  "foreign",
] as const;
export type Status = (typeof statuses)[number];

/**
 * Levels of detail, which determine the parts of an event that a notifier may show.
 * - `full`: everything
 * - `summary`: one line of the message
 * - `minimal`: project, agent and kind; no message, path or session
 */
export const details = ["full", "summary", "minimal"] as const;
export type Detail = (typeof details)[number];

const wordStart = /(?<=[a-z0-9])(?=[A-Z])/g;

/** Converts a name to kebab case: `SubagentStop` becomes `subagent-stop`. */
export function kebabCase(name: string): string {
  return name.replace(wordStart, "-").toLowerCase();
}

/** Converts a name to snake case: `SubagentStop` becomes `subagent_stop`. */
export function snakeCase(name: string): string {
  return name.replace(wordStart, "_").toLowerCase();
}

/** States that another machine reports for its events: the user noticed the event, or its concern is resolved. */
export const relayedStates = ["noticed", "resolved"] as const;
