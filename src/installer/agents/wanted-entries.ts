import type { EntryForm } from "../../core/agent-settings.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { promptEvent } from "../../core/vocabulary.ts";
import type { WantedEntry } from "../editors/editor.ts";
import { type CommandRequest, commandLine } from "./command-line.ts";
import type { InstallableAgent } from "./installable.ts";

/** A hook's timeout for an event that the agent's file gives none for. */
const defaultTimeoutSeconds = 5;
/** Added to the time that a hook waits, so that the agent does not kill it. */
const reserveSeconds = 2;

export interface WantedRequest extends Pick<CommandRequest, "paths" | "home" | "platform" | "waitSeconds"> {
  /** The user's login shell; an agent that runs command lines with another ignores it. */
  readonly loginShell?: string | undefined;
  readonly agent: InstallableAgent;
  /** The agent's own event names; undefined: its default events. */
  readonly events: readonly string[] | undefined;
}

/** The entries to be written into an agent's settings file, by event. */
export function wantedEntries(request: WantedRequest): Map<string, WantedEntry> {
  const { agent } = request;
  const { settings } = agent;
  const perSecond = settings.timeoutUnit === "ms" ? 1000 : 1;
  const events = request.events ?? Object.keys(settings.defaultEvents);
  return new Map(
    events.map((nativeEvent) => {
      const maxSeconds = settings.maxTimeoutSeconds?.(nativeEvent) ?? Number.POSITIVE_INFINITY;
      const event = agent.nativeEvents[nativeEvent]?.event ?? "Notification";
      // Of a prompt nothing is delivered.
      const waitSeconds = event === promptEvent ? 0 : Math.min(request.waitSeconds, maxSeconds - reserveSeconds);
      const leastSeconds = waitSeconds > 0 ? waitSeconds + reserveSeconds : 0;
      const seconds = Math.max(settings.defaultEvents[nativeEvent] ?? defaultTimeoutSeconds, leastSeconds);
      const loginShell = settings.runsLoginShell ? request.loginShell : undefined;
      const command = commandLine({ ...request, loginShell, waitSeconds, agent: agent.name, nativeEvent, event });
      const timeout = seconds * perSecond;
      const form = settings.entry && formOn(request.platform, settings.entry);
      return [nativeEvent, omitUndefined({ command, timeout, leastTimeout: leastSeconds * perSecond, form })];
    }),
  );
}

/** The form of an entry on a platform: one agent has other members on Windows. */
function formOn(platform: NodeJS.Platform, { windowsCommand, ...form }: EntryForm): EntryForm {
  return platform === "win32" && windowsCommand !== undefined ? { ...form, command: windowsCommand } : form;
}
