import type { Scope } from "../../../core/agent-settings.ts";
import { eventsOf, type InstallableAgent, installable, ownEvents, scopesOf } from "../../../installer/agents/installable.ts";

export interface InstallOptions {
  /** Names of agents; none: those found on this machine. */
  readonly agents?: readonly string[];
  /** Default `user`. */
  readonly scope?: Scope;
  /** The agents' own event names, or one of the four that theirs map onto; none: those each agent registers. */
  readonly events?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** Seconds a hook waits for the delivery; 0 takes an earlier choice back. */
  readonly waitSeconds?: number;
}

/** What is wrong with the options, for people; undefined where nothing is. */
export function wrongUsage(options: InstallOptions): string | undefined {
  const { agents = [], scope = "user", events = [], waitSeconds = 0 } = options;
  const unknown = unknownAgent(agents);
  if (unknown !== undefined) return unknown;
  const without = installable.find((agent) => agents.includes(agent.name) && !scopesOf(agent).includes(scope));
  if (without) return `${without.title} has no settings of scope ${scope}. It has: ${scopesOf(without).join(", ")}.`;
  const asked = installable.filter(({ name }) => agents.length === 0 || agents.includes(name));
  const refused = events.map((event) => refusedEvent(event, asked, agents.length > 0)).find((words) => words);
  if (refused !== undefined) return refused;
  const isWait = Number.isInteger(waitSeconds) && waitSeconds >= 0 && waitSeconds <= 600;
  return isWait ? undefined : "--wait takes whole seconds, 0 to 600.";
}

/** Says which of these names no agent has, or nothing. */
export function unknownAgent(agents: readonly string[]): string | undefined {
  const names = installable.map(({ name }) => name);
  const unknown = agents.find((name) => !names.includes(name));
  return unknown && `Unknown agent ${JSON.stringify(unknown)}. Known to the installer: ${names.join(", ")}.`;
}

/** An agent that is named must take the event; of those that are merely found one is enough. */
function refusedEvent(event: string, asked: readonly InstallableAgent[], named: boolean): string | undefined {
  const takers = asked.filter((agent) => ownEvents(agent, event).length > 0);
  const harmed = asked.find(({ settings }) => Object.hasOwn(settings.never ?? {}, event));
  if (harmed && (named || takers.length === 0)) {
    return `${event} must not be registered with ${harmed.title}: ${harmed.settings.never?.[event]}`;
  }
  if (takers.length > 0) return undefined;
  const known = [...new Set(asked.flatMap(eventsOf))];
  return `Unknown event ${JSON.stringify(event)}. Known: ${known.join(", ")}.`;
}
