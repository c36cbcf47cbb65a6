import { existsSync } from "node:fs";
import { agents } from "../../agents/registry.ts";
import type { Agent } from "../../core/agent.ts";
import {
  type AgentSettings,
  type InstallEnvironment,
  ownShapes,
  type Scope,
  scopes,
} from "../../core/agent-settings.ts";
import { compareVersions } from "../../text/version.ts";

/** Agent whose settings the installer can edit. */
export type InstallableAgent = Agent & { readonly settings: AgentSettings };

/** Agents whose settings the installer can edit, sorted by title. Every list for users has this order. */
export const installable = agents
  .filter((agent): agent is InstallableAgent => agent.settings !== undefined)
  .sort((a, b) => (a.title.toLowerCase() < b.title.toLowerCase() ? -1 : 1)); // a collator takes 7 ms to create

/** Checks if a folder shows that the user has started the agent. */
export function isInUse({ settings }: InstallableAgent, environment: InstallEnvironment): boolean {
  return [settings.folder(environment), ...(settings.otherFolders?.(environment) ?? [])].some(existsSync);
}

/** Lists the events that may be registered with an agent, by its own names. */
export function listEvents({ settings }: InstallableAgent): readonly string[] {
  const { defaultEvents, optionalEvents = [], forbiddenEvents = {} } = settings;
  return [...Object.keys(defaultEvents), ...optionalEvents].filter((event) => !Object.hasOwn(forbiddenEvents, event));
}

/**
 * Finds an agent's own events for a requested event: the event with that name, or else the default events that map to
 * it. Empty if the requested event is unknown or must not be registered.
 */
export function matchingNativeEvents(agent: InstallableAgent, event: string): readonly string[] {
  const known = listEvents(agent);
  if (known.includes(event)) return [event];
  if (Object.hasOwn(agent.settings.forbiddenEvents ?? {}, event)) return [];
  return Object.keys(agent.settings.defaultEvents).filter(
    (nativeEvent) => known.includes(nativeEvent) && agent.nativeEvents[nativeEvent]?.event === event,
  );
}

/** Checks if a version of an agent knows an event; true for an unknown version. */
export function knowsEvent({ settings }: Pick<Agent, "settings">, event: string, version: string | undefined): boolean {
  const since = settings?.since?.[event];
  return since === undefined || version === undefined || compareVersions(version, since) >= 0;
}

/** Lists the scopes in which an agent's settings may have hooks. */
export function listScopes({ settings }: InstallableAgent): readonly Scope[] {
  return scopes.filter((scope) => settings.files(scope, anyEnvironment).length > 0);
}

/**
 * Returns the name of the file in templates/settings/ with an agent's entries, for manual editing. Undefined if beckon
 * writes whole files for the agent.
 */
export function nameSnippet({ name, settings }: InstallableAgent): string | undefined {
  const [file] = settings.files("user", anyEnvironment);
  if (file && ownShapes.includes(file.shape)) return undefined;
  return `${name}.${file?.shape === "tables" ? "toml" : "json"}`;
}

const anyEnvironment = { home: "/", project: "/", env: {}, platform: "linux" } as const;
