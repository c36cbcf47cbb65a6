import type { Doctor } from "../../../../docs/output.d.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import type { AgentStatus, Facts } from "../../status/facts.ts";

/** Result of a check. Its name is the subject, such as `spool` or `Droid: hooks`; the cure fixes the problem. */
export type CheckResult = Readonly<Doctor>;

/** Result of a check, without its subject. */
export type Observation = Omit<CheckResult, "name">;

/** Input of the checks, read once for all checks. */
export interface CheckContext extends Facts {
  /** Folder of the package that contains the running program. */
  readonly packageRoot: string;
  /** Journal lines of the last 7 days that checks need, oldest first; see `readWeek`. */
  readonly journal: readonly JournalLine[];
}

/** Function that checks one or more subjects. */
export type Check<Input = CheckContext> = (context: Input) => Promise<readonly CheckResult[]> | readonly CheckResult[];

/** Observations of a check; undefined or empty if there is nothing to check. */
export type Observed = Observation | readonly Observation[] | undefined;

/** Creates a check of a single subject. */
export function check<Input = CheckContext>(name: string, observe: (context: Input) => Observed | Promise<Observed>) {
  return async (context: Input) => named(name, await observe(context));
}

/** Creates a check that runs for each agent. If its name is `hooks`, the results for Droid are named `Droid: hooks`. */
export function agentCheck(
  subject: string,
  observe: (agent: AgentStatus, context: CheckContext) => Observed | Promise<Observed>,
): Check {
  return async (context) => {
    const results = context.agents.map(async (agent) =>
      named(`${agent.title}: ${subject}`, await observe(agent, context)),
    );
    return (await Promise.all(results)).flat();
  };
}

/** Adds a subject's name to observations, which makes them results. */
export function named(name: string, observed: Observed): CheckResult[] {
  return [observed ?? []].flat().map((observation) => ({ name, ...observation }));
}

/** Creates an observation that needs no action. */
export function ok(detail: string): Observation {
  return { status: "ok", detail };
}

/** Creates an observation of a problem that does not keep beckon from working. */
export function warn(detail: string, cure: string): Observation {
  return { status: "warn", detail, cure };
}

/** Creates an observation of a problem that keeps beckon from working. */
export function fail(detail: string, cure: string): Observation {
  return { status: "fail", detail, cure };
}
