import type { Agent } from "../../core/agent.ts";
import type { EntryForm } from "../../core/agent-settings.ts";
import type { Paths } from "../../core/paths.ts";
import { commandLine } from "./command-line.ts";
import type { WantedEntry } from "../editors/editor.ts";

/** Seconds a hook may take for an event that the agent's file gives no figure for. */
const defaultTimeoutSeconds = 5;
/** What a hook gets beyond the time it waits. */
const reserveSeconds = 2;

export interface WantedRequest {
  readonly agent: Agent;
  /** The agent's own event names; undefined: those it registers. */
  readonly events: readonly string[] | undefined;
  /** 0: the hook waits for nothing. */
  readonly waitSeconds: number;
  readonly paths: Pick<Paths, "launcher" | "app">;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** The entries that an install is to leave in an agent's settings file; none for an agent the installer does not know. */
export function wantedEntries(request: WantedRequest): Map<string, WantedEntry> {
  const { agent } = request;
  const { settings } = agent;
  if (!settings) return new Map();
  const perSecond = settings.timeoutUnit === "ms" ? 1000 : 1;
  const events = request.events ?? Object.keys(settings.register);
  return new Map(
    events.map((firing) => {
      const longest = settings.longest?.(firing) ?? Number.POSITIVE_INFINITY;
      // The agent must not kill a hook that waits as long as it was told to.
      const waits = Math.min(request.waitSeconds, longest - reserveSeconds);
      const leastSeconds = waits > 0 ? waits + reserveSeconds : 0;
      const seconds = Math.max(settings.register[firing] ?? defaultTimeoutSeconds, leastSeconds);
      const event = agent.firings[firing]?.event ?? "Notification";
      const command = commandLine({ ...request, waitSeconds: waits, agent: agent.name, firing, event });
      const timeout = seconds * perSecond;
      const form = settings.entry ? { form: formOn(request.platform, settings.entry) } : {};
      return [firing, { command, timeout, leastTimeout: leastSeconds * perSecond, ...form }];
    }),
  );
}

/** The form of an entry on a platform: one agent has other members on Windows. */
function formOn(platform: NodeJS.Platform, { windowsCommand, ...form }: EntryForm): EntryForm {
  return platform === "win32" && windowsCommand !== undefined ? { ...form, command: windowsCommand } : form;
}
