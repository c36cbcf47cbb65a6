import { agents } from "../agents/registry.ts";
import type { Agent } from "../core/agent.ts";
import { type AgentSettings, type Scope, scopes } from "../core/agent-settings.ts";

/** An agent that the installer knows how to edit. */
export type InstallableAgent = Agent & { readonly settings: AgentSettings };

/** Every agent that the installer knows how to edit. */
export const installable = agents.filter((agent): agent is InstallableAgent => agent.settings !== undefined);

/** Whether an event may be registered with an agent: it has it, and it does no harm there. */
export function takesEvent({ firings, settings }: InstallableAgent, event: string): boolean {
  return Object.hasOwn(firings, event) && !Object.hasOwn(settings.never ?? {}, event);
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
