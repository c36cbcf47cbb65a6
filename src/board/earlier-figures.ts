import { isSampleSession } from "../attention/session-memory.ts";
import type { Paths } from "../files/paths.ts";
import type { JournalLine } from "../journal/journal-line.ts";
import { readBetween } from "../journal/read-journal.ts";
import { dayMs } from "../text/time.ts";
import { addDays, type Day, type Span, toSpan } from "./day.ts";
import { computeFigures, type Figures } from "./figures.ts";
import { buildStories } from "./story.ts";
import { buildWaits } from "./waits.ts";

/** Figures of past days by journal, start and end. They no longer change. */
const figuresCache = new Map<string, { readonly figures: Figures; readonly isEmpty: boolean }>();
const maxCachedFigures = 400;

/** Computes the figures of a past span, or returns those computed before. */
export function readCachedFigures(journal: string, span: Span) {
  const key = `${journal}\n${span.startMs}\n${span.endMs}`;
  const found = figuresCache.get(key) ?? readFigures(journal, span);
  if (figuresCache.size >= maxCachedFigures) figuresCache.clear();
  figuresCache.set(key, found);
  return found;
}

/** Computes the figures of a span. Journal lines after the span only matter if they resolve a wait. */
function readFigures(journal: string, span: Span): { readonly figures: Figures; readonly isEmpty: boolean } {
  const lines = readDays(journal, span.startMs, span.endMs);
  const isEnd = (text: string): boolean => text.includes('"resolved"');
  const later: JournalLine[] = readDays(journal, span.endMs, span.endMs + dayMs, isEnd);
  const figures = computeFigures(buildStories(lines), buildWaits([...lines, ...later], [], 0), span);
  return { figures, isEmpty: lines.length === 0 };
}

/** Reads journal lines, like `readBetween`, but without sample events. */
export function readDays(...range: Parameters<typeof readBetween>): JournalLine[] {
  return readBetween(...range).filter(({ sessionId }) => !isSampleSession(sessionId));
}

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
