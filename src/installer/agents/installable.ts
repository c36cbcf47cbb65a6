import { agents } from "../../agents/registry.ts";
import type { Agent } from "../../core/agent.ts";
import { type AgentSettings, type Scope, scopes } from "../../core/agent-settings.ts";
import { compareVersions } from "../../text/version.ts";

/** An agent that the installer knows how to edit. */
export type InstallableAgent = Agent & { readonly settings: AgentSettings };

/** Every agent that the installer knows how to edit. */
export const installable = agents.filter((agent): agent is InstallableAgent => agent.settings !== undefined);

/** The agent's own names of the events that may be registered with it. */
export function eventsOf({ settings }: InstallableAgent): readonly string[] {
  const { defaultEvents, optionalEvents = [], forbiddenEvents = {} } = settings;
  return [...Object.keys(defaultEvents), ...optionalEvents].filter((event) => !Object.hasOwn(forbiddenEvents, event));
}

/**
 * The agent's own events to register for an event that the user asks for: the one of that name, or else those that map
 * onto it. Empty: the agent has no such event, or it must not be registered.
 */
export function matchingNativeEvents(agent: InstallableAgent, event: string): readonly string[] {
  const known = eventsOf(agent);
  if (known.includes(event)) return [event];
  if (Object.hasOwn(agent.settings.forbiddenEvents ?? {}, event)) return [];
  return Object.keys(agent.settings.defaultEvents).filter(
    (nativeEvent) => known.includes(nativeEvent) && agent.nativeEvents[nativeEvent]?.event === event,
  );
}

/** Whether a version of an agent knows an event; true where the version is unknown. */
export function knowsEvent({ settings }: Pick<Agent, "settings">, event: string, version: string | undefined): boolean {
  const since = settings?.since?.[event];
  return since === undefined || version === undefined || compareVersions(version, since) >= 0;
}

/** The scopes in which an agent has settings that may hold hooks. */
export function scopesOf({ settings }: InstallableAgent): readonly Scope[] {
  return scopes.filter((scope) => settings.files(scope, anyEnvironment).length > 0);
}

/** The file in templates/settings/ with an agent's entries, for people who edit by hand. */
export function snippetOf({ name, settings }: InstallableAgent): string {
  const isToml = settings.files("user", anyEnvironment).some(({ shape }) => shape === "tables");
  return `${name}.${isToml ? "toml" : "json"}`;
}

const anyEnvironment = { home: "/", project: "/", env: {}, platform: "linux" } as const;
