import { cleanLine } from "../../core/clean.ts";
import { cut } from "../../core/cut.ts";
import type { JournalLine } from "../../pipeline/journal.ts";
import { cellsOf, joinCells } from "../columns.ts";
import type { CliContext } from "../context.ts";
import { localTime } from "../local-time.ts";

/** So much of an event's id is shown; `beckon retry` takes it. */
export const shownIdChars = 8;

const columns = ["time", "id", "status", "kind", "agent", "project", "event", "notifier", "what"] as const;
type Column = (typeof columns)[number];
/** Of the lines of one event only the first says what is the same in all of them. */
const saidOnce: readonly Column[] = ["id", "kind", "agent", "project", "event"];
const maxCells = 24;
const maxSummaryCells = 60;

/** Shows journal lines to people: aligned, the lines of one event together. */
export class JournalView {
  readonly #context: Pick<CliContext, "print" | "colors">;
  readonly #widths: number[] = [];
  #last: JournalLine | undefined;

  constructor(context: Pick<CliContext, "print" | "colors">) {
    this.#context = context;
  }

  /** Prints lines, in the order given; columns grow when a later line needs it and never shrink. */
  show(lines: readonly JournalLine[]): void {
    const rows = lines.map((line) => ({ line, cells: columns.map((column) => cellOf(line, column)) }));
    for (const { cells } of rows) {
      cells.forEach((cell, at) => {
        this.#widths[at] = Math.max(this.#widths[at] ?? 0, cellsOf(cell));
      });
    }
    for (const { line, cells } of rows) {
      this.#context.print(joinCells(this.#withoutRepeats(line, cells), this.#widths, this.#paint));
      this.#last = line;
    }
  }

  #withoutRepeats(line: JournalLine, cells: readonly string[]): string[] {
    const last = this.#last;
    if (last?.id !== line.id) return [...cells];
    return cells.map((cell, at) => {
      const column = columns[at];
      if (column === "time") return withoutSameDay(cell, localTime(last.at));
      return column && saidOnce.includes(column) && cell === cellOf(last, column) ? "" : cell;
    });
  }

  #paint = (cell: string, at: number): string => {
    const { colors } = this.#context;
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
    const column = columns[at];
    if (column === "time" || column === "id") return colors.dim(cell);
    return column === "status" || column === "kind" ? (paints[cell]?.(cell) ?? cell) : cell;
  };
}

/** The lines of an event together, the event about which something was written last at the end. */
export function groupByEvent(lines: readonly JournalLine[]): JournalLine[] {
  const groups = new Map<string, JournalLine[]>();
  for (const line of lines) {
    const group = groups.get(line.id) ?? [];
    groups.delete(line.id); // goes to the end of the map
    groups.set(line.id, [...group, line]);
  }
  return [...groups.values()].flat();
}

/** Texts in the journal are clean, but nobody vouches for a file that others may have written to. */
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
