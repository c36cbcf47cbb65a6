import { setTimeout as sleep } from "node:timers/promises";
import picocolors from "picocolors";
import type { Alert } from "../../attention/alert.ts";
import { listIdleSessions, listWaiting, readSessions } from "../../attention/sessions.ts";
import { UsageError } from "../../core/errors.ts";
import { counted } from "../../text/counted.ts";
import { shortDuration } from "../../text/local-time.ts";
import { cutToCells, shortName } from "../columns.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { jsonLine } from "../output/json-line.ts";
import { say } from "../say.ts";
import type * as SessionRows from "../session-rows.ts";

/** Declares `beckon sessions`: lists the sessions that wait for the user, and the states of the other sessions. */
export const registerSessions: RegisterCommand = (command, run) => {
  command
    .option("--watch", "refresh every second until Ctrl-C")
    .option("--json", "print one JSON object per line")
    .option("--line", "print one short line for a status bar; nothing if no session is waiting")
    .option("--all", `at a terminal, list more than ${maxRows} sessions`)
    .option("--team", "list the waiting sessions of your whole team instead, from the shared relay server")
    .action((options: SessionsOptions) => run((context) => runSessions(options, context)));
};

interface SessionsOptions {
  readonly watch?: boolean;
  readonly json?: boolean;
  readonly line?: boolean;
  readonly all?: boolean;
  readonly team?: boolean;
}

/** Maximum number of sessions to show at a terminal. */
const maxRows = 50;
/** Maximum number of sessions named in a status bar. */
const maxNamedSessions = 3;
const redrawMs = 1_000;
const home = "\u001b[H";
const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";

async function runSessions({ watch, json, line, all, team }: SessionsOptions, context: CliContext): Promise<number> {
  if ([watch, json, line].filter(Boolean).length > 1) {
    throw new UsageError("--watch, --json and --line cannot be combined", "Choose one of them.");
  }
  if (team && (watch || line)) {
    throw new UsageError("--team can only be combined with --json", "For a live view: beckon board --team");
  }
  if (team) return (await import("../team/print-team.ts")).printTeam(json === true, context);
  const { paths, print } = context;
  const nowMs = now(context);
  if (line) {
    const text = statusLine(readSessions(paths, nowMs), nowMs);
    if (text !== "") print(text);
    return 0;
  }
  // Status bars run `--line` every few seconds, which needs none of this.
  const rows = await import("../session-rows.ts");
  const most = context.terminal && !all ? maxRows : Number.POSITIVE_INFINITY;
  if (watch) return redraw(most, rows, context);
  const sessions = readSessions(paths, nowMs);
  if (json) {
    for (const item of listWaiting(sessions)) print(jsonLine(rows.waitingJson(item, nowMs)));
    for (const alert of listIdleSessions(sessions)) print(jsonLine(rows.activityJson(alert)));
    return 0;
  }
  const lines = rows.formatSessions(sessions, most, nowMs, context);
  for (const item of lines) print(item);
  if (lines.length === 0) say("No sessions in the last 24 hours.", context);
  const open = (await import("../../actions/answer.ts")).listOpenAsks(paths).length;
  if (open > 0) say(`You can answer ${counted(open, "request")} from here: beckon answer`, context);
  return 0;
}

function now(context: CliContext): number {
  return context.now?.() ?? Date.now();
}

/** Formats a line for a status bar, `2 waiting: shop 3m, api 12s`; empty if no session is waiting. */
function statusLine(sessions: readonly Alert[], nowMs: number): string {
  const longest = new Map<Alert, number>();
  for (const { alert, concern } of listWaiting(sessions)) {
    longest.set(alert, Math.min(concern.atMs, longest.get(alert) ?? concern.atMs));
  }
  if (longest.size === 0) return "";
  const named = [...longest]
    .slice(0, maxNamedSessions)
    .map(([{ project }, atMs]) => `${shortName(project)} ${compactDuration(nowMs - atMs)}`);
  const more = longest.size > maxNamedSessions ? [`${longest.size - maxNamedSessions} more`] : [];
  return `${longest.size} waiting: ${[...named, ...more].join(", ")}`;
}

/** Formats a duration as `12s`, `3m`, `2h`. */
function compactDuration(ms: number): string {
  return shortDuration(Math.max(1_000, ms)).replace("min", "m").replace(" ", "");
}

/**
 * Redraws at most `most` sessions every second. Cuts long lines, because a wrapped line would shift the lines below it.
 */
async function redraw(most: number, { formatSessions }: typeof SessionRows, context: CliContext): Promise<number> {
  const { terminal } = context;
  if (!terminal)
    throw new UsageError("--watch needs a terminal", "In a script, call `beckon sessions --json` repeatedly.");
  const signal = context.interruption();
  terminal.write(`${home}${clearBelow}`);
  while (!signal.aborted) {
    const nowMs = now(context);
    const plain = { ...context, colors: picocolors.createColors(false) }; // colours could not be cut by cells
    const shown = formatSessions(readSessions(context.paths, nowMs), most, nowMs, plain);
    const lines = shown.length > 0 ? shown : ["No session is waiting for you."];
    const cells = terminal.columns();
    const text = lines.map((line) => `${cutToCells(line, cells)}${clearLine}\n`).join("");
    terminal.write(`${home}${text}${clearBelow}`);
    await sleep(redrawMs, undefined, { signal }).catch(() => {}); // interrupted: the loop ends
  }
  return 0;
}
