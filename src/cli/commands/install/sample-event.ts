import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../../../config/load.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { promptEvent, sampleSessionPrefix } from "../../../core/vocabulary.ts";
import { commandLine } from "../../../installer/agents/command-line.ts";
import type { AgentPlan } from "../../../installer/plan-agent.ts";
import { runShellLine, type ShellLineResult } from "../../../io/shell-line.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import { readJournal } from "../../../journal/read-journal.ts";
import { readSpool } from "../../../spool/spool-state.ts";
import { cleanLine } from "../../../text/clean.ts";
import { fitRows, fold } from "../../columns.ts";
import { lineCells } from "../../context.ts";
import { printFindings } from "../../findings.ts";
import type { InstallContext } from "./context.ts";

/** Longer than the longest sound may last. */
const usualWaitMs = 10_000;

/** What became of the sample event. */
interface SampleOutcome extends ShellLineResult {
  readonly lines: readonly JournalLine[];
  /** False where the wait ended before every notifier had an outcome. */
  readonly isSettled: boolean;
}

/** Whether no notifier of those that were tried works on this machine: a server, a container, a session over SSH. */
export function nothingWorks({ outcomes }: SampleReport): boolean {
  const isUnsupported = ({ status, reason }: (typeof outcomes)[number]) =>
    status === "skipped" && reason?.startsWith("unsupported:") === true;
  return outcomes.length > 0 && outcomes.every(isUnsupported);
}

/** What became of the sample event, for programs. */
export interface SampleReport {
  /** How long the hook took, milliseconds. */
  readonly hookMs: number;
  readonly outcomes: readonly Pick<JournalLine, "notifier" | "status" | "reason" | "tookMs">[];
}

/**
 * Sends a sample event through the first agent's own command line, or through the launcher where there is no agent yet,
 * and prints what became of it. Undefined where none was sent.
 */
export async function trySampleEvent(
  plans: readonly AgentPlan[],
  context: InstallContext,
): Promise<SampleReport | undefined> {
  const { environment, paths, print } = context;
  if (environment.env["BECKON_DISABLE"] === "1") {
    print("No sample event was sent: BECKON_DISABLE=1 is set, which switches all hooks off.");
    return undefined;
  }
  const [plan] = plans;
  const wanted = plan?.main.task.wanted;
  const event = "Notification";
  // A prompt would call nobody.
  const calling = [...(wanted?.keys() ?? [])].filter((name) => plan?.agent.nativeEvents[name]?.event !== promptEvent);
  const nativeEvent = calling.includes(event) ? event : (calling[0] ?? event);
  const { home, platform } = environment;
  const fallback = () =>
    commandLine({ paths, home, platform, agent: undefined, nativeEvent: event, event, waitSeconds: 0 });
  const outcome = await sendSample(wanted?.get(nativeEvent)?.command ?? fallback(), nativeEvent, context);
  for (const line of outcomeLines(outcome, context)) print(line);
  await printConfigErrors(context);
  return {
    hookMs: Math.round(outcome.tookMs),
    outcomes: outcomesIn(outcome).map(({ notifier, status, reason, tookMs }) =>
      omitUndefined({ notifier, status, reason, tookMs }),
    ),
  };
}

/** Runs an installed command line with an event, as the agent would, and watches the journal for that event. */
async function sendSample(command: string, nativeEvent: string, context: InstallContext): Promise<SampleOutcome> {
  const sessionId = sampleSessionPrefix + randomBytes(6).toString("hex");
  const { project: cwd, home, env } = context.environment;
  const payload = {
    session_id: sessionId,
    hook_event_name: nativeEvent,
    cwd,
    message: "beckon is installed. This is how it calls you.",
  };
  const input = JSON.stringify(payload);
  const result = await runShellLine(command, { input, cwd, env: { ...env, HOME: home }, timeoutMs: 30_000 });
  return { ...result, ...(await watchJournal(context, sessionId)) };
}

/** Follows the event of a session until every notifier it was routed to has an outcome, up to the limit. */
export async function watchJournal(
  { paths, sampleWaitMs = usualWaitMs }: Pick<InstallContext, "paths" | "sampleWaitMs">,
  sessionId: string,
) {
  for (const deadline = Date.now() + sampleWaitMs; ; await sleep(100)) {
    // The spool first: what it does not hold any more is in the journal.
    const { fresh, inFlight } = readSpool(paths.spool, paths.lock);
    const lines = readJournal(paths.journal, 1).filter((line) => line.sessionId === sessionId);
    const isSettled = lines.length > 0 && ![...fresh, ...inFlight].some(({ id }) => id === lines[0]?.id);
    if (isSettled || Date.now() >= deadline) return { lines, isSettled };
  }
}

export function outcomesIn({ lines }: Pick<SampleOutcome, "lines">): readonly JournalLine[] {
  return lines.filter(({ status }) => status !== "accepted" && status !== "resolved");
}

/** The outcome as a small table, and where to look for what is not in it. */
function outcomeLines(outcome: SampleOutcome, context: InstallContext): string[] {
  const { exitCode, tookMs, isSettled } = outcome;
  const { sampleWaitMs = usualWaitMs } = context;
  const cells = lineCells(context) - 2;
  const said = (text: string): string[] => fold(text, cells).map((line) => `  ${line}`);
  const ran = `Sample event: the hook took ${Math.round(tookMs)} ms${exitCode === 0 ? "" : ` and exited with ${exitCode}`}.`;
  const outcomes = outcomesIn(outcome);
  const within = `within ${Math.round(sampleWaitMs / 100) / 10} s`;
  if (outcomes.length === 0)
    return [
      ran,
      ...said(`not delivered ${within}. \`beckon doctor\` says why, \`beckon log\` what has happened since.`),
    ];
  const table = outcomeTable(outcomes, cells);
  const unsettled = isSettled ? [] : said(`Not every notifier was done ${within}. \`beckon log\` shows the rest.`);
  return [ran, ...table, ...unsettled];
}

/** A line for each notifier: how it went, and why. */
export function outcomeTable(outcomes: readonly JournalLine[], cells: number): string[] {
  const rows = outcomes.map((line) => [
    line.notifier ?? "-",
    line.status,
    line.tookMs === undefined ? "" : `${Math.round(line.tookMs)} ms`,
    line.reason ?? "",
  ]);
  return fitRows(
    rows.map((row) => row.map(cleanLine)),
    cells,
  ).map((row) => `  ${row}`);
}

/** An error in the configuration may be why a notifier is missing from the outcome. */
async function printConfigErrors(context: InstallContext): Promise<void> {
  const { findings } = await loadConfig(context.paths.config);
  const errors = findings.filter(({ level }) => level === "error");
  printFindings(errors, context, "  ");
}
