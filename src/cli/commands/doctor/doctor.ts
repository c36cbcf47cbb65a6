import { loadConfig } from "../../../config/load.ts";
import { BeckonError } from "../../../core/errors.ts";
import type { Ports } from "../../../core/ports.ts";
import { isMisplaced, untrustedRoot } from "../../../files/root-access.ts";
import { type InstallableAgent, installable } from "../../../installer/agents/installable.ts";
import { readSpool } from "../../../spool/spool-state.ts";
import { cleanLine } from "../../../text/clean.ts";
import { counted } from "../../../text/time.ts";
import { fold } from "../../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { createCliPorts } from "../../ports.ts";
import { shortPaths } from "../../short-path.ts";
import { type AgentStatus, collectAgents } from "../../status/agent-status.ts";
import { packageRoot } from "../install/context.ts";
import { agentChecks } from "./agents.ts";
import { answerChecks } from "./answers.ts";
import { type Check, type CheckContext, type CheckedAgent, type CheckResult, fail, named } from "./check.ts";
import { eventChecks, readWeek } from "./events.ts";
import { fileChecks, folders, installationChecks } from "./installation.ts";
import { notifierChecks } from "./notifiers.ts";
import { programChecks } from "./programs.ts";
import { relayChecks } from "./relay.ts";

interface DoctorOptions {
  /** True also shows passed checks. */
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Ports and agents for the checks; tests pass their own. */
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
  ...answerChecks,
  ...fileChecks,
];

/** Declares `beckon doctor`: runs every check and shows how to fix problems. */
export const registerDoctor: RegisterCommand = (command, run) => {
  command
    .option("--all", "also list the checks that passed")
    .option("--json", "print one JSON object per line")
    .action((options: DoctorOptions) => run((context) => runDoctor(options, context)));
};

/** Runs `beckon doctor`. Returns exit code 1 if a check fails; warnings are not failures. */
export async function runDoctor(
  { all = false, json }: DoctorOptions,
  context: CliContext,
  sources: DoctorSources = { ports: createCliPorts(context.paths), agents: installable },
): Promise<number> {
  const checkContext = await collectCheckContext(context, sources);
  // Other checks make no sense for a folder that beckon refuses to use.
  const isUnusable = untrustedRoot(context.paths) !== undefined || isMisplaced(context.paths.root);
  const relevant = isUnusable ? [folders] : checks;
  const results = (await Promise.all(relevant.map((check) => runCheck(check, checkContext)))).flat();
  if (json) for (const result of results) context.print(jsonLine(result));
  else report(results, all, context);
  return results.some(({ status }) => status === "fail") ? 1 : 0;
}

/** Runs a check. If the check throws, the error becomes a result, so that the other checks still run. */
async function runCheck(check: Check, context: CheckContext): Promise<readonly CheckResult[]> {
  try {
    return await check(context);
  } catch (error) {
    const { message, hint = "Correct that and try again, or report it as a bug." } =
      error instanceof BeckonError ? error : { message: `a check crashed: ${describeError(error)}` };
    return named("doctor", fail(message, hint));
  }
}

/** Returns the message of a system error or a bug, on one line. */
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
    journal: readWeek(paths.journal, nowMs),
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

/** Prints problems, warnings, passed checks if `all` is set, and a summary. Keeps an agent's results together. */
function report(results: readonly CheckResult[], all: boolean, context: CliContext): void {
  const withStatus = (status: CheckResult["status"]) =>
    groupBySubject(results.filter((result) => result.status === status));
  const [problems, warnings, passed] = [withStatus("fail"), withStatus("warn"), withStatus("ok")];
  const found = [...problems, ...warnings];
  for (const result of found) show(result, context);
  if (all && found.length > 0 && passed.length > 0) context.print("");
  if (all) for (const result of passed) show(result, context);
  const more = all || passed.length === 0 ? "" : " (shown with --all)";
  const counts = [
    counted(problems.length, "problem"),
    counted(warnings.length, "warning"),
    `${passed.length} ok${more}`,
  ];
  context.print(`${all || found.length > 0 ? "\n" : ""}${counts.join(", ")}`);
}

/** Sorts results so that results about the same agent, such as `Droid: hooks` and `Droid: settings`, are adjacent. */
function groupBySubject(results: readonly CheckResult[]): CheckResult[] {
  const readSubject = ({ name }: CheckResult) => name.split(":")[0] ?? name;
  const order = [...new Set(results.map(readSubject))];
  return results.toSorted((a, b) => order.indexOf(readSubject(a)) - order.indexOf(readSubject(b)));
}

function show({ name, status, detail, cure }: CheckResult, context: CliContext): void {
  const { print, colors, environment } = context;
  const mark = { ok: colors.green("✓"), warn: colors.yellow("!"), fail: colors.red("✗") }[status];
  const cells = lineCells(context);
  const [first = "", ...rest] = fold(`${name}: ${shortPaths(detail, environment)}`, cells - 2);
  print([`${mark} ${first}`, ...rest.map((line) => `  ${line}`)].join("\n"));
  if (cure !== undefined) print(fold(`    ${cure}`, cells, 4).join("\n"));
}
