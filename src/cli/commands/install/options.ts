import type { Scope } from "../../../core/agent-settings.ts";
import {
  eventsOf,
  type InstallableAgent,
  matchingNativeEvents,
  scopesOf,
} from "../../../installer/agents/installable.ts";

export interface InstallOptions {
  /** Names of agents; none: those found on this machine. */
  readonly agents?: readonly string[];
  /** Default `user`. */
  readonly scope?: Scope;
  /** The agents' own event names, or one of the four that theirs map onto; none: each agent's default events. */
  readonly events?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** Where there is no terminal to ask on, go ahead as with `yes`. */
  readonly unattended?: boolean;
  /** Seconds a hook waits for the delivery; 0 undoes an earlier choice. */
  readonly waitSeconds?: number;
}

/** What is wrong with the options, for people; undefined if nothing is. */
export function wrongUsage(options: InstallOptions, known: readonly InstallableAgent[]): string | undefined {
  const { agents = [], scope = "user", events = [], waitSeconds = 0 } = options;
  const unknown = unknownAgent(agents, known);
  if (unknown !== undefined) return unknown;
  const without = known.find((agent) => agents.includes(agent.name) && !scopesOf(agent).includes(scope));
  if (without) return `${without.title} has no settings of scope ${scope}. It has: ${scopesOf(without).join(", ")}.`;
  const asked = known.filter(({ name }) => agents.length === 0 || agents.includes(name));
  const refused = events.map((event) => refusedEvent(event, asked, agents.length > 0)).find((words) => words);
  if (refused !== undefined) return refused;
  const isWait = Number.isInteger(waitSeconds) && waitSeconds >= 0 && waitSeconds <= 600;
  return isWait ? undefined : "--wait takes whole seconds, 0 to 600.";
}

/** Which of these names is no agent's, for people; undefined if all are known. */
export function unknownAgent(agents: readonly string[], known: readonly InstallableAgent[]): string | undefined {
  const names = known.map(({ name }) => name);
  const unknown = agents.find((name) => !names.includes(name));
  return unknown && `Unknown agent ${JSON.stringify(unknown)}. Known to the installer: ${names.join(", ")}.`;
}

/** Why an event cannot be registered. An agent that is named must have it; of those merely found, one is enough. */
function refusedEvent(event: string, asked: readonly InstallableAgent[], named: boolean): string | undefined {
  const supporting = asked.filter((agent) => matchingNativeEvents(agent, event).length > 0);
  const harmed = asked.find(({ settings }) => Object.hasOwn(settings.forbiddenEvents ?? {}, event));
  if (harmed && (named || supporting.length === 0)) {
    return `${event} must not be registered with ${harmed.title}: ${harmed.settings.forbiddenEvents?.[event]}`;
  }
  if (supporting.length > 0) return undefined;
  const names = [...new Set(asked.flatMap(eventsOf))];
  return `Unknown event ${JSON.stringify(event)}. Known: ${names.join(", ")}.`;
}
