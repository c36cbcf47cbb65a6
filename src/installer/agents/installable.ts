import { agents } from "../../agents/registry.ts";
import type { Agent } from "../../core/agent.ts";
import { type AgentSettings, type Scope, scopes } from "../../core/agent-settings.ts";
import { compareVersions } from "../../cli/agents/versions.ts";

/** An agent that the installer knows how to edit. */
export type InstallableAgent = Agent & { readonly settings: AgentSettings };

/** Every agent that the installer knows how to edit. */
export const installable = agents.filter((agent): agent is InstallableAgent => agent.settings !== undefined);

/** The agent's own names of the events that may be registered with it. */
export function eventsOf({ settings }: InstallableAgent): readonly string[] {
  const { register, optional = [], never = {} } = settings;
  return [...Object.keys(register), ...optional].filter((event) => !Object.hasOwn(never, event));
}

/**
 * What is registered with an agent for an event that somebody asks for: the event of that name, or else those of its
 * own that mean the same. None: it has no such event, or it would do harm there.
 */
export function ownEvents(agent: InstallableAgent, event: string): readonly string[] {
  const known = eventsOf(agent);
  if (known.includes(event)) return [event];
  if (Object.hasOwn(agent.settings.never ?? {}, event)) return [];
  return Object.keys(agent.settings.register).filter(
    (firing) => known.includes(firing) && agent.firings[firing]?.event === event,
  );
}

/** Whether a version of an agent knows an event, as far as its version is known. */
export function knowsEvent({ settings }: Pick<Agent, "settings">, event: string, version: string | undefined): boolean {
  const since = settings?.since?.[event];
  return since === undefined || version === undefined || compareVersions(version, since) >= 0;
}

/** Where an agent has settings that may hold hooks. */
export function scopesOf({ settings }: InstallableAgent): readonly Scope[] {
  return scopes.filter((scope) => settings.files(scope, anyPlace).length > 0);
}

/** The file in templates/settings/ with an agent's entries, for people who edit by hand. */
export function snippetOf({ name, settings }: InstallableAgent): string {
  const isToml = settings.files("user", anyPlace).some(({ shape }) => shape === "tables");
  return `${name}.${isToml ? "toml" : "json"}`;
}

const anyPlace = { home: "/", project: "/", env: {}, platform: "linux" } as const;
