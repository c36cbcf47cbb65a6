import { existsSync } from "node:fs";
import type { Finding } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import type { Paths } from "../../core/paths.ts";
import type { Ports } from "../../core/ports.ts";
import { readInstalls } from "../../installer/agents/agent-files.ts";
import { type AgentOverview, lookAtAgents } from "../status/agent-status.ts";
import type { CliContext } from "../context.ts";
import { linesSince } from "../journal/lines.ts";
import { lookAtNotifiers, type NotifierOverview } from "../status/notifier-status.ts";
import { readSpool } from "../status/spool-state.ts";

/** What `status` tells; its JSON is this object. Instants are ISO 8601, absent facts are left out. */
export interface Overview {
  readonly home: string;
  readonly installed: boolean;
  readonly agents: readonly AgentOverview[];
  /** Why what earlier installs wrote down could not be read. */
  readonly installProblem?: string;
  readonly config: { readonly file: string; readonly exists: boolean; readonly findings: readonly Finding[] };
  readonly notifiers: readonly NotifierOverview[];
  readonly spool: {
    readonly fresh: number;
    readonly waiting: number;
    readonly nextDueAt?: string;
    readonly inFlight: number;
    readonly dead: number;
  };
  readonly worker: { readonly running: boolean; readonly pid?: number };
}

/** Looks at everything and changes nothing. */
export async function lookAround(
  { paths, place }: Pick<CliContext, "paths" | "place">,
  ports: Ports,
): Promise<Overview> {
  const config = await loadConfig(paths.config);
  const journal = linesSince(paths.journal, 0);
  const installs = await readInstalls(paths, place.home);
  return {
    home: paths.root,
    installed: existsSync(paths.worker),
    agents: await lookAtAgents({ installs, place, journal, exec: ports.exec }),
    ...(installs.problem && { installProblem: installs.problem.message }),
    config: { file: paths.config, exists: existsSync(paths.config), findings: config.findings },
    notifiers: await lookAtNotifiers(config, paths, ports),
    ...spoolOverview(paths),
  };
}

function spoolOverview(paths: Paths): Pick<Overview, "spool" | "worker"> {
  const { fresh, waiting, inFlight, dead, workerPid } = readSpool(paths.spool, paths.lock);
  const [next] = waiting;
  return {
    spool: {
      fresh: fresh.length,
      waiting: waiting.length,
      ...(next && { nextDueAt: new Date(next.dueAtMs).toISOString() }),
      inFlight: inFlight.length,
      dead: dead.length,
    },
    worker: { running: workerPid !== undefined, ...(workerPid !== undefined && { pid: workerPid }) },
  };
}
