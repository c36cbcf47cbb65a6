import { setTimeout as sleep } from "node:timers/promises";
import picocolors from "picocolors";
import { listOpenAsks } from "../actions/answer.ts";
import { type Alert, type Concern, isOpen } from "../attention/alert.ts";
import { distinguish, divideWaiting, listIdleSessions, listWaiting, readSessions } from "../attention/sessions.ts";
import { UsageError } from "../core/errors.ts";
import { createFiles } from "../io/files.ts";
import { counted } from "../text/time.ts";
import { cutToCells } from "./columns.ts";
import type { CliContext } from "./context.ts";
import { type JsonOption, jsonLine } from "./output/json-line.ts";
import { say } from "./say.ts";
import { activityJson, activityRow, sessionSection, waitingJson, waitingRow } from "./session-rows.ts";

/** Options for listing sessions. */
export interface ListOptions extends JsonOption {
  readonly watch?: boolean;
  readonly all?: boolean;
}

const redrawMs = 1_000;
/** Lines besides sessions: three titles, the number of further sessions, and the line of the cursor. */
const frameLines = 5;
const home = "\u001b[H";
const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";

/**
 * Lists the sessions of the last day for people or programs. Returns the exit code.
 * @param maxRows number of sessions to show at a terminal without `all`
 */
export async function listSessions(
  { watch, json, all }: ListOptions,
  maxRows: number,
  context: CliContext,
): Promise<number> {
  const { paths, print } = context;
  const most = context.terminal && !all ? maxRows : Number.POSITIVE_INFINITY;
  if (watch) return redraw(most, all === true, context);
  if (json) {
    const nowMs = context.now();
    const sessions = await readCurrent(context, nowMs);
    for (const item of listWaiting(sessions)) print(jsonLine(waitingJson(item, nowMs)));
    for (const alert of listIdleSessions(sessions)) print(jsonLine(activityJson(alert)));
    return 0;
  }
  const lines = await formatSessions(context, most);
  for (const item of lines) print(item);
  if (lines.length === 0) say("No sessions in the last 24 hours.", context);
  const open = listOpenAsks(paths).length;
  if (open > 0) say(`You can answer ${counted(open, "request")} from here: beckon answer`, context);
  return 0;
}

/**
 * Redraws at most `most` sessions every second, and without `all` no more than fit the window. Cuts long lines, because
 * a wrapped line would shift the lines below it.
 */
async function redraw(most: number, all: boolean, context: CliContext): Promise<number> {
  const { terminal } = context;
  if (!terminal)
    throw new UsageError("--watch needs a terminal", "In a script, call `beckon sessions --json` repeatedly.");
  const signal = context.interruption();
  // Each session has one line, cut at the terminal's width; colours could not be cut by cells.
  const plain: CliContext = { ...context, terminal: undefined, colors: picocolors.createColors(false) };
  terminal.write(`${home}${clearBelow}`);
  while (!signal.aborted) {
    const height = all ? most : (terminal.rows?.() ?? most) - frameLines;
    const shown = await formatSessions(plain, Math.max(1, Math.min(most, height)));
    const lines = shown.length > 0 ? shown : ["No session is waiting for you."];
    const cells = terminal.columns();
    const text = lines.map((line) => `${cutToCells(line, cells)}${clearLine}\n`).join("");
    terminal.write(`${home}${text}${clearBelow}`);
    await sleep(redrawMs, undefined, { signal }).catch(() => {}); // interrupted: the loop ends
  }
  return 0;
}

/** Reads the sessions. Leaves out requests that the transcripts show as answered, even if no worker is awake. */
async function readCurrent({ paths }: CliContext, nowMs: number): Promise<readonly Alert[]> {
  const sessions = readSessions(paths, nowMs);
  const isRead = (concern: Concern) => isOpen(concern) && concern.readTo !== undefined && concern.kind === "needs-you";
  if (!sessions.some(({ concerns }) => concerns.some(isRead))) return sessions;
  const [{ afterReading }, { readOn }] = await Promise.all([
    import("../pipeline/judge.ts"),
    import("../lookups/session-files.ts"),
  ]);
  const files = createFiles();
  const readConcern = async (concern: Concern) =>
    isRead(concern) ? afterReading(concern, await readOn(concern.event, concern.readTo ?? {}, files), nowMs) : concern;
  const readAlert = async (alert: Alert) => ({
    ...alert,
    concerns: await Promise.all(alert.concerns.map(readConcern)),
  });
  return Promise.all(sessions.map(readAlert));
}

/** Formats at most `most` sessions for people, in lines that fit the terminal; empty if there are no sessions. */
async function formatSessions(context: CliContext, most: number): Promise<string[]> {
  const nowMs = context.now();
  const sessions = await readCurrent(context, nowMs);
  const tellApart = distinguish(sessions);
  const waiting = Object.values(divideWaiting(listWaiting(sessions))).map(({ title, items }) => {
    return { title, rows: items.map((item) => waitingRow(item, nowMs, tellApart(item.alert))) };
  });
  const others = listIdleSessions(sessions).map((alert) => activityRow(alert, nowMs, tellApart(alert)));
  let left = most;
  const lines = [...waiting, { title: "Others", rows: others }].flatMap(({ title, rows }) => {
    const shown = rows.slice(0, Math.max(0, left));
    left -= rows.length;
    return sessionSection(title, shown, context);
  });
  return [...lines, ...(left < 0 ? [context.colors.dim(`${(-left).toLocaleString("en")} more (--all)`)] : [])];
}
