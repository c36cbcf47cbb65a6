import type { Scope } from "../../../core/agent-settings.ts";
import { UsageError } from "../../../core/errors.ts";
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
  /** The agents' own event names, or one that theirs map onto; none: each agent's default events. */
  readonly events?: readonly string[];
  /** Events to register as well, named likewise. */
  readonly also?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  /** Where there is no terminal to ask on, go ahead as with `yes`. */
  readonly unattended?: boolean;
  /** Seconds a hook waits for the delivery; 0 undoes an earlier choice. */
  readonly waitSeconds?: number;
}

/** Checks the options of an install. @throws {UsageError} */
export function checkOptions(options: InstallOptions, known: readonly InstallableAgent[]): void {
  const { agents = [], scope = "user", events = [], also = [], waitSeconds = 0 } = options;
  checkAgents(agents, known);
  const without = known.find((agent) => agents.includes(agent.name) && !scopesOf(agent).includes(scope));
  if (without)
    throw new UsageError(
      `${without.title} has no settings of scope ${scope}`,
      `It has: ${scopesOf(without).join(", ")}.`,
    );
  const asked = known.filter(({ name }) => agents.length === 0 || agents.includes(name));
  for (const event of [...events, ...also]) checkEvent(event, asked, agents.length > 0);
  if (Number.isInteger(waitSeconds) && waitSeconds >= 0 && waitSeconds <= 600) return;
  throw new UsageError("--wait takes whole seconds, 0 to 600", "See `beckon install --help`.");
}

/** Checks names of agents. @throws {UsageError} for one that no agent has */
export function checkAgents(agents: readonly string[], known: readonly InstallableAgent[]): void {
  const names = known.map(({ name }) => name);
  const unknown = agents.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`unknown agent ${JSON.stringify(unknown)}`, `Known to the installer: ${names.join(", ")}.`);
}

/**
 * Checks that an event can be registered. An agent that is named must have it; of those merely found, one is enough.
 */
function checkEvent(event: string, asked: readonly InstallableAgent[], named: boolean): void {
  const supporting = asked.filter((agent) => matchingNativeEvents(agent, event).length > 0);
  const harmed = asked.find(({ settings }) => Object.hasOwn(settings.forbiddenEvents ?? {}, event));
  const known = `Known: ${[...new Set(asked.flatMap(eventsOf))].join(", ")}.`;
  if (harmed && (named || supporting.length === 0)) {
    const reason = harmed.settings.forbiddenEvents?.[event];
    throw new UsageError(`${event} must not be registered with ${harmed.title}: ${reason}`, known);
  }
  if (supporting.length === 0) throw new UsageError(`unknown event ${JSON.stringify(event)}`, known);
}
