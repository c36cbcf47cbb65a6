import { existsSync } from "node:fs";
import type { Status as StatusOutput } from "../../../docs/output.d.ts";
import { type Ability, abilityText } from "../../actions/assess-notifiers.ts";
import { silenceJson, silenceText } from "../../actions/snooze.ts";
import { quietUntilMs } from "../../attention/quiet.ts";
import { readSilences, silencesFile } from "../../attention/silences.ts";
import type { KnownLimit } from "../../attention/usage-limits.ts";
import { limitText } from "../../board/format.ts";
import { listUnrouted } from "../../config/config.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { Ports } from "../../core/ports.ts";
import { misplacedFolder, type RootProblem, untrustedRoot } from "../../files/root-access.ts";
import { createExec } from "../../io/exec.ts";
import { findStoringProblem } from "../../spool/spool-state.ts";
import { counted, localTime } from "../../text/time.ts";
import { fitRows } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { formatInstant, type JsonOption, jsonLine } from "../output/json-line.ts";
import { createCliPorts } from "../ports.ts";
import { foldText, shortPaths } from "../say.ts";
import { type AgentStatus, collectFacts, type Facts } from "../status/facts.ts";
import { configAccessFindings, cureForUnreadable, findUnreadable, launcherObstacle } from "../status/problems.ts";
import { agoText, describeRelay, handingOverText, linkText, type RelayView } from "../status/relay-view.ts";

interface StatusOptions extends JsonOption {
  /** True lists the events and files of each agent. */
  readonly verbose?: boolean;
}

/** Declares `beckon status`: shows the setup and the events in progress. */
export const registerStatus: RegisterCommand = (command, run) => {
  command
    .option("--json", "print one JSON object")
    .option("--verbose", "list each agent's hooks and files")
    .action((options: StatusOptions) => run((context) => runStatus(options, context)));
};

/** Runs `beckon status`. Returns exit code 0. `ports` are for tests. */
export async function runStatus(
  { json, verbose = false }: StatusOptions,
  context: CliContext,
  ports: Ports = { ...createCliPorts(context.paths), exec: createExec(context.environment.env) },
): Promise<number> {
  const facts = await collectFacts(context, { ports });
  const status = await describeStatus(facts);
  if (json) context.print(jsonLine(status));
  else for (const line of describe(status, facts, verbose, context)) context.print(line);
  return 0;
}

/** Describes the status for programs. Writes nothing but a test file, which shows that events can be stored. */
async function describeStatus(facts: Facts): Promise<StatusOutput> {
  const { paths, environment, nowMs, config, agents, installs, notifiers, relay, limits, spool, lost } = facts;
  const { fresh, waiting, inFlight, dead, workerPid: pid } = spool;
  const answers = config.answers && (await import("./answers.ts"));
  const findings = [...config.findings, ...configAccessFindings(paths, environment.platform)];
  const problem = findProblem(paths, environment.platform);
  return {
    home: paths.root,
    installed: existsSync(paths.worker),
    ...(problem && { problem: problem.message, cure: problem.cure }),
    snoozed: readSilences(silencesFile(paths), nowMs).map(silenceJson),
    agents: agents.map(({ definition: _, installed: __, lenders: ___, ...agent }) => agent),
    config: { file: paths.config, exists: existsSync(paths.config), findings },
    notifiers: notifiers.map(describeNotifier),
    ...omitUndefined({
      quiet: listQuiet(facts),
      installProblem: installs.problem?.message,
      relay: relay && describeRelay(relay),
      limits: limits.length > 0 ? limits.map(limitJson) : undefined,
      answers: await answers?.describeAnswers({ paths, environment }),
    }),
    spool: {
      ...{ fresh: fresh.length, waiting: waiting.length, inFlight: inFlight.length, dead: dead.length },
      lost: lost.length,
      ...omitUndefined({
        nextDueAt: formatInstant(waiting[0]?.dueAtMs),
        lastLostAt: formatInstant(lost.at(-1)?.atMs),
      }),
    },
    worker: { running: pid !== undefined, ...omitUndefined({ pid }) },
  };
}

function describeNotifier({ name, configured, canRing, reason, brokenSinceMs, trouble, pausedUntilMs }: Ability) {
  return {
    ...{ name, usable: canRing },
    ...omitUndefined({
      type: configured?.notifier.name,
      problem: reason,
      brokenSinceAt: formatInstant(brokenSinceMs),
      trouble,
      pausedUntilAt: formatInstant(pausedUntilMs),
    }),
  };
}

/** Finds a problem with beckon's folder or its files. */
function findProblem(paths: CliContext["paths"], platform: NodeJS.Platform): RootProblem | undefined {
  const root = untrustedRoot(paths) ?? misplacedFolder(paths);
  if (root) return root;
  const unreadable = findUnreadable(paths);
  if (unreadable.length > 0)
    return { message: `cannot be read: ${unreadable.join(", ")}`, cure: cureForUnreadable(paths) };
  const storing = findStoringProblem(paths);
  if (storing || platform === "win32") return storing;
  const [hasLauncher, hasApp] = [existsSync(paths.launcher), existsSync(paths.worker)];
  if (hasLauncher === hasApp) return launcherObstacle(paths.launcher);
  const [missing, effect] = hasApp ? [paths.launcher, "hooks do nothing"] : [paths.worker, "events wait in the spool"];
  return { message: `${missing} is missing: ${effect}`, cure: "Run `beckon install`." };
}

function describe(status: StatusOutput, facts: Facts, verbose: boolean, context: CliContext): string[] {
  const { nowMs, relay, limits } = facts;
  const { colors, environment } = context;
  const cells = lineCells(context);
  const section = (title: string, rows: readonly (readonly string[])[]) => {
    const short = rows.map((row) => row.map((cell) => shortPaths(cell, environment)));
    return [colors.bold(title), ...fitRows(short, cells - 2).map((row) => `  ${row}`)];
  };
  const { problem, cure } = status;
  // The cure keeps full paths: it may be a command, and `~` does not expand in quotes.
  const problems = problem === undefined ? [] : [`${colors.red("✗")} ${shortPaths(problem, environment)}. ${cure}`];
  const limitRows = limits.map((limit) => [limitText(limit, limits, nowMs), agoText(limit.atMs, nowMs)]);
  const sentences = (texts: readonly string[]) => texts.flatMap((text) => foldText(`  ${text}`, context, 4));
  const snoozes = status.snoozed.map(
    (snooze) =>
      `Snoozed ${silenceText({ ...snooze, untilMs: Date.parse(snooze.untilAt) }, nowMs)}. To resume: beckon snooze off`,
  );
  const quiet = status.quiet?.map((hours) => quietText(hours, nowMs)) ?? [];
  return [
    ...[...snoozes, ...quiet].flatMap((text) => foldText(text, context, 2)),
    ...problems.flatMap((text) => foldText(text, context, 2)),
    ...section("Agents", agentRows(facts, verbose)),
    ...section("Configuration", [configRow(status)]),
    ...section("Notifiers", notifierRows(facts)),
    ...(relay ? section("Other machines", relayRows(relay, nowMs)) : []),
    ...(limits.length > 0 ? section("Limits", limitRows) : []),
    ...(status.answers ? [colors.bold("Answers"), ...sentences(status.answers)] : []),
    colors.bold("Events"),
    ...sentences([spoolText(status), ...lostText(status), workerText(status)]),
  ];
}

/** Lists the quiet hours in force; undefined if there are none. */
function listQuiet({ config, nowMs }: Facts): StatusOutput["quiet"] {
  const quiet = config.attention.quiet.flatMap(({ hold, notifiers, ...hours }) => {
    const untilAt = formatInstant(quietUntilMs(hours, nowMs));
    return untilAt === undefined ? [] : [{ untilAt, hold, ...omitUndefined({ notifiers }) }];
  });
  return quiet.length > 0 ? quiet : undefined;
}

function quietText({ untilAt, hold, notifiers }: NonNullable<StatusOutput["quiet"]>[number], nowMs: number): string {
  const end = silenceText({ untilMs: Date.parse(untilAt) }, nowMs);
  return `Quiet hours ${end} hold these kinds${notifiers ? ` for ${notifiers.join(", ")}` : ""}: ${hold.join(", ")}`;
}

function agentRows({ agents, nowMs }: Facts, verbose: boolean): string[][] {
  const rows = agents
    .filter(
      ({ found, files, elsewhere, plugins }) =>
        found || [...files, ...elsewhere, ...plugins].some(({ events }) => events.length > 0),
    )
    .flatMap((agent) => buildRows(agent, verbose, nowMs));
  return rows.length > 0 ? rows : [["none found on this machine", "", ""]];
}

/** Formats an agent's line: title and version, number of hooks, last event. Problems and lists follow below it. */
function buildRows(agent: AgentStatus, verbose: boolean, nowMs: number): string[][] {
  const { name, title, program, files, elsewhere, plugins, tools, lastEvent } = agent;
  const all = [...files, ...elsewhere];
  const count = [...all, ...plugins].reduce((sum, { events }) => sum + events.length, 0);
  const installed = [counted(count, "hook"), ...(tools.length > 0 ? ["MCP tools"] : [])].join(", ");
  const [home] = all.flatMap(({ otherHomes = [] }) => otherHomes);
  const missing = home === undefined ? "no hooks yet" : `its hooks call another beckon home, ${home}`;
  const hooks = count > 0 ? installed : `${missing}: beckon install --agent ${name}`;
  const last = lastEvent ? `last event ${agoText(Date.parse(lastEvent.at), nowMs)}` : "no event yet";
  const problems = all.flatMap(({ path, problem }) => (problem ? [`${path}: ${problem}`] : []));
  const lists = [
    ...all
      .filter(({ events }) => events.length > 0)
      .map(({ scope, path, events }) => `${scope}: ${events.join(", ")} (${path})`),
    ...plugins.map(({ word, path, events }) => `${word}: ${events.join(", ")} (${path})`),
    ...tools.map(({ path }) => `MCP tools (${path})`),
  ];
  const row = [[title, program?.version].filter(Boolean).join(" "), ...(count > 0 ? [hooks, last] : ["", hooks])];
  return [row, ...[...problems, ...(verbose ? lists : [])].map((text) => ["", "", text])];
}

function configRow({ config: { file, exists, findings } }: StatusOutput): string[] {
  if (findings.length > 0) return [file, `${counted(findings.length, "problem")}: beckon config check`];
  return [file, exists ? "no problems" : "does not exist; the defaults apply"];
}

function notifierRows({ notifiers, config }: Facts): string[][] {
  if (notifiers.length === 0) return [["none, so events only reach the journal. To add one: beckon config add"]];
  const unrouted = listUnrouted(config);
  const readyAs = (name: string) => (unrouted.includes(name) ? "ready, but no route leads to it" : "ready");
  return notifiers.map((ability) => notifierRow(ability, readyAs(ability.name)));
}

function notifierRow(ability: Ability, ready: string): string[] {
  const { name, configured, verdict, pausedUntilMs } = ability;
  const pause =
    pausedUntilMs === undefined
      ? []
      : [`paused until ${localTime(pausedUntilMs)}, because the receiver is slow or asked for a pause`];
  const state = { disabled: "disabled: ", unable: "not usable here: ", unset: "not usable here: " }[verdict as string];
  const text = `${state ?? ""}${abilityText(ability)}` || ready;
  return [name, configured?.notifier.name ?? "", [text, ...pause].join(": ")];
}

function relayRows({ sources, handingOver }: RelayView, nowMs: number): string[][] {
  return [
    ...sources.map(({ name, link }) => [name, linkText(link)]),
    ...(handingOver ? [["this machine", handingOverText(handingOver, nowMs)]] : []),
  ];
}

function limitJson({ id: _, notifiedPercent: __, resetsAtMs, atMs, ...limit }: KnownLimit) {
  return { ...limit, resetsAt: new Date(resetsAtMs).toISOString(), at: new Date(atMs).toISOString() };
}

function spoolText({ spool: { fresh, waiting, nextDueAt, inFlight, dead } }: StatusOutput): string {
  const next = nextDueAt === undefined ? "" : ` (next ${localTime(nextDueAt)})`;
  const failed = dead > 0 ? `, ${dead} failed: beckon log --failed` : "";
  return `${fresh} new, ${inFlight} being delivered, ${waiting} held or waiting for a retry${next}${failed}`;
}

function lostText({ spool: { lost, lastLostAt } }: StatusOutput): string[] {
  if (lastLostAt === undefined) return [];
  return [`${counted(lost, "event")} lost because the disk was full, most recently at ${localTime(lastLostAt)}`];
}

function workerText({ worker: { pid }, installed }: StatusOutput): string {
  if (pid !== undefined) return `worker is running (process ${pid})`;
  return installed ? "worker is not running; the next event starts it" : "worker is not installed: beckon install";
}
