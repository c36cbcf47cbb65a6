import type { FormRules } from "../../core/agent.ts";
import type { EntryForm } from "../../core/agent-settings.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { promptEvent } from "../../core/vocabulary.ts";
import { findPlace, type WantedEntry } from "../editors/editor.ts";
import { type CommandRequest, commandLine } from "./command-line.ts";
import type { InstallableAgent } from "./installable.ts";

/** Timeout of hooks for events that have no timeout in the agent's definition. */
const defaultTimeoutSeconds = 5;
/** Seconds by which a hook's timeout exceeds its waiting time, so that the agent does not kill a waiting hook. */
const timeoutMarginSeconds = 2;

export interface WantedRequest extends Pick<CommandRequest, "paths" | "home" | "platform" | "waitSeconds"> {
  /** The user's login shell. Only some agents use it. */
  readonly loginShell?: string | undefined;
  readonly agent: InstallableAgent;
  /** Events by the agent's own names; undefined for its default events. */
  readonly events: readonly string[] | undefined;
  /** Event whose hook waits for the user's answer, and the maximum wait in seconds. */
  readonly asking?: { readonly event: string; readonly seconds: number } | undefined;
}

/**
 * Seconds by which a hook's timeout exceeds the wait for an answer, so that the hook gives up before the agent does.
 */
const askMarginSeconds = 30;

/** Builds the entries for an agent's settings file, by place. */
export function wantedEntries(request: WantedRequest): Map<string, WantedEntry> {
  const { agent, asking } = request;
  const { permissionHook, settings } = agent;
  const all = (request.events ?? Object.keys(settings.defaultEvents)).map((event) =>
    buildWanted(request, event, false),
  );
  if (asking && typeof permissionHook === "object" && permissionHook.forms)
    all.push(buildWanted(request, asking.event, true));
  return new Map(all);
}

function buildWanted(request: WantedRequest, nativeEvent: string, isForm: boolean): [string, WantedEntry] {
  const { agent } = request;
  const { settings, permissionHook } = agent;
  const perSecond = settings.timeoutUnit === "ms" ? 1000 : 1;
  const maxSeconds = settings.maxTimeoutSeconds?.(nativeEvent) ?? Number.POSITIVE_INFINITY;
  const event = agent.nativeEvents[nativeEvent]?.event ?? "Notification";
  // For a prompt, there is no delivery to wait for. Agents do not wait for what a file of beckon's own starts.
  const waitSeconds =
    event === promptEvent || settings.ownText ? 0 : Math.min(request.waitSeconds, maxSeconds - timeoutMarginSeconds);
  const isAsking = nativeEvent === request.asking?.event;
  const askSeconds = isAsking ? limitAskSeconds(agent, request.asking.seconds) : undefined;
  const deliverySeconds = waitSeconds > 0 ? waitSeconds + timeoutMarginSeconds : 0;
  const leastSeconds = askSeconds === undefined ? deliverySeconds : askSeconds + askMarginSeconds;
  const seconds = Math.max(settings.defaultEvents[nativeEvent] ?? defaultTimeoutSeconds, leastSeconds);
  const loginShell = settings.runsLoginShell ? request.loginShell : undefined;
  const waits = { waitSeconds, askSeconds, isForm };
  const command = commandLine({ ...request, ...waits, loginShell, agent: agent.name, nativeEvent, event });
  const timeout = seconds * perSecond;
  const form = settings.entry && formOn(request.platform, settings.entry);
  const hook = typeof permissionHook === "object" && permissionHook.event === nativeEvent ? permissionHook : undefined;
  const statusText = hook?.statusMessage;
  const status = statusText === undefined ? undefined : { text: statusText, isWanted: isAsking };
  const matcher = hook?.forms && findMatcher(hook.forms.matchers, isAsking, isForm);
  const leastTimeout = leastSeconds * perSecond;
  const entry = omitUndefined<WantedEntry>({ command, timeout, leastTimeout, form, status, matcher });
  return [findPlace({ event: nativeEvent, command }), entry];
}

/** Limits the seconds that an agent's hook is to wait for an answer to what the agent allows. */
export function limitAskSeconds({ settings, permissionHook }: InstallableAgent, seconds: number): number {
  const event = typeof permissionHook === "object" ? permissionHook.event : "";
  return Math.min(seconds, (settings.maxTimeoutSeconds?.(event) ?? Number.POSITIVE_INFINITY) - askMarginSeconds);
}

/** Returns the matcher of an entry. While forms have an entry of their own, the other entry must not run for them. */
function findMatcher(
  { forms, others }: FormRules["matchers"],
  isAsking: boolean,
  isForm: boolean,
): WantedEntry["matcher"] {
  if (isForm) return { text: forms, instead: undefined };
  return isAsking ? { text: others, instead: undefined } : { text: undefined, instead: others };
}

/** Returns the form of an entry on a platform. One agent has another name for the command on Windows. */
function formOn(platform: NodeJS.Platform, { windowsCommand, ...form }: EntryForm): EntryForm {
  return platform === "win32" && windowsCommand !== undefined ? { ...form, command: windowsCommand } : form;
}
