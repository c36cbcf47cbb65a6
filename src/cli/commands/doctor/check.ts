import type { Config } from "../../../config/config.ts";
import type { Ports } from "../../../core/ports.ts";
import type { Installs } from "../../../installer/agents/agent-files.ts";
import type { InstallableAgent } from "../../../installer/agents/installable.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import type { SpoolState } from "../../../spool/spool-state.ts";
import type { CliContext } from "../../context.ts";
import type { AgentStatus } from "../../status/agent-status.ts";

/** What a check found about its subject. */
export interface Observation {
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** How to fix it. */
  readonly cure?: string;
}

/** An observation with its subject, such as `spool` or `Droid: hooks`. */
export interface CheckResult extends Observation {
  readonly name: string;
}

/** An agent's state on this machine, and what follows from it and from the agent's definition. */
export interface CheckedAgent extends AgentStatus {
  readonly definition: InstallableAgent;
  /** The events, by the agent's own names, for which beckon's hooks are installed. */
  readonly installed: ReadonlySet<string>;
  /** Titles of the agents whose settings files have hooks of beckon's that this agent runs as well. */
  readonly lenders: readonly string[];
}

/** What the checks look at, read once for all of them. */
export interface CheckContext extends Pick<CliContext, "paths" | "environment"> {
  readonly ports: Ports;
  /** Folder of the package this command line belongs to. */
  readonly packageRoot: string;
  readonly config: Config;
  readonly agents: readonly CheckedAgent[];
  /** Records of earlier installs. */
  readonly installs: Pick<Installs, "beckonCommands" | "problem">;
  readonly spool: SpoolState;
  /** The journal of the last 7 days, oldest first. */
  readonly journal: readonly JournalLine[];
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** Checks one thing. */
export type Check = (context: CheckContext) => Promise<readonly CheckResult[]> | readonly CheckResult[];

/** What a check observed: something also when it is fine, and nothing where there is nothing to check. */
export type Observed = Observation | readonly Observation[] | undefined;

/** A check of one subject. */
export function check(name: string, observe: (context: CheckContext) => Observed | Promise<Observed>): Check {
  return async (context) => named(name, await observe(context));
}

/** A check of each agent. With the subject `hooks`, the results about Droid are named `Droid: hooks`. */
export function agentCheck(
  subject: string,
  observe: (agent: CheckedAgent, context: CheckContext) => Observed | Promise<Observed>,
): Check {
  return async (context) => {
    const results = context.agents.map(async (agent) =>
      named(`${agent.title}: ${subject}`, await observe(agent, context)),
    );
    return (await Promise.all(results)).flat();
  };
}

/** Results from what was observed about one subject. */
export function named(name: string, observed: Observed): CheckResult[] {
  return [observed ?? []].flat().map((observation) => ({ name, ...observation }));
}

/** Nothing to do. */
export function ok(detail: string): Observation {
  return { status: "ok", detail };
}

/** Some events may not get through, or not as meant. */
export function warn(detail: string, cure: string): Observation {
  return { status: "warn", detail, cure };
}

/** beckon does not work until this is fixed. */
export function fail(detail: string, cure: string): Observation {
  return { status: "fail", detail, cure };
}
