import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Install, SampleOutcome } from "../../../../docs/output.d.ts";
import { assessNotifiers, isUseless, removalAdvice } from "../../../actions/assess-notifiers.ts";
import { sampleSessionPrefix } from "../../../attention/session-memory.ts";
import { loadConfig } from "../../../config/load.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { silentEvents } from "../../../core/vocabulary.ts";
import { commandLine } from "../../../installer/agents/command-line.ts";
import type { AgentPlan } from "../../../installer/plan-agent.ts";
import { runShellLine } from "../../../io/exec.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import { isUnsupported } from "../../../journal/journal-text.ts";
import { readJournal } from "../../../journal/read-journal.ts";
import { readSpool } from "../../../spool/spool-state.ts";
import { cleanLine } from "../../../text/clean.ts";
import { fold } from "../../columns.ts";
import { type CliContext, lineCells } from "../../context.ts";
import { formatRows, printFindings, say } from "../../say.ts";
import type { InstallContext } from "./context.ts";

/** Default time limit for deliveries in milliseconds, longer than the longest sound. */
const defaultSampleWaitMs = 10_000;

/** Tells if no notifier works on this machine, as is usual on a server, in a container or over SSH. */
export async function nothingWorks({ outcomes }: SampleReport, { paths, ports }: InstallContext): Promise<boolean> {
  const names = [...new Set(outcomes.flatMap(({ notifier }) => notifier ?? []))];
  const dead = outcomes.filter(({ status, reason }) => status === "failed" && reason?.startsWith("unavailable:"));
  if (names.length === 0 || outcomes.some((found) => found.status !== "skipped" && !dead.includes(found))) return false;
  const abilities = await assessNotifiers(await loadConfig(paths.config), { paths, ports: ports() }, names);
  return abilities.every((ability) => isUseless(ability) || dead.some(({ notifier }) => notifier === ability.name));
}

/** Outcome of the sample event, for programs. */
export type SampleReport = NonNullable<Install["sample"]>;

/**
 * Sends a sample event through the first agent's hook command, or, without an agent, through the launcher. Prints the
 * outcome. Returns undefined if no event was sent.
 */
export async function trySampleEvent(
  plans: readonly AgentPlan[],
  context: InstallContext,
): Promise<SampleReport | undefined> {
  const { environment, paths, print } = context;
  if (environment.env["BECKON_DISABLE"] === "1") {
    print("No sample event was sent, because BECKON_DISABLE=1 disables all hooks.");
    return undefined;
  }
  const [plan] = plans;
  const wanted = new Map(plan?.mains.flatMap(({ task }) => [...task.wanted]));
  const event = "Notification";
  // A prompt or an answer would not notify.
  const isSilent = (name: string) => silentEvents.includes(plan?.agent.nativeEvents[name]?.event ?? "");
  const calling = [...wanted.keys()].filter((name) => !isSilent(name));
  const nativeEvent = calling.includes(event) ? event : (calling[0] ?? event);
  const { home, platform } = environment;
  const fallback = () =>
    commandLine({ paths, home, platform, agent: undefined, nativeEvent: event, event, waitSeconds: 0 });
  // Nobody can answer a sample.
  const command = wanted.get(nativeEvent)?.command.replace(/ --ask \d+/, "");
  const outcome = await sendSample(command ?? fallback(), nativeEvent, context);
  for (const line of outcomeLines(outcome, context)) print(line);
  const useless = outcome.outcomes.filter(isUnsupported).flatMap(({ notifier }) => notifier ?? []);
  if (useless.length > 0 && outcome.outcomes.some(({ status }) => status === "sent"))
    say(removalAdvice(useless), context);
  // They may be the reason for a missing notifier.
  const errors = (await loadConfig(paths.config)).findings.filter(({ level }) => level === "error");
  printFindings(errors, context, "  ");
  return { hookMs: Math.round(outcome.tookMs), outcomes: outcome.outcomes.map(describeOutcome) };
}

/** Describes an outcome for programs. */
export function describeOutcome({ notifier, status, reason, tookMs }: JournalLine): SampleOutcome {
  return omitUndefined({ notifier, status, reason, tookMs: tookMs && Math.round(tookMs) });
}

/** Runs a hook's command line with an event, as the agent would, and watches the journal for the outcome. */
async function sendSample(command: string, nativeEvent: string, context: InstallContext) {
  const sessionId = sampleSessionPrefix + randomBytes(6).toString("hex");
  const { project: cwd, home, env } = context.environment;
  const payload = {
    session_id: sessionId,
    hook_event_name: nativeEvent,
    cwd,
    message: "Sample: beckon is installed. It will notify you like this.",
  };
  const input = JSON.stringify(payload);
  const result = await runShellLine(command, { input, cwd, env: { ...env, HOME: home }, timeoutMs: 30_000 });
  return { ...result, ...(await watchJournal(context, sessionId)) };
}

/**
 * Follows one event of each session until every notifier of these events has an outcome, up to the time limit.
 * @returns the journal's lines with the outcomes; `isSettled` is false if some notifiers had none in time
 */
export async function watchJournal(
  { paths, sampleWaitMs = defaultSampleWaitMs }: Pick<InstallContext, "paths" | "sampleWaitMs">,
  ...sessionIds: readonly string[]
) {
  for (const deadline = Date.now() + sampleWaitMs; ; await sleep(100)) {
    // Read the spool first: events that have left it are in the journal.
    const { fresh, inFlight, waiting } = readSpool(paths.spool, paths.lock);
    const lines = sessionIds.flatMap((sessionId) =>
      readJournal(paths.journal, 1, sessionId).filter((line) => line.sessionId === sessionId),
    );
    const ids = new Set(lines.map(({ id }) => id));
    // A notifier may be paused for a moment. Longer waits, for a retry or the end of a snooze, are in the journal.
    const statuses = new Map(lines.map(({ id, status }) => [id, status]));
    const paused = waiting.filter(({ id }) => !["held", "retrying"].includes(statuses.get(id) ?? ""));
    const isSettled =
      ids.size === sessionIds.length && ![...fresh, ...inFlight, ...paused].some(({ id }) => ids.has(id));
    if (!isSettled && Date.now() < deadline) continue;
    return { isSettled, outcomes: lines.filter(({ status }) => status !== "accepted" && status !== "resolved") };
  }
}

/** Formats the outcome as a table, with a hint about notifiers that did not report in time. */
function outcomeLines(outcome: Awaited<ReturnType<typeof sendSample>>, context: InstallContext): string[] {
  const { exitCode, isSettled, outcomes } = outcome;
  const { sampleWaitMs = defaultSampleWaitMs } = context;
  const cells = lineCells(context) - 2;
  const foldIndented = (text: string): string[] => fold(text, cells).map((line) => `  ${line}`);
  const ran = exitCode === 0 ? "Sample event:" : `Sample event: the hook exited with ${exitCode}.`;
  const within = `within ${Math.round(sampleWaitMs / 100) / 10} s`;
  const late = isSettled ? "" : `Some notifiers were not done ${within}. For the rest: beckon log`;
  const none = `Not delivered ${within}. Run \`beckon doctor\` for the reason, \`beckon log\` for later outcomes.`;
  const note = outcomes.length === 0 ? none : late;
  return [ran, ...outcomeTable(outcomes, context), ...(note === "" ? [] : foldIndented(note))];
}

/** Formats a line for each outcome: notifier, status, duration, reason. */
export function outcomeTable(outcomes: readonly JournalLine[], context: Pick<CliContext, "terminal">): string[] {
  const rows = outcomes.map((line) => [
    line.notifier ?? "-",
    line.status,
    line.tookMs === undefined ? "" : `${Math.round(line.tookMs)} ms`,
    line.reason ?? "",
  ]);
  return formatRows(
    rows.map((row) => row.map(cleanLine)),
    context,
  );
}
