import { daysOf, type Period } from "./period.ts";

/** Why a part is missing, or ends early. */
export interface Failure {
  /** The error of its request, in words. */
  readonly reason: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** How much of what was asked for a part of the report has. */
export interface Coverage {
  /** Whether nothing is missing: every day has its row, and every row could be read. */
  readonly isComplete: boolean;
  /** Days of the period without a row, oldest first. */
  readonly absentDays: readonly string[];
  /** The days that the service says it answered for, where these are not all that were asked for. */
  readonly answered?: Period;
  /** Number of rows that do not match the API; they are not counted anywhere. */
  readonly brokenRows: number;
  /** Number of rows for days outside the period; they are not counted anywhere. */
  readonly strayRows: number;
  /** Why a list has no end: the service said that there is more, but not where. */
  readonly brokenOff?: string;
  /** Why the part is missing altogether. */
  readonly failure?: Failure;
}

type Dated = { readonly date: string };
type Meta = { readonly start_date: string; readonly end_date: string };

/** Finds out, page by page, how much of a period a part's replies cover. */
export class CoverageTally {
  readonly #days: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  #answered: Period | undefined;
  #stray = 0;
  #broken = 0;
  #brokenOff: string | undefined;

  constructor(period: Period) {
    this.#days = new Set(daysOf(period));
  }

  /** Returns the rows of the period, and counts the others. */
  keep<Row extends Dated>(rows: readonly Row[]): Row[] {
    const kept = rows.filter(({ date }) => this.#days.has(date));
    for (const { date } of kept) this.#seen.add(date);
    this.#stray += rows.length - kept.length;
    return kept;
  }

  /** Notes which days a reply says it has. */
  answer({ start_date: startDate, end_date: endDate }: Meta): void {
    const { startDate: first = startDate, endDate: last = endDate } = this.#answered ?? {};
    this.#answered = { startDate: startDate < first ? startDate : first, endDate: endDate > last ? endDate : last };
  }

  /** Counts a row that could not be read. */
  drop(): void {
    this.#broken += 1;
  }

  /** Notes why a list has no end. */
  breakOff(reason: string): void {
    this.#brokenOff ??= reason;
  }

  /**
   * The coverage so far.
   * @param quietDays days that need no row, because nothing happened on them
   */
  result(quietDays: ReadonlySet<string> = new Set()): Coverage {
    const days = [...this.#days];
    const absentDays = days.filter((day) => !this.#seen.has(day) && !quietDays.has(day));
    const answered = this.#answered;
    const isClamped = answered && (answered.startDate > (days[0] ?? "") || answered.endDate < (days.at(-1) ?? ""));
    return coverageOf({
      absentDays,
      brokenRows: this.#broken,
      strayRows: this.#stray,
      ...(isClamped && { answered }),
      ...(this.#brokenOff !== undefined && { brokenOff: this.#brokenOff }),
    });
  }
}

/** The coverage of a part; what is not given is as it should be. */
export function coverageOf(known: Partial<Omit<Coverage, "isComplete">>): Coverage {
  const { absentDays = [], brokenRows = 0, strayRows = 0, ...rest } = known;
  const isComplete = absentDays.length === 0 && brokenRows === 0 && Object.keys(rest).length === 0;
  return { isComplete, absentDays, brokenRows, strayRows, ...rest };
}
