import type { Today, Usual } from "../../../docs/output.d.ts";
import { distinguish, divideWaiting } from "../../attention/sessions.ts";
import { type DayReport, readDay, readNow } from "../../board/board.ts";
import { addDays, type Day, hourStep, hoursIn, type Span, toDay } from "../../board/day.ts";
import { type Figures, figureTexts, type Reach, type Share } from "../../board/figures.ts";
import { longDayText, spentText } from "../../board/format.ts";
import { activeHours, type CellState, type Lane, laneCells } from "../../board/timeline.ts";
import { loadConfig } from "../../config/load.ts";
import { UsageError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { cleanLine } from "../../text/clean.ts";
import { cut } from "../../text/cut.ts";
import { isDay } from "../../text/time.ts";
import { countCells } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { addExamples } from "../options.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { formatRows, say } from "../say.ts";
import { sessionSection, waitingJson, waitingRow } from "../session-rows.ts";

/** Declares `beckon today`: shows a day's statistics in the terminal. */
export const registerToday: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon today": "show today so far",
    "beckon today yesterday": "show yesterday",
    "beckon today --day 2026-11-21": "show an earlier day",
  });
  command
    .argument("[day]", "`yesterday`, or a day such as 2026-11-21; default: today")
    .option("--day <day>", "day to show, as an option instead of an argument")
    .option("--json", "print one JSON object")
    .action((day: string | undefined, options: TodayOptions) =>
      run((context) => runToday({ ...options, ...omitUndefined({ day: day ?? options.day }) }, context)),
    );
};

interface TodayOptions extends JsonOption {
  readonly day?: string;
}

async function runToday({ day, json }: TodayOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now();
  const asked = parseDay(day ?? "today", nowMs);
  const now = readNow(paths, nowMs);
  const { notifiers } = await loadConfig(paths.config);
  const report = readDay(asked, paths, now, [...notifiers.keys()]);
  const waiting = report.isToday ? now.waiting : [];
  if (json) {
    const output = { ...reportJson(report), waiting: waiting.map((item) => waitingJson(item, nowMs)) };
    print(jsonLine(output satisfies Today));
    return 0;
  }
  print(context.colors.bold(longDayText(report.day)));
  const isEmpty = report.stories.length === 0 && report.lanes.length === 0 && waiting.length === 0;
  if (isEmpty) say(report.isToday ? "No events yet today." : "No events on that day.", context);
  const tellApart = distinguish(waiting.map(({ alert }) => alert));
  const sections = isEmpty
    ? []
    : [
        ...Object.values(divideWaiting(waiting)).map(({ title, items }) => {
          const rows = items.map((item) => waitingRow(item, nowMs, tellApart(item.alert)));
          return sessionSection(title, rows, context);
        }),
        figureLines(report, context),
        laneLines(report, context),
        reachLines(report, context),
      ];
  for (const lines of sections.filter((item) => item.length > 0)) for (const line of ["", ...lines]) print(line);
  return 0;
}

/** Parses `today`, `yesterday` or a day. @throws {UsageError} for anything else, and for a day in the future */
function parseDay(text: string, nowMs: number): Day {
  const today = toDay(nowMs);
  const day = { today, yesterday: addDays(today, -1) }[text] ?? text;
  if (isDay(day) && day <= today) return day;
  throw new UsageError(
    `${JSON.stringify(text)} is not a day up to today`,
    "Use `yesterday` or a day such as 2026-11-21.",
  );
}

const indent = "  ";

function figureLines(report: DayReport, context: CliContext): string[] {
  const { colors } = context;
  const rows = figureTexts(report).map(({ title, text, usual }) => [title, text, usual]);
  return formatRows(rows, context, (cell, at) => [colors.dim, colors.bold, colors.dim][at]?.(cell) ?? cell);
}

type Sign = readonly [sign: string, color?: "yellow" | "red" | "green" | "blue" | "dim"];

/** Signs of the states in a timeline, and their colours. */
const signs: Readonly<Record<CellState, Sign>> = {
  waited: ["█", "yellow"],
  failed: ["✗", "red"],
  done: ["●", "green"],
  working: ["━", "blue"],
  silenced: ["░", "dim"],
  idle: ["·", "dim"],
  later: [" "],
};
const legend = "█ waiting   ━ working   ● finished   ✗ failed   ░ held";
const maxNameChars = 24;
/** Possible widths of a project's timeline, in terminal cells. If none fits, timelines are left out. */
const laneWidths = [96, 48, 24];

/** Draws a timeline of the day for each project, with the project's waiting time. */
function laneLines({ lanes, span: day, nowMs }: DayReport, context: CliContext): string[] {
  if (lanes.length === 0) return [];
  const { colors } = context;
  const span = activeHours(lanes, day, nowMs);
  const names = lanes.map(({ project }) => cut(cleanLine(project), maxNameChars, "graphemes"));
  const notes = lanes.map(({ waitedMs }) => (waitedMs === 0 ? "" : spentText(waitedMs)));
  const nameCells = Math.max(...names.map(countCells));
  const room = Math.min(lineCells(context), 140) - indent.length - nameCells - Math.max(...notes.map(countCells)) - 4;
  const width = laneWidths.find((cells) => cells <= room) ?? 0;
  const formatLane = (lane: Lane, at: number): string => {
    const name = names[at] ?? "";
    const drawn = laneCells(lane, span, width, nowMs).map((state) => {
      const [sign, color] = signs[state];
      return color === undefined ? sign : colors[color](sign);
    });
    const cells = [name + " ".repeat(nameCells - countCells(name)), drawn.join(""), notes[at] ?? ""];
    return (indent + cells.join("  ")).trimEnd();
  };
  if (width === 0)
    return formatRows(
      lanes.map((_, at) => [names[at] ?? "", notes[at] ?? ""]),
      context,
    );
  const axis = `${indent}${" ".repeat(nameCells + 2)}${formatAxis(span, width)}`;
  const key = countCells(legend) + indent.length > lineCells(context) ? [] : ["", colors.dim(indent + legend)];
  return [colors.dim(axis), ...lanes.map(formatLane), ...key];
}

/** Minimum distance between two hours on the axis, in cells. */
const minHourCells = 4;

/** Formats the hours above the timelines: `09    12    15    18`. */
function formatAxis(span: Span, width: number): string {
  let text = "";
  for (const { atMs, hour } of hoursIn(span, hourStep(span, width / minHourCells))) {
    const at = Math.round(((atMs - span.startMs) / (span.endMs - span.startMs)) * width);
    text = text.padEnd(at) + String(hour).padStart(2, "0");
  }
  return text;
}

/** Lists the notifiers that sent or held events, failed to deliver one, or have an error. */
function reachLines({ reach }: DayReport, context: CliContext): string[] {
  const { colors } = context;
  const used = reach.filter(({ sent, held, failed, error }) => sent + held + failed > 0 || error !== undefined);
  if (used.length === 0) return [];
  const rows = used.map((item) => [cleanLine(item.notifier), `${item.sent} sent`, ...troubleCells(item)]);
  const lines = formatRows(rows, context, (cell, at) => (at === 3 ? colors.red(cell) : cell));
  return [colors.bold("Deliveries"), ...lines];
}

function troubleCells({ held, failed, error }: Reach): string[] {
  const failures = failed === 0 ? "" : `${failed} failed`;
  const reason = error === undefined || error.isResolved ? "" : cleanLine(error.reason);
  return [held === 0 ? "" : `${held} held a while`, [failures, reason].filter(Boolean).join(", ")];
}

/** Output of `beckon today --json`: durations in milliseconds, instants ISO 8601. */
function reportJson({ day, figures, usual, projects, agents, reach }: DayReport): Omit<Today, "waiting"> {
  const { days, ...before } = usual;
  return {
    day,
    ...figuresJson(figures),
    ...(days > 0 && { usual: { days, ...figuresJson(before) } }),
    projects: projects.map(shareJson),
    agents: agents.map(shareJson),
    notifiers: reach.map(reachJson),
  };
}

function figuresJson({ waitedMs, reactionMs, calls, held, finished, failed }: Figures): Omit<Usual, "days"> {
  return {
    waitedMs: Math.round(waitedMs),
    ...omitUndefined({ reactionMs: reactionMs && Math.round(reactionMs) }),
    ...{ calls, held, finished, failed },
  };
}

function shareJson({ name, sessions, tokens, credits, ...figures }: Share) {
  return { name, sessions, ...figuresJson(figures), ...omitUndefined({ tokens, credits }) };
}

function reachJson({ notifier, sent, held, failed, error }: Reach) {
  const said = error && { at: new Date(error.atMs).toISOString(), reason: error.reason, isResolved: error.isResolved };
  return { notifier, sent, held, failed, ...omitUndefined({ error: said }) };
}
