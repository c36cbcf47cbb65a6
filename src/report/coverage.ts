import { listDays, type Period } from "./period.ts";

/** Reason that a part is missing or ends early. */
export interface Failure {
  /** Error of its request, in words. */
  readonly reason: string;
  /** Reason in plain words for a reader of the page, with the request's id; default: `reason`. */
  readonly plainReason?: string;
  /** Advice on what to do. */
  readonly hint?: string;
}

/** Coverage of a period by a part of the report. */
export interface Coverage {
  /** True if every day has its row, and every row could be read and came once. */
  readonly isComplete: boolean;
  /** Days of the period without a row, oldest first. */
  readonly absentDays: readonly string[];
  /** Days that the service answered for, if not all days requested. */
  readonly answered?: Period;
  /** Number of rows that do not match the API; they are ignored. */
  readonly brokenRows: number;
  /** Number of rows for days outside the period; they are ignored. */
  readonly strayRows: number;
  /** Number of rows that came again; each is counted once. */
  readonly repeatedRows: number;
  /** Number of rows that came again with other content; the last content counts. */
  readonly changedRows: number;
  /** Reason that a list is incomplete, if the service reported more without a usable cursor. */
  readonly brokenOff?: string;
  /** Reason that the whole part is missing. */
  readonly failure?: Failure;
}

type Repeats = Pick<Coverage, "repeatedRows" | "changedRows">;
type Dated = { readonly date: string };
type Meta = { readonly start_date: string; readonly end_date: string };

/** Tallies, page by page, how much of a period a part's replies cover. */
export class CoverageTally {
  readonly #days: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  #answered: Period | undefined;
  #stray = 0;
  #broken = 0;
  #brokenOff: string | undefined;

  constructor(period: Period) {
    this.#days = new Set(listDays(period));
  }

  /** Returns the period's rows, and counts the others. */
  keep<Row extends Dated>(rows: readonly Row[]): Row[] {
    const kept = rows.filter(({ date }) => this.#days.has(date));
    for (const { date } of kept) this.#seen.add(date);
    this.#stray += rows.length - kept.length;
    return kept;
  }

  /** Notes the days a reply covers. */
  answer({ start_date: startDate, end_date: endDate }: Meta): void {
    const { startDate: first = startDate, endDate: last = endDate } = this.#answered ?? {};
    this.#answered = { startDate: startDate < first ? startDate : first, endDate: endDate > last ? endDate : last };
  }

  /** Counts an unreadable row. */
  drop(): void {
    this.#broken += 1;
  }

  /** Notes the reason that a list is incomplete. */
  breakOff(reason: string): void {
    this.#brokenOff ??= reason;
  }

  /**
   * Computes the coverage so far.
   * @param repeats numbers of repeated rows
   * @param quietDays days without activity, which need no row
   */
  result(repeats: Repeats, quietDays: ReadonlySet<string> = new Set()): Coverage {
    const days = [...this.#days];
    const absentDays = days.filter((day) => !this.#seen.has(day) && !quietDays.has(day));
    const answered = this.#answered;
    const isClamped = answered && (answered.startDate > (days[0] ?? "") || answered.endDate < (days.at(-1) ?? ""));
    return buildCoverage({
      absentDays,
      brokenRows: this.#broken,
      strayRows: this.#stray,
      ...repeats,
      ...(isClamped && { answered }),
      ...(this.#brokenOff !== undefined && { brokenOff: this.#brokenOff }),
    });
  }
}

/** Completes a coverage; defaults mean that nothing is missing. */
export function buildCoverage(known: Partial<Omit<Coverage, "isComplete">>): Coverage {
  const { absentDays = [], brokenRows = 0, strayRows = 0, repeatedRows = 0, changedRows = 0, ...rest } = known;
  const isComplete =
    absentDays.length === 0 && brokenRows === 0 && repeatedRows === 0 && Object.keys(rest).length === 0;
  return { isComplete, absentDays, brokenRows, strayRows, repeatedRows, changedRows, ...rest };
}
