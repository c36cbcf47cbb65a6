import { agents } from "../agents/registry.ts";
import type { Agent } from "../core/agent.ts";
import type { AgentSettings } from "../core/agent-settings.ts";

/** An agent that the installer knows how to edit. */
export type InstallableAgent = Agent & { readonly settings: AgentSettings };

/** Every agent that the installer knows how to edit. */
export const installable = agents.filter((agent): agent is InstallableAgent => agent.settings !== undefined);

/** Whether an event may be registered with an agent: it has it, and it does no harm there. */
export function takesEvent({ firings, settings }: InstallableAgent, event: string): boolean {
  return Object.hasOwn(firings, event) && !Object.hasOwn(settings.never ?? {}, event);
}
