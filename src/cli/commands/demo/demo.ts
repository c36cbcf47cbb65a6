import { requireInstalled, requireStoring } from "../../../actions/require-own-root.ts";
import type { Config } from "../../../config/config.ts";
import { didYouMean } from "../../../config/did-you-mean.ts";
import { loadConfig } from "../../../config/load.ts";
import { whyDisabled } from "../../../config/notifier-entry.ts";
import { CommandError, UsageError } from "../../../core/errors.ts";
import { groupBy } from "../../../core/group-by.ts";
import type { Kind } from "../../../core/vocabulary.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import { anyPhoneApp, withoutDesktop } from "../../../notifiers/registry.ts";
import { cleanLine } from "../../../text/clean.ts";
import { summarize } from "../../../text/summary.ts";
import { fitRows } from "../../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../../context.ts";
import { addExamples } from "../../examples.ts";
import { jsonLine } from "../../output/json-line.ts";
import type { DemoOutput, SampleOutcome } from "../../output/setup-outputs.ts";
import { createCliPorts } from "../../ports.ts";
import { say } from "../../say.ts";
import { findReasonUnable } from "../doctor/notifiers.ts";
import { describeOutcome, outcomesIn, watchJournal } from "../install/sample-event.ts";
import { type DemoEvent, sendDemo } from "./send-demo.ts";

/** Declares `beckon demo`: shows a sample notification of each kind. */
export const registerDemo: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon demo": "send the samples by your routes; kinds without a route go to the other notifiers",
    "beckon demo --to phone": "send all samples to the notifier phone",
  });
  command
    .option("--to <notifier>", "send all samples to this notifier, whatever the routes say")
    .option("--json", "print one JSON object")
    .action((options: DemoOptions) => run((context) => runDemo(options, context)));
};

interface DemoOptions {
  readonly to?: string;
  readonly json?: boolean;
}

/** Sample of one kind, with the outcome at each notifier. */
interface DemoResult {
  readonly kind: Kind;
  readonly project: string;
  readonly agent: string;
  readonly text: string;
  /** False for a kind that reaches no notifier except in a demo. */
  readonly isRouted: boolean;
  readonly outcomes: readonly SampleOutcome[];
}

/** Runs `beckon demo`. Returns exit code 1 if no notifier got any of the samples. */
async function runDemo({ to, json }: DemoOptions, context: CliContext): Promise<number> {
  const { paths, print, environment } = context;
  requireInstalled(context);
  requireStoring(context);
  const config = await loadConfig(paths.config);
  if (to !== undefined) requireNotifier(to, config);
  if (environment.env["BECKON_DISABLE"] === "1" && !json)
    say("BECKON_DISABLE=1 disables hooks, but not this demo.", context);
  const { home, env } = environment;
  const events = await sendDemo({ config, to, home, env }, paths);
  if (!json) announce(events, context);
  const { lines } = await watchJournal({ paths }, ...events.map(({ sessionId }) => sessionId));
  const results = events.map((sent) => describeResult(sent, lines, to));
  const isSent = results.some(({ outcomes }) => outcomes.some(({ status }) => status === "sent"));
  if (json) print(jsonLine({ events: results } satisfies DemoOutput));
  else {
    printResults(results, context);
    await printCures(results, config, context);
  }
  return isSent ? 0 : 1;
}

function announce(events: readonly DemoEvent[], context: CliContext): void {
  const titles = events.map(({ event: { kind, project } }) => `${project}: ${kind}`).join(", ");
  say(`Sent four samples (${titles}).`, context);
  say("They are withdrawn after ten seconds if possible, and count in no statistics.", context);
}

function requireNotifier(name: string, config: Config): void {
  if (config.notifiers.has(name)) return;
  if (!config.disabled.includes(name))
    throw new UsageError(`there is no notifier ${name}`, didYouMean(name, [...config.notifiers.keys()]));
  const { message, hint } = whyDisabled(name, config);
  throw new CommandError(`${name} is not usable: ${message}`, hint);
}

function describeResult(
  { event, sessionId, to: forced }: DemoEvent,
  lines: readonly JournalLine[],
  to: string | undefined,
): DemoResult {
  const outcomes = outcomesIn({ lines: lines.filter((line) => line.sessionId === sessionId) });
  const { kind, project, agent, message, lastMessage } = event;
  return {
    kind,
    project,
    agent,
    text: summarize(message ?? lastMessage ?? ""),
    isRouted: forced === undefined || to !== undefined,
    outcomes: outcomes.map(describeOutcome),
  };
}

/** Prints one line for each notifier and outcome, with the kinds. */
function printResults(results: readonly DemoResult[], context: CliContext): void {
  const all = results.flatMap(({ kind, outcomes }) => outcomes.map((outcome) => ({ kind, ...outcome })));
  const same = groupBy(all, ({ notifier, status, reason }) => JSON.stringify([notifier, status, reason]));
  const rows = [...same.values()].flatMap((group) => {
    const [{ notifier = "", status, reason } = { status: "" }] = group;
    const shown = group.map(({ kind }) => kind).join(", ");
    return [[notifier, status, reason === undefined ? shown : `${shown}: ${reason}`].map(cleanLine)];
  });
  for (const row of fitRows(rows, lineCells(context) - 2)) context.print(`  ${row}`);
  const late = results.filter(({ outcomes }) => outcomes.length === 0).map(({ kind }) => kind);
  if (late.length > 0) say(`Not delivered yet: ${late.join(", ")}. For later outcomes: beckon log`, context);
  const unrouted = results.filter(({ isRouted }) => !isRouted).map(({ kind }) => kind);
  if (unrouted.length > 0)
    say(`Without this demo, your routes send ${unrouted.join(" and ")} events to no notifier.`, context);
}

/** Prints how to fix the notifiers that did not send a sample, and suggests other notifiers if no sample arrived. */
async function printCures(results: readonly DemoResult[], config: Config, context: CliContext): Promise<void> {
  const outcomes = results.flatMap((result) => result.outcomes);
  const names = new Set(outcomes.filter(({ status }) => status !== "sent").map(({ notifier }) => notifier ?? ""));
  const ports = createCliPorts(context.paths);
  for (const configured of [...config.notifiers.values()].filter(({ name }) => names.has(name))) {
    const found = await findReasonUnable(configured, { ports, paths: context.paths });
    if (found?.cure) say(`${configured.name}: ${found.cure}`, context, 2);
  }
  if (outcomes.some(({ status }) => status === "sent")) return;
  say("None of the samples arrived. To get notifications without a desktop:", context);
  context.print(`  beckon config add ${anyPhoneApp}     on your phone`);
  context.print(`  beckon config add ${withoutDesktop}  in the agent's terminal, also over SSH`);
}
