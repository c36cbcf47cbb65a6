/**
 * How much of an event a notifier gets to see.
 * - `full`: everything
 * - `summary`: one line of what was said, not the whole of it
 * - `minimal`: project, agent and kind; nothing that was said, no path, no session
 */
export const details = ["full", "summary", "minimal"] as const;
export type Detail = (typeof details)[number];
