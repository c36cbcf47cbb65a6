import { setTimeout as sleep } from "node:timers/promises";
import picocolors from "picocolors";
import { othersIn, readSessions, waitingIn } from "../../attention/sessions.ts";
import { UsageError } from "../../core/errors.ts";
import { cutToCells, fitRows } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { paintWord } from "../paint-word.ts";
import { say } from "../say.ts";
import { activityJson, activityRow, statusLine, waitingJson, waitingRow } from "../session-rows.ts";

/** `beckon sessions`: who waits for the person, and what the other sessions do. */
export const registerSessions: RegisterCommand = (command, run) => {
  command
    .option("--watch", "keep showing them until Ctrl-C")
    .option("--json", "print one JSON object a line")
    .option("--line", "print one short line for a status bar; nothing where nobody waits")
    .option("--team", "show who waits for whom in your team, by the server that you share")
    .action((options: SessionsOptions) => run((context) => runSessions(options, context)));
};

interface SessionsOptions {
  readonly watch?: boolean;
  readonly json?: boolean;
  readonly line?: boolean;
  readonly team?: boolean;
}

const redrawMs = 1_000;
const home = "\u001b[H";
const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";

async function runSessions({ watch, json, line, team }: SessionsOptions, context: CliContext): Promise<number> {
  if ([watch, json, line].filter(Boolean).length > 1) {
    throw new UsageError("--watch, --json and --line do not go together", "Choose one of them.");
  }
  if (team && (watch || line)) {
    throw new UsageError("--team goes with --json alone", "`beckon board --team` keeps showing them.");
  }
  if (team) return (await import("../team/print-team.ts")).printTeam(json === true, context);
  const { paths, print } = context;
  const nowMs = now(context);
  if (watch) return redraw(context);
  const sessions = readSessions(paths, nowMs);
  if (json) {
    for (const one of waitingIn(sessions)) print(JSON.stringify(waitingJson(one, nowMs)));
    for (const alert of othersIn(sessions)) print(JSON.stringify(activityJson(alert)));
  } else if (line) {
    const text = statusLine(sessions, nowMs);
    if (text !== "") print(text);
  } else {
    const lines = linesOn(context);
    for (const one of lines) print(one);
    if (lines.length === 0) say("No session was heard of for a day.", context);
  }
  return 0;
}

function now(context: CliContext): number {
  return context.now?.() ?? Date.now();
}

/**
 * Shows them anew every second. A line is cut where it would take two: what follows would not be where it is expected.
 */
async function redraw(context: CliContext): Promise<number> {
  const { terminal } = context;
  if (!terminal) throw new UsageError("--watch needs a terminal", "Programs may ask again and again with --json.");
  const signal = context.interruption();
  terminal.write(`${home}${clearBelow}`);
  while (!signal.aborted) {
    const shown = linesOn({ ...context, colors: picocolors.createColors(false) }); // colours could not be cut by cells
    const lines = shown.length > 0 ? shown : ["Nobody waits for you."];
    const cells = terminal.columns();
    const text = lines.map((line) => `${cutToCells(line, cells)}${clearLine}\n`).join("");
    terminal.write(`${home}${text}${clearBelow}`);
    await sleep(redrawMs, undefined, { signal }).catch(() => {}); // interrupted: the loop ends
  }
  return 0;
}

/** What a person sees, in lines that fit the terminal; none without sessions. */
function linesOn(context: CliContext): string[] {
  const { paths, colors } = context;
  const nowMs = now(context);
  const sessions = readSessions(paths, nowMs);
  const section = (title: string, rows: readonly (readonly string[])[]): string[] => {
    if (rows.length === 0) return [];
    const lines = fitRows(rows, lineCells(context) - 2, (cell, at) => (at === 2 ? paintWord(cell, colors) : cell));
    return [colors.bold(title), ...lines.map((line) => `  ${line}`)];
  };
  const waiting = waitingIn(sessions).map((one) => waitingRow(one, nowMs));
  const others = othersIn(sessions).map((alert) => activityRow(alert, nowMs));
  return [...section("Waiting for you", waiting), ...section("Others", others)];
}
