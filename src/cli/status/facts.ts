import { type Ability, assessNotifiers } from "../../actions/assess-notifiers.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import type { Ports } from "../../core/ports.ts";
import type { Installs } from "../../installer/agents/agent-files.ts";
import { type InstallableAgent, installable } from "../../installer/agents/installable.ts";
import { listLostSince, readSpool, type SpoolState } from "../../spool/spool-state.ts";
import { dayMs } from "../../text/time.ts";
import type { CliContext } from "../context.ts";
import { type AgentStatus, collectAgents } from "./agent-status.ts";
import { type RelayView, viewRelay } from "./relay-view.ts";

/** Facts that `status` shows and `doctor` checks, each read once. */
export interface Facts extends Pick<CliContext, "paths" | "environment"> {
  readonly ports: Ports;
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly config: Config;
  readonly agents: readonly AgentStatus[];
  /** Records of earlier installations. */
  readonly installs: Installs;
  readonly notifiers: readonly Ability[];
  /** Connections to other machines; absent if there are none. */
  readonly relay: RelayView | undefined;
  readonly spool: SpoolState;
  /** Events of the last seven days that did not fit on the disk, the oldest first. */
  readonly lost: ReturnType<typeof listLostSince>;
}

/** Ports and agents of the facts; tests pass their own. */
export interface FactSources {
  readonly ports: Ports;
  readonly agents?: readonly InstallableAgent[];
  /** See `AssessmentSources`. */
  readonly runsCommands?: boolean;
}

/** Collects the facts. Sends nothing. Runs the agents' programs and the notifiers' checks in parallel. */
export async function collectFacts(
  { paths, environment, now }: CliContext,
  { ports, agents = installable, runsCommands = false }: FactSources,
): Promise<Facts> {
  const nowMs = now();
  const config = await loadConfig(paths.config);
  const [collected, notifiers, relay] = await Promise.all([
    collectAgents(agents, { paths, environment }, ports.exec),
    assessNotifiers(config, { paths, ports, runsCommands }),
    viewRelay(paths, config, nowMs),
  ]);
  const [spool, lost] = [readSpool(paths.spool, paths.lock), listLostSince(paths.spool, nowMs - 7 * dayMs)];
  return { paths, environment, ports, nowMs, config, ...collected, notifiers, relay, spool, lost };
}
