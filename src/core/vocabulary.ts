/** The four events an agent's hook can fire; other agents' names map onto them. */
export const eventNames = ["Notification", "Stop", "SubagentStop", "SessionEnd"] as const;
export type EventName = (typeof eventNames)[number];

/** Event of a user's prompt. It is never sent, and resolves the session's open concerns. */
export const promptEvent = "Prompt";
/** Event of the command line: the user has seen a session's concerns. */
export const seenEvent = "Seen";
/** Event of another machine's beckon: the states of its events. */
export const stateEvent = "State";
/** Events that no route matches. */
export const silentEvents: readonly string[] = [promptEvent, seenEvent, stateEvent];

/** Events that a hook can be installed for. */
export type HookEventName = EventName | typeof promptEvent;

/** Kinds of events, most urgent first. */
export const kinds = ["needs-you", "failed", "finished", "info"] as const;
export type Kind = (typeof kinds)[number];

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
] as const;
export type Status = (typeof statuses)[number];

/**
 * Parts of an event that a notifier may show.
 * - `full`: everything
 * - `summary`: one line of the message
 * - `minimal`: project, agent and kind; no message, path or session
 */
export const details = ["full", "summary", "minimal"] as const;
export type Detail = (typeof details)[number];

const wordStart = /(?<=[a-z0-9])(?=[A-Z])/g;

/** `SubagentStop` → `subagent-stop`. */
export function kebabCase(name: string): string {
  return name.replace(wordStart, "-").toLowerCase();
}

/** `SubagentStop` → `subagent_stop`. */
export function snakeCase(name: string): string {
  return name.replace(wordStart, "_").toLowerCase();
}

/** Prefix of the session id in the installer's sample event, which a command waits for. */
export const sampleSessionPrefix = "beckon-install-";

/** True for the session of the installer's sample event, which proves nothing about an agent. */
export function isSampleSession(sessionId: string | undefined): boolean {
  return sessionId?.startsWith(sampleSessionPrefix) === true;
}
