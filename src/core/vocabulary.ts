/** The four events an agent's hook can fire; other agents' names map onto them. */
export const eventNames = ["Notification", "Stop", "SubagentStop", "SessionEnd"] as const;
export type EventName = (typeof eventNames)[number];

/** The person's own prompt: an event that nobody is told of, and that answers what the session asked before. */
export const promptEvent = "Prompt";
/** That the person has seen what a session wants: the command line's own event. */
export const seenEvent = "Seen";
/** What became of events of another machine: its beckon's own event. */
export const stateEvent = "State";
/** Events that no route matches. */
export const silentEvents: readonly string[] = [promptEvent, seenEvent, stateEvent];

/** What a hook can be installed for. */
export type HookEventName = EventName | typeof promptEvent;

/** Why anybody should care, most urgent first. */
export const kinds = ["needs-you", "failed", "finished", "info"] as const;
export type Kind = (typeof kinds)[number];

/** What a journal line says happened. */
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
 * How much of an event a notifier gets to see.
 * - `full`: everything
 * - `summary`: one line of what was said, not the whole of it
 * - `minimal`: project, agent and kind; nothing that was said, no path, no session
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

/** What the session of the installer's own sample event begins with: somebody waits for it. */
export const sampleSessionPrefix = "beckon-install-";

/** Whether a session is that of the installer's sample event: it proves nothing about an agent. */
export function isSampleSession(sessionId: string | undefined): boolean {
  return sessionId?.startsWith(sampleSessionPrefix) === true;
}
