import { CommandError } from "../../../../core/errors.ts";
import { at } from "../../../../core/json-value.ts";
import { groupRanges, listDays, type Period } from "../../../../report/period.ts";
import { isDay } from "../../../../service/arguments.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { userMetrics } from "../../../../service/resources/analytics.ts";

type Reply = Readonly<Record<string, unknown>> & { readonly items: readonly object[] };

/** Maximum number of ranges of missing days to name. */
const maxRanges = 5;

/** Record of the requested days for which the service has answered. */
export class DayCoverage {
  readonly #days: readonly string[];
  readonly #isRowADay: boolean;
  readonly #covered = new Set<string>();

  /**
   * Creates the record of a request.
   * @param isGrouped true for rows by group and day; a day without activity has no such row
   */
  constructor({ name }: Pick<Endpoint, "name">, period: Period, isGrouped: boolean) {
    this.#days = listDays(period);
    this.#isRowADay = name !== userMetrics.name && !isGrouped;
  }

  /**
   * Adds the days that a page covers: those within the range in `meta`; if each day has a row, only the days with rows.
   */
  add({ items, meta }: Reply): void {
    const { start_date: from, end_date: to } = (meta ?? {}) as Readonly<Record<string, unknown>>;
    const hasRange = typeof from === "string" && typeof to === "string" && isDay(from) && isDay(to);
    const dates = items.map((row) => String((row as { date?: unknown }).date));
    const rowDays = new Set(dates);
    for (const day of this.#days) {
      const isInRange = !hasRange || (day >= from && day <= to);
      if (isInRange && (!this.#isRowADay || rowDays.has(day))) this.#covered.add(day);
    }
  }

  /** Adds the day of an unreadable row, which is not missing. */
  addUnreadable(row: unknown): void {
    this.#covered.add(String(at(row, "date")));
  }

  /** Creates an error that names the missing days; undefined if no day is missing. */
  failure(): CommandError | undefined {
    const missing = this.#days.filter((day) => !this.#covered.has(day));
    if (missing.length === 0) return undefined;
    const ranges = groupRanges(missing).map(({ startDate, endDate }) =>
      startDate === endDate ? startDate : `${startDate} to ${endDate}`,
    );
    const more = ranges.length > maxRanges ? ` and ${ranges.length - maxRanges} more ranges` : "";
    const named = `${ranges.slice(0, maxRanges).join(", ")}${more}`;
    const count = `${missing.length} of ${this.#days.length} days are missing from the service's reply: ${named}`;
    return new CommandError(count, "The output is incomplete. Try again later, or choose other days.");
  }
}
