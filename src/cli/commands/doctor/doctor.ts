import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { findAnswerPlaces } from "../../../actions/assess-notifiers.ts";
import { unreadableReason } from "../../../config/answer-rights.ts";
import { BeckonError } from "../../../core/errors.ts";
import { findUp } from "../../../files/paths.ts";
import {
  explainExposure,
  isMisplaced,
  isUnusableFolder,
  moveAdvice,
  untrustedRoot,
} from "../../../files/root-access.ts";
import { cleanLine } from "../../../text/clean.ts";
import { counted, dayMs, hourMs, localTime } from "../../../text/time.ts";
import { fold } from "../../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../../context.ts";
import { type JsonOption, jsonLine } from "../../output/json-line.ts";
import { createCliPorts } from "../../ports.ts";
import { say, shortPaths } from "../../say.ts";
import { collectFacts, type FactSources, findAskProblem } from "../../status/facts.ts";
import { agentChecks } from "./agents.ts";
import { type Check, type CheckResult, check, fail, named, ok, warn } from "./check.ts";
import { eventChecks, readWeek } from "./events.ts";
import { fileChecks, folders, installationChecks } from "./installation.ts";
import { notifierChecks } from "./notifiers.ts";
import { programChecks } from "./programs.ts";
import { relayChecks } from "./relay.ts";

interface DoctorOptions extends JsonOption {
  /** True also shows passed checks. */
  readonly all?: boolean;
}

/** Checks of answers to permission requests, if they are set up. */
const answerChecks: readonly Check[] = [
  check("answers", async ({ config, paths, ports }) => {
    if (isUnusableFolder(paths.asks)) {
      const cure = `Put a folder in its place: mv '${paths.asks}' '${paths.asks}.old' && mkdir -m 700 '${paths.asks}'`;
      return fail(`requests are only answered in the agent: ${paths.asks} must be a folder of yours`, cure);
    }
    const { answers } = config;
    if (!answers) return undefined;
    const { readOffSwitch } = await import("../../../answers/ask-files.ts");
    const off = readOffSwitch(paths);
    if (off) return warn(`answers are switched off: ${off.reason}`, "To switch them on: beckon answers on");
    const exposure = explainExposure(paths, []);
    if (exposure !== undefined)
      return fail(`requests are only answered in the agent: ${exposure}`, `To move it: ${moveAdvice(paths)}`);
    const { usable, unusable } = await findAnswerPlaces(answers, config, { paths, ports });
    const note = ok(`you may answer with: ${usable.join(", ")}`);
    return [note, ...unusable.map((why) => warn(`not with ${why}`, "Remove it from `answers`: beckon config edit"))];
  }),
  check("answers: hooks", ({ config: { answers }, agents }) =>
    agents.flatMap(({ definition, files, installed }) => {
      if (!answers?.agents.includes(definition.name) || installed.size === 0) return [];
      const found = findAskProblem(definition, files, answers.wait);
      const cure = `To correct it: beckon install --agent ${definition.name}`;
      return found ? (found.isMissing ? fail : warn)(found.problem, cure) : [];
    }),
  ),
  check("answers: forged", ({ journal }) => {
    const forged = journal.findLast(({ status }) => status === "foreign");
    if (!forged) return undefined;
    return fail(
      `${forged.reason ?? "forged"}, at ${forged.at}`,
      `Find out which program gave this answer. To see the request: beckon why ${forged.id}`,
    );
  }),
  check("answers: reading", ({ config, journal, nowMs }) => {
    const failed = journal.findLast(({ reason }) => reason?.startsWith(unreadableReason));
    if (!config.answers || !failed || nowMs - Date.parse(failed.at) > dayMs) return undefined;
    const hint = "If another program reads the same account's messages, give beckon an account of its own.";
    return warn(`${failed.notifier}: ${failed.reason}, at ${localTime(failed.at)}`, hint);
  }),
  check("answers: leftovers", async ({ paths, nowMs }) => {
    if (!existsSync(paths.asks)) return undefined;
    const { readOpenAsks } = await import("../../../answers/ask-files.ts");
    const old = readOpenAsks(paths).filter(({ untilMs }) => nowMs - untilMs > hourMs);
    return old.length === 0
      ? undefined
      : warn(`${counted(old.length, "file")} of expired requests`, `rm '${paths.asks}'/*.json`);
  }),
];

const checks: readonly Check[] = [
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
  sources: FactSources = { ports: createCliPorts(context.paths) },
): Promise<number> {
  const { paths } = context;
  // Other checks make no sense for a folder that beckon refuses to use.
  const isUnusable = untrustedRoot(paths) !== undefined || isMisplaced(paths.root);
  // The programs run while the facts are collected.
  const tried = isUnusable ? [] : programChecks.map((check) => runCheck(check, { ...context, ...sources }));
  const facts = await collectFacts(context, { ...sources, runsCommands: true });
  const packageRoot = dirname(findUp(import.meta.url, "package.json") ?? "");
  const checkContext = { ...facts, packageRoot, journal: readWeek(paths.journal, facts.nowMs) };
  const relevant = isUnusable ? [folders] : checks;
  const results = (await Promise.all([...tried, ...relevant.map((check) => runCheck(check, checkContext))])).flat();
  if (json) for (const result of results) context.print(jsonLine(result));
  else report(results, all, context);
  return results.some(({ status }) => status === "fail") ? 1 : 0;
}

/** Runs a check. If the check throws, the error becomes a result, so that the other checks still run. */
async function runCheck<Input>(check: Check<Input>, context: Input): Promise<readonly CheckResult[]> {
  try {
    return await check(context);
  } catch (error) {
    const { message, hint = "Correct that and try again, or report it as a bug." } =
      error instanceof BeckonError
        ? error
        : { message: `a check crashed: ${cleanLine(error instanceof Error ? error.message : String(error))}` };
    return named("doctor", fail(message, hint));
  }
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
  if (cure !== undefined) say(`    ${cure}`, context, 4);
}
