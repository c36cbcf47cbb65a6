import { isSampleSession } from "../core/vocabulary.ts";
import type { JournalLine } from "../journal/journal-line.ts";
import { readBetween } from "../journal/read-journal.ts";
import { dayMs } from "../text/time.ts";
import type { Span } from "./day.ts";
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
