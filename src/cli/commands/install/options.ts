import { correctTypo } from "../../../config/did-you-mean.ts";
import type { Scope } from "../../../core/agent-settings.ts";
import { UsageError } from "../../../core/errors.ts";
import {
  type InstallableAgent,
  listEvents,
  listScopes,
  matchingNativeEvents,
} from "../../../installer/agents/installable.ts";

export interface InstallOptions {
  /** Names of agents; default: those used on this machine, or all installed ones if none was used. */
  readonly agents?: readonly string[];
  /** Scope of the settings files; default: `user`. */
  readonly scope?: Scope;
  /** Events, by the agents' names or by beckon's names; default: each agent's default events. */
  readonly events?: readonly string[];
  /** Events in addition to the default events. */
  readonly also?: readonly string[];
  /** True also registers beckon's tools with the agents. */
  readonly mcp?: boolean;
  readonly dryRun?: boolean;
  /** True shows the changes as a diff too. */
  readonly diff?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  /** True acts as if `yes` were set, if the command cannot ask. */
  readonly unattended?: boolean;
  /** Time that each hook waits for the delivery, in seconds; 0 removes the wait that an earlier install set. */
  readonly waitSeconds?: number;
}

/** Checks the options of `beckon install`. @throws {UsageError} */
export function checkOptions(options: InstallOptions, known: readonly InstallableAgent[]): void {
  const { agents = [], scope = "user", events = [], also = [], waitSeconds = 0 } = options;
  checkAgents(agents, known);
  const without = known.find((agent) => agents.includes(agent.name) && !listScopes(agent).includes(scope));
  if (without)
    throw new UsageError(
      `${without.title} has no settings of scope ${scope}`,
      `It has: ${listScopes(without).join(", ")}.`,
    );
  const asked = known.filter(({ name }) => agents.length === 0 || agents.includes(name));
  for (const event of [...events, ...also]) checkEvent(event, asked, agents.length > 0);
  if (Number.isInteger(waitSeconds) && waitSeconds >= 0 && waitSeconds <= 600) return;
  throw new UsageError("--wait must be a whole number of seconds, 0 to 600", "See `beckon install --help`.");
}

/** Checks names of agents. @throws {UsageError} for an unknown name */
export function checkAgents(agents: readonly string[], known: readonly InstallableAgent[]): void {
  const names = known.map(({ name }) => name);
  const unknown = agents.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = correctTypo(unknown, names);
  const hint = near === undefined ? `Known agents: ${names.join(", ")}.` : `Did you mean ${near}?`;
  throw new UsageError(`unknown agent ${JSON.stringify(unknown)}`, hint);
}

/**
 * Checks that an event can be registered with at least one of the agents. If agents are named, none of them may forbid
 * the event.
 */
function checkEvent(event: string, asked: readonly InstallableAgent[], named: boolean): void {
  const supporting = asked.filter((agent) => matchingNativeEvents(agent, event).length > 0);
  const harmed = asked.find(({ settings }) => Object.hasOwn(settings.forbiddenEvents ?? {}, event));
  const known = `Known events: ${[...new Set(asked.flatMap(listEvents))].join(", ")}.`;
  if (harmed && (named || supporting.length === 0)) {
    const reason = harmed.settings.forbiddenEvents?.[event];
    throw new UsageError(`${event} must not be registered with ${harmed.title}: ${reason}`, known);
  }
  if (supporting.length === 0) throw new UsageError(`unknown event ${JSON.stringify(event)}`, known);
}
