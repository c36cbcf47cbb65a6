import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanLine } from "../../../core/clean.ts";
import { commandLine } from "../../../installer/agents/command-line.ts";
import type { AgentPlan } from "../../../installer/plan-agent.ts";
import { runShellLine, type ShellLineResult } from "../../../io/shell-line.ts";
import { type JournalLine, readJournal } from "../../../pipeline/journal.ts";
import { alignRows } from "../../columns.ts";
import type { InstallContext } from "./context.ts";

const sessionPrefix = "beckon-install-";

/** Whether an event came from the installer: it proves nothing about the agent. */
export function isSample({ sessionId }: { readonly sessionId?: string | undefined }): boolean {
  return sessionId?.startsWith(sessionPrefix) === true;
}

/** What became of the sample event. */
interface SampleOutcome extends ShellLineResult {
  readonly lines: readonly JournalLine[];
}

/**
 * Sends a sample event through the first agent's own command line, or through the launcher where there is no agent yet,
 * and prints what became of it.
 */
export async function trySampleEvent(plans: readonly AgentPlan[], context: InstallContext): Promise<void> {
  const { environment, paths, print, sampleWaitMs } = context;
  if (environment.env["BECKON_DISABLE"] === "1") {
    print("No sample event was sent: BECKON_DISABLE=1 is set, which switches all hooks off.");
    return;
  }
  const wanted = plans[0]?.main.task.wanted;
  const event = "Notification";
  const nativeEvent = wanted?.has(event) === false ? ([...wanted.keys()][0] ?? event) : event;
  const { home, platform } = environment;
  const fallback = () =>
    commandLine({ paths, home, platform, agent: undefined, nativeEvent: event, event, waitSeconds: 0 });
  const outcome = await sendSample(wanted?.get(nativeEvent)?.command ?? fallback(), nativeEvent, context);
  for (const line of outcomeLines(outcome, sampleWaitMs)) print(line);
}

/** Runs an installed command line with an event, as the agent would, and watches the journal for that event. */
async function sendSample(command: string, nativeEvent: string, context: InstallContext): Promise<SampleOutcome> {
  const sessionId = sessionPrefix + randomBytes(6).toString("hex");
  const { project: cwd, home, env } = context.environment;
  const payload = {
    session_id: sessionId,
    hook_event_name: nativeEvent,
    cwd,
    message: "beckon is installed. This is how it calls you.",
  };
  const input = JSON.stringify(payload);
  const result = await runShellLine(command, { input, cwd, env: { ...env, HOME: home }, timeoutMs: 30_000 });
  return { ...result, lines: await watchJournal(context, sessionId) };
}

async function watchJournal(context: InstallContext, sessionId: string): Promise<JournalLine[]> {
  const { paths, sampleWaitMs = 8000, sampleQuietMs = 700 } = context;
  let lines: JournalLine[] = [];
  let changedAtMs = Date.now();
  for (const deadline = Date.now() + sampleWaitMs; Date.now() < deadline; await sleep(100)) {
    const found = readJournal(paths.journal, 1).filter((line) => line.sessionId === sessionId);
    if (found.length !== lines.length) changedAtMs = Date.now();
    lines = found;
    if (lines.some(({ status }) => status !== "accepted") && Date.now() - changedAtMs > sampleQuietMs) break;
  }
  return lines;
}

/** For a server, a container, a session over SSH. */
const otherNotifiers =
  "  None of these works on this machine. Run `beckon config add` to add a notifier that does: chat, push, mail.";

/** The outcome as a small table, or what to do where nothing was delivered. */
function outcomeLines({ exitCode, tookMs, lines }: SampleOutcome, waitedMs = 8000): string[] {
  const ran = `Sample event: the hook took ${Math.round(tookMs)} ms${exitCode === 0 ? "" : ` and exited with ${exitCode}`}.`;
  const outcomes = lines.filter(({ status }) => status !== "accepted");
  if (outcomes.length === 0) {
    const seconds = Math.round(waitedMs / 100) / 10;
    return [
      ran,
      `  not delivered within ${seconds} s. \`beckon doctor\` says why, \`beckon log\` what has happened since.`,
    ];
  }
  const rows = outcomes.map((line) => [
    line.notifier ?? "-",
    line.status,
    line.tookMs === undefined ? "" : `${Math.round(line.tookMs)} ms`,
    line.reason ?? "",
  ]);
  const table = alignRows(rows.map((row) => row.map(cleanLine))).map((row) => `  ${row}`);
  const noneWorks = outcomes.every(({ status, reason }) => status === "skipped" && reason?.startsWith("unsupported:"));
  return noneWorks ? [ran, ...table, otherNotifiers] : [ran, ...table];
}
