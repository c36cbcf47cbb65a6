import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanLine } from "../../../core/clean.ts";
import { errnoOf } from "../../../core/errors.ts";
import { runShellLine, type ShellLineResult } from "../../../io/shell-line.ts";
import type { InstallContext } from "./context.ts";
import { newSampleSession } from "../../install/sample-session.ts";

/** What became of the sample event. */
export interface SampleOutcome extends ShellLineResult {
  readonly lines: readonly SampleLine[];
}

interface SampleLine {
  readonly sessionId?: string;
  readonly notifier?: string;
  readonly status: string;
  readonly reason?: string;
  readonly tookMs?: number;
}

/** Sends one event through an installed command line, as the agent would, and watches the journal for it. */
export async function sendSample(command: string, firing: string, context: InstallContext): Promise<SampleOutcome> {
  const sessionId = newSampleSession();
  const { cwd, home, env } = context;
  const payload = {
    session_id: sessionId,
    hook_event_name: firing,
    cwd,
    message: "beckon is installed. This is how it calls you.",
  };
  const input = JSON.stringify(payload);
  const result = await runShellLine(command, { input, cwd, env: { ...env, HOME: home }, timeoutMs: 30_000 });
  return { ...result, lines: await watchJournal(context, sessionId) };
}

async function watchJournal(context: InstallContext, sessionId: string): Promise<SampleLine[]> {
  const { paths, sampleWaitMs = 8000, sampleQuietMs = 700 } = context;
  let lines: SampleLine[] = [];
  let changedAt = Date.now();
  for (const deadline = Date.now() + sampleWaitMs; Date.now() < deadline; await sleep(100)) {
    const found = await journalLines(paths.journal, sessionId);
    if (found.length !== lines.length) changedAt = Date.now();
    lines = found;
    if (lines.some(({ status }) => status !== "accepted") && Date.now() - changedAt > sampleQuietMs) break;
  }
  return lines;
}

async function journalLines(folder: string, sessionId: string): Promise<SampleLine[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  });
  const newest = names
    .filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name))
    .sort()
    .at(-1);
  const text = newest ? await readFile(join(folder, newest), "utf8") : "";
  const lines = text.split("\n").filter((line) => line.includes(sessionId));
  return lines.flatMap((line) => parseLine(line)).filter((line) => line.sessionId === sessionId);
}

function parseLine(line: string): SampleLine[] {
  try {
    return [JSON.parse(line) as SampleLine];
  } catch {
    return []; // being written at this moment
  }
}

/** On a server, in a container, over SSH. */
const otherWays = "  None of them works on this machine. `beckon config add` sets up what does: chat, push, mail.";

/** The outcome as a small table, or what to do where there is none. */
export function showSample({ exitCode, tookMs, lines }: SampleOutcome, waitedMs = 8000): string[] {
  const ran = `Sample event: the hook took ${Math.round(tookMs)} ms${exitCode === 0 ? "" : ` and ended with ${exitCode}`}.`;
  const told = lines.filter(({ status }) => status !== "accepted");
  if (told.length === 0) {
    const seconds = Math.round(waitedMs / 100) / 10;
    return [ran, `  not delivered within ${seconds} s; \`beckon doctor\` says why, \`beckon log\` what happened since`];
  }
  const rows = told.map((line) => [
    line.notifier ?? "-",
    line.status,
    line.tookMs === undefined ? "" : `${Math.round(line.tookMs)} ms`,
    line.reason ?? "",
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => cleanLine(row[column] ?? "").length)));
  const show = (row: readonly string[]) => row.map((cell, column) => cleanLine(cell).padEnd(widths[column] ?? 0));
  const table = rows.map((row) => `  ${show(row).join("  ").trimEnd()}`);
  const noneWorks = told.every(({ status, reason }) => status === "skipped" && reason?.startsWith("unsupported:"));
  return noneWorks ? [ran, ...table, otherWays] : [ran, ...table];
}
