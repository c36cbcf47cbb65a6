import type { Paths } from "../files/paths.ts";
import { addDays, type Day, toSpan } from "./day.ts";
import { readCachedFigures } from "./earlier-figures.ts";
import type { Figures } from "./figures.ts";

/** Figures of one day in a trend. */
export interface TrendDay {
  readonly day: Day;
  readonly figures: Figures;
}

/** Number of days in a trend, with the shown day as the last one. */
const trendDays = 14;

/** Reads the figures of the 13 days before a day, and appends the given figures of the day itself. Oldest first. */
export function readTrend({ day, figures }: TrendDay, { journal }: Pick<Paths, "journal">): TrendDay[] {
  const earlier = Array.from({ length: trendDays - 1 }, (_, index) => addDays(day, index + 1 - trendDays));
  return [
    ...earlier.map((past) => ({ day: past, figures: readCachedFigures(journal, toSpan(past)).figures })),
    { day, figures },
  ];
}
