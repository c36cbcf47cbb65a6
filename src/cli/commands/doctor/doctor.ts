import { loadConfig } from "../../../config/load.ts";
import { BeckonError } from "../../../core/errors.ts";
import type { Ports } from "../../../core/ports.ts";
import { isMisplaced, untrustedRoot } from "../../../files/root-access.ts";
import { type InstallableAgent, installable } from "../../../installer/agents/installable.ts";
import { readJournal } from "../../../journal/read-journal.ts";
import { readSpool } from "../../../spool/spool-state.ts";
import { cleanLine } from "../../../text/clean.ts";
import { counted } from "../../../text/counted.ts";
import { fold } from "../../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../../context.ts";
import { portsOf } from "../../ports.ts";
import { shortPaths } from "../../short-path.ts";
import { type AgentStatus, collectAgents } from "../../status/agent-status.ts";
import { packageRoot } from "../install/context.ts";
import { agentChecks } from "./agents.ts";
import { type Check, type CheckContext, type CheckedAgent, type CheckResult, fail, named } from "./check.ts";
import { eventChecks } from "./events.ts";
import { fileChecks } from "./files.ts";
import { folders, installationChecks } from "./installation.ts";
import { notifierChecks } from "./notifiers.ts";
import { programChecks } from "./programs.ts";
import { relayChecks } from "./relay.ts";

interface DoctorOptions {
  /** Show also the checks that found nothing. */
  readonly all?: boolean;
  readonly json?: boolean;
}

/** What the checks use of this machine; tests pass their own. */
export interface DoctorSources {
  readonly ports: Ports;
  readonly agents: readonly InstallableAgent[];
}

const checks: readonly Check[] = [
  ...programChecks,
  ...installationChecks,
  ...agentChecks,
  ...notifierChecks,
  ...eventChecks,
  ...relayChecks,
  ...fileChecks,
];
const weekMs = 7 * 24 * 3_600_000;

/** `beckon doctor`: runs every check and says how to fix what is wrong. */
export const registerDoctor: RegisterCommand = (command, run) => {
  command
    .option("--all", "list also what is fine")
    .option("--json", "print one JSON array")
    .action((options: DoctorOptions) => run((context) => runDoctor(options, context)));
};

/** Runs every check. Returns exit code 1 if one fails; warnings are not failures. */
export async function runDoctor(
  { all = false, json }: DoctorOptions,
  context: CliContext,
  sources: DoctorSources = { ports: portsOf(context.paths), agents: installable },
): Promise<number> {
  const checkContext = await collectCheckContext(context, sources);
  // In a folder that beckon leaves alone nothing else matters, and little can be read.
  const isUnusable = untrustedRoot(context.paths) !== undefined || isMisplaced(context.paths.root);
  const relevant = isUnusable ? [folders] : checks;
  const results = (await Promise.all(relevant.map((check) => runCheck(check, checkContext)))).flat();
  if (json) context.print(JSON.stringify(results));
  else report(results, all, context);
  return results.some(({ status }) => status === "fail") ? 1 : 0;
}

/** Runs a check. An error in one is a result too: the others still say what they find. */
async function runCheck(check: Check, context: CheckContext): Promise<readonly CheckResult[]> {
  try {
    return await check(context);
  } catch (error) {
    const { message, hint = "Correct that, then run this again; if nothing is wrong there, please report it." } =
      error instanceof BeckonError ? error : { message: `a check broke off: ${describeError(error)}` };
    return named("doctor", fail(message, hint));
  }
}

/** The message of a system error or a bug, in one line. */
function describeError(error: unknown): string {
  return cleanLine(error instanceof Error ? error.message : String(error));
}

async function collectCheckContext(
  { paths, environment }: CliContext,
  { ports, agents }: DoctorSources,
): Promise<CheckContext> {
  const nowMs = Date.now();
  const collected = await collectAgents(agents, { paths, environment }, ports.exec);
  return {
    ...{ paths, environment, ports, nowMs, ...collected },
    agents: agents.flatMap((definition) => {
      const status = collected.agents.find(({ name }) => name === definition.name);
      return status ? [checkedAgent(status, definition, collected.agents)] : [];
    }),
    config: await loadConfig(paths.config),
    packageRoot: packageRoot(),
    spool: readSpool(paths.spool, paths.lock),
    journal: readJournal(paths.journal, 2).filter(({ at }) => Date.parse(at) >= nowMs - weekMs),
  };
}

function checkedAgent(status: AgentStatus, definition: InstallableAgent, all: readonly AgentStatus[]): CheckedAgent {
  const { alsoRuns = [] } = definition.settings;
  const isLender = ({ name, files }: AgentStatus): boolean =>
    alsoRuns.some(
      ({ agent, scopes }) =>
        agent === name && files.some(({ scope, events }) => scopes.includes(scope) && events.length > 0),
    );
  const installed = new Set([...status.files, ...status.plugins].flatMap(({ events }) => events));
  return { ...status, definition, installed, lenders: all.filter(isLender).map(({ title }) => title) };
}

/**
 * Problems first, then warnings, then, on request, the rest, with the results about one agent together, and a summary.
 */
function report(results: readonly CheckResult[], all: boolean, context: CliContext): void {
  const of = (status: CheckResult["status"]) => bySubject(results.filter((result) => result.status === status));
  const [problems, warnings, passed] = [of("fail"), of("warn"), of("ok")];
  const found = [...problems, ...warnings];
  for (const result of found) show(result, context);
  if (all && found.length > 0 && passed.length > 0) context.print("");
  if (all) for (const result of passed) show(result, context);
  const more = all || passed.length === 0 ? "" : "; --all lists them";
  const counts = [
    counted(problems.length, "problem"),
    counted(warnings.length, "warning"),
    `${passed.length} ok${more}`,
  ];
  context.print(`${all || found.length > 0 ? "\n" : ""}${counts.join(", ")}`);
}

/** Puts `Droid: hooks` and `Droid: settings` next to each other, in the order in which the subjects first appear. */
function bySubject(results: readonly CheckResult[]): CheckResult[] {
  const subjectOf = ({ name }: CheckResult) => name.split(":")[0] ?? name;
  const order = [...new Set(results.map(subjectOf))];
  return results.toSorted((a, b) => order.indexOf(subjectOf(a)) - order.indexOf(subjectOf(b)));
}

function show({ name, status, detail, cure }: CheckResult, context: CliContext): void {
  const { print, colors, environment } = context;
  const mark = { ok: colors.green("✓"), warn: colors.yellow("!"), fail: colors.red("✗") }[status];
  const cells = lineCells(context);
  const [first = "", ...rest] = fold(`${name}: ${shortPaths(detail, environment)}`, cells - 2);
  print([`${mark} ${first}`, ...rest.map((line) => `  ${line}`)].join("\n"));
  if (cure !== undefined) print(fold(`    ${cure}`, cells, 4).join("\n"));
}
