import type { WantedEntry } from "../installer/editors/editor.ts";

/**
 * Members that may hold an entry's command line or its timeout, whatever the agent. Entries are read by all of them:
 * ours are told by their command line, and must be found also where nothing is known of the agent any more.
 */
export const commandMembers = ["command", "bash", "powershell"] as const;
export const timeoutMembers = ["timeout", "timeoutSec"] as const;

/** A hook entry as its agent wants it, members in the order in which they are written. */
export function entryOf({ command, timeout, form = {} }: WantedEntry): Record<string, string | number | boolean> {
  const { constants = { type: "command" } } = form;
  return { ...constants, [form.command ?? "command"]: command, [form.timeout ?? "timeout"]: timeout };
}
