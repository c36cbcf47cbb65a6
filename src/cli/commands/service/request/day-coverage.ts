import { CommandError } from "../../../../core/errors.ts";
import { daysOf, type Period, rangesOf } from "../../../../report/period.ts";
import { isDay } from "../../../../service/arguments.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { userMetrics } from "../../../../service/resources/analytics.ts";

type Reply = Readonly<Record<string, unknown>> & { readonly items: readonly object[] };

/** Most ranges of days that are named one by one. */
const maxRanges = 5;

/** Keeps which of the days asked for the service has answered for. */
export class DayCoverage {
  readonly #days: readonly string[];
  readonly #isRowADay: boolean;
  readonly #covered = new Set<string>();

  /** @param isGrouped whether the rows are by group and day, of which a quiet day has none */
  constructor({ name }: Pick<Endpoint, "name">, period: Period, isGrouped: boolean) {
    this.#days = daysOf(period);
    this.#isRowADay = name !== userMetrics.name && !isGrouped;
  }

  /** Counts the days of a page: those of its rows where there is a row a day, else those that `meta` says it covers. */
  add({ items, meta }: Reply): void {
    const { start_date: from, end_date: to } = (meta ?? {}) as Readonly<Record<string, unknown>>;
    const isSaid = typeof from === "string" && typeof to === "string" && isDay(from) && isDay(to);
    const dates = items.map((row) => String((row as { date?: unknown }).date));
    const rowDays = new Set(dates);
    for (const day of this.#days) {
      const isMeant = !isSaid || (day >= from && day <= to);
      if (isMeant && (!this.#isRowADay || rowDays.has(day))) this.#covered.add(day);
    }
  }

  /** The error for days that nothing was said of; undefined where there are none. */
  failure(): CommandError | undefined {
    const missing = this.#days.filter((day) => !this.#covered.has(day));
    if (missing.length === 0) return undefined;
    const ranges = rangesOf(missing).map(({ startDate, endDate }) =>
      startDate === endDate ? startDate : `${startDate} to ${endDate}`,
    );
    const more = ranges.length > maxRanges ? ` and ${ranges.length - maxRanges} more ranges` : "";
    const named = `${ranges.slice(0, maxRanges).join(", ")}${more}`;
    const count = `${missing.length} of ${this.#days.length} days are missing from the service's reply: ${named}`;
    return new CommandError(count, "What is shown is not the whole period; try again later, or ask for other days.");
  }
}
