import { cleanLine } from "../../core/clean.ts";
import { cut } from "../../core/cut.ts";
import type { JournalLine } from "../../pipeline/journal.ts";
import { joinCells, widen } from "../columns.ts";
import type { CliContext } from "../context.ts";
import { localTime } from "../local-time.ts";

/** Number of characters shown of an event's id; `beckon retry` accepts that many. */
export const shownIdChars = 8;

const columns = ["time", "id", "status", "kind", "agent", "project", "event", "notifier", "what"] as const;
type Column = (typeof columns)[number];
/** Columns left empty in a row about the same event as the row above, where they would say the same. */
const shownOnce: readonly Column[] = ["id", "kind", "agent", "project", "event"];
const maxCells = 24;
const maxSummaryCells = 60;

/**
 * Prints journal lines as a table for people. Lines of one event stand together, the event with the newest line last;
 * over several calls, columns grow where a later line needs it and never shrink.
 */
export function journalView({ print, colors }: Pick<CliContext, "print" | "colors">) {
  const widths: number[] = [];
  let last: JournalLine | undefined;
  return (lines: readonly JournalLine[]): void => {
    const rows = groupByEvent(lines).map((line) => ({ line, cells: columns.map((column) => cellOf(line, column)) }));
    for (const { cells } of rows) widen(widths, cells);
    for (const { line, cells } of rows) {
      const row = last?.id === line.id ? withoutRepeats(cells, last) : cells;
      print(joinCells(row, widths, (cell, at) => paint(cell, columns[at], colors)));
      last = line;
    }
  };
}

/** The cells of a row about the same event as the one above. */
function withoutRepeats(cells: readonly string[], above: JournalLine): string[] {
  return cells.map((cell, at) => {
    const column = columns[at];
    if (column === "time") return withoutSameDay(cell, localTime(above.at));
    return column && shownOnce.includes(column) && cell === cellOf(above, column) ? "" : cell;
  });
}

function paint(cell: string, column: Column | undefined, colors: CliContext["colors"]): string {
  const paints: Readonly<Record<string, (text: string) => string>> = {
    sent: colors.green,
    failed: colors.red,
    expired: colors.red,
    rejected: colors.red,
    retrying: colors.yellow,
    skipped: colors.dim,
    "needs-you": colors.magenta,
    finished: colors.green,
  };
  if (column === "time" || column === "id") return colors.dim(cell);
  return column === "status" || column === "kind" ? (paints[cell]?.(cell) ?? cell) : cell;
}

function groupByEvent(lines: readonly JournalLine[]): JournalLine[] {
  const groups = new Map<string, JournalLine[]>();
  for (const line of lines) {
    const group = groups.get(line.id) ?? [];
    groups.delete(line.id); // goes to the end of the map
    groups.set(line.id, [...group, line]);
  }
  return [...groups.values()].flat();
}

/** Texts are cleaned before they are written to the journal, and here again: other programs may have written to it. */
function cellOf(line: JournalLine, column: Column): string {
  if (column === "time") return cleanLine(localTime(line.at));
  if (column === "id") return cleanLine(line.id).slice(0, shownIdChars);
  if (column === "what") return cleanLine(whatOf(line));
  return cut(cleanLine(line[column] ?? ""), maxCells, "graphemes");
}

function whatOf({ reason, summary, attempt = 1, tookMs, status }: JournalLine): string {
  const said = summary === undefined ? "" : `"${cut(summary, maxSummaryCells, "graphemes")}"`;
  const attempts = attempt > 1 ? `attempt ${attempt}` : "";
  const took = status === "sent" && tookMs !== undefined ? `${tookMs} ms` : "";
  return [attempts, took, said, reason].filter(Boolean).join(", ");
}

function withoutSameDay(time: string, before: string): string {
  const dayChars = "2026-11-21 ".length;
  return time.slice(0, dayChars) === before.slice(0, dayChars) ? time.slice(dayChars).padStart(time.length) : time;
}
