import { at } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { AnalyticsMeta } from "../service/schemas/analytics.ts";
import type { Period } from "./period.ts";

/** Reason that a part of the report is missing or incomplete. */
export interface Failure {
  /** Error of the part's request, in words. */
  readonly reason: string;
  /** Reason in plain words, with the request's id, for readers of the page; default: `reason`. */
  readonly plainReason?: string;
  /** Advice on what to do. */
  readonly hint?: string;
}

/** Days of a period for which a part of the report has data, and a description of what is missing. */
export interface Coverage {
  /** True if no data is missing and no row came twice. Rows for days outside the period do not matter. */
  readonly isComplete: boolean;
  /** Days of the period without data, oldest first. A day without activity needs no row. */
  readonly absentDays: readonly string[];
  /** Days that the reply covers, if these are not all the requested days. */
  readonly answered?: Period;
  /** Number of ignored rows that do not match the API. */
  readonly brokenRows: number;
  /** Days among the absent ones that came, but in rows that do not match the API. */
  readonly unreadableDays?: readonly string[];
  /** Number of ignored rows for days outside the period. */
  readonly strayRows: number;
  /** Number of repeated rows that were ignored, so that each row counts once. */
  readonly repeatedRows: number;
  /** Number of rows that came more than once with different content; the last content counts. */
  readonly changedRows: number;
  /** Reason that a list is incomplete: the service reported more items but sent no usable cursor. */
  readonly brokenOff?: string;
  /** Number of active users who may be any of the idle ones, because they share neither id nor address with a seat. */
  readonly unmatched?: number;
  /** Reason that the whole part is missing. */
  readonly failure?: Failure;
}

/** Collects, page by page, which days the replies for a part cover. */
export class CoverageTally {
  readonly #days: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  readonly #unreadable = new Set<string>();
  #answered: Period | undefined;
  #brokenOff: string | undefined;
  readonly #counts = { brokenRows: 0, strayRows: 0, repeatedRows: 0, changedRows: 0 };

  /** @param days requested days; none for a list that has no days */
  constructor(days: readonly string[]) {
    this.#days = new Set(days);
  }

  /**
   * Returns the rows of the requested days, and counts the others.
   * @param span the requested part of the period
   */
  keep<Row extends { readonly date: string }>(rows: readonly Row[], { startDate, endDate }: Period): Row[] {
    const kept = rows.filter(({ date }) => this.#days.has(date) && date >= startDate && date <= endDate);
    for (const { date } of kept) this.#seen.add(date);
    this.#counts.strayRows += rows.length - kept.length;
    return kept;
  }

  /** Notes which days a reply covers. */
  answer({ start_date: startDate, end_date: endDate }: AnalyticsMeta): void {
    const { startDate: first = startDate, endDate: last = endDate } = this.#answered ?? {};
    this.#answered = { startDate: startDate < first ? startDate : first, endDate: endDate > last ? endDate : last };
  }

  /** Counts an unreadable row. */
  drop(row: unknown): void {
    this.#counts.brokenRows += 1;
    this.#unreadable.add(String(at(row, "date")));
  }

  /** Counts repeated rows. */
  repeat({ repeatedRows, changedRows }: Pick<Coverage, "repeatedRows" | "changedRows">): void {
    this.#counts.repeatedRows += repeatedRows;
    this.#counts.changedRows += changedRows;
  }

  /** Notes the reason that a list is incomplete. */
  breakOff(reason: string): void {
    this.#brokenOff ??= reason;
  }

  /**
   * Computes the coverage so far.
   * @param quietDays days without activity, which need no row
   */
  result(quietDays: ReadonlySet<string> = new Set()): Coverage {
    const days = [...this.#days];
    const absentDays = days.filter((day) => !this.#seen.has(day) && !quietDays.has(day));
    const unreadableDays = absentDays.filter((day) => this.#unreadable.has(day));
    const answered = this.#answered;
    const isClamped = answered && (answered.startDate > (days[0] ?? "") || answered.endDate < (days.at(-1) ?? ""));
    const texts = omitUndefined({ answered: isClamped ? answered : undefined, brokenOff: this.#brokenOff });
    return buildCoverage({
      ...{ absentDays, ...this.#counts, ...texts },
      ...(unreadableDays.length > 0 && { unreadableDays }),
    });
  }
}

/** Result of the requests for a part. */
export interface Fetched<Content> {
  /** Absent if the requests failed. */
  readonly content?: Content;
  readonly coverage: Coverage;
  readonly organization?: string;
}

/** Completes a coverage. Fields that are not given mean that nothing is missing. */
export function buildCoverage(known: Partial<Omit<Coverage, "isComplete">>): Coverage {
  const { absentDays = [], brokenRows = 0, strayRows = 0, repeatedRows = 0, changedRows = 0, ...rest } = known;
  const isComplete =
    absentDays.length === 0 && brokenRows === 0 && repeatedRows === 0 && Object.keys(rest).length === 0;
  return { isComplete, absentDays, brokenRows, strayRows, repeatedRows, changedRows, ...rest };
}
