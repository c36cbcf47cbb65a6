import type { AgentSettings } from "../../src/core/agent-settings.ts";
import { type InstallableAgent, installable } from "../../src/installer/agents/installable.ts";

/** Returns all agents, one of them with other settings. */
export function agentsWith(name: string, change: Partial<AgentSettings>): InstallableAgent[] {
  return installable.map((agent) =>
    agent.name === name ? { ...agent, settings: { ...agent.settings, ...change } } : agent,
  );
}
