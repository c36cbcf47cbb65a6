import type { Ask } from "../answers/ask-files.ts";
import type { Alert } from "../attention/alert.ts";
import { journalKey } from "../attention/session-keys.ts";
import { isSampleSession } from "../attention/session-memory.ts";
import { listIdleSessions, listWaiting, readSessions, type TeamSession, type Waiting } from "../attention/sessions.ts";
import { readSilences, type Silence, silencesFile } from "../attention/silences.ts";
import { type KnownLimit, readNewestWindows, usageLimitsFile } from "../attention/usage-limits.ts";
import type { Paths } from "../files/paths.ts";
import type { JournalLine } from "../journal/journal-line.ts";
import { readBetween } from "../journal/read-journal.ts";
import { readActivity } from "../lookups/session-state.ts";
import { dayMs } from "../text/time.ts";
import { addDays, type Day, type Span, sameTimeOn, toDay, toSpan } from "./day.ts";
import {
  computeFigures,
  computeReach,
  computeShares,
  type Figures,
  median,
  type Reach,
  type Share,
} from "./figures.ts";
import { buildStories, isShown, readIdentity, type Story } from "./story.ts";
import { buildLanes, type Lane, type Working } from "./timeline.ts";
import { buildWaits } from "./waits.ts";

/** Sessions that are waiting now. */
export interface Now {
  readonly nowMs: number;
  /** Waiting sessions by urgency. Within the same urgency, the oldest comes first. */
  readonly waiting: readonly Waiting[];
  readonly others: readonly Alert[];
  readonly silences: readonly Silence[];
  /** Latest figures of the agents' usage limits. */
  readonly limits: readonly KnownLimit[];
  /** Permission requests that the user may answer on the board, if answers are configured. */
  readonly asks?: readonly Ask[] | undefined;
  /** Waiting sessions of other team members, if requested. */
  readonly team?: TeamView | undefined;
}

/** Waiting sessions of other team members. */
export interface TeamView {
  /** Sessions by urgency. Within the same urgency, the oldest comes first. */
  readonly sessions: readonly TeamSession[];
  /** Messages that explain why sessions may be missing. */
  readonly problems: readonly string[];
}

/** Statistics of one day. */
export interface DayReport {
  readonly day: Day;
  readonly isToday: boolean;
  /** Span of the day, from midnight to midnight. */
  readonly span: Span;
  readonly nowMs: number;
  readonly figures: Figures;
  readonly usual: Usual;
  readonly lanes: readonly Lane[];
  readonly projects: readonly Share[];
  readonly agents: readonly Share[];
  readonly reach: readonly Reach[];
  /** Events of the day, newest first. The user's own prompts are left out. */
  readonly stories: readonly Story[];
  /** Number of the day's events that are dated in the future, because the clock was changed. They are left out. */
  readonly futureEvents: number;
  /** Figures of the fourteen days up to this one, oldest first; absent unless requested. */
  readonly trend?: readonly TrendDay[];
}

/** Medians for the same weekday in the four weeks before; for today, up to the current time of day. */
export interface Usual extends Figures {
  /** Number of these days in the journal. If it is 0, the figures have no meaning. */
  readonly days: number;
}

/** Number of earlier weeks with which a day is compared. */
const comparedWeeks = 4;
/** Step to which the current time of day is rounded down for comparisons, milliseconds: ten minutes. */
const comparisonStepMs = 600_000;

/**
 * Reads the waiting sessions from the alerts.
 * @param team waiting sessions of other team members
 */
export function readNow(paths: Pick<Paths, "state">, nowMs: number, team?: TeamView): Now {
  const sessions = readSessions(paths, nowMs);
  const silences = readSilences(silencesFile(paths), nowMs);
  const limits = readNewestWindows(usageLimitsFile(paths));
  return { nowMs, waiting: listWaiting(sessions), others: listIdleSessions(sessions), silences, limits, team };
}

/**
 * Computes a day's statistics from the journal. A wait counts on every day it touches, an event on the day it arrived.
 * Waits and turns that have not ended count up to now.
 * @param configured names of the configured notifiers; they are listed even if unused
 */
export function readDay(day: Day, paths: Pick<Paths, "journal">, now: Now, configured: readonly string[]): DayReport {
  const { nowMs } = now;
  const span = toSpan(day);
  // A wait or turn may begin on the day before or end on the day after.
  const found = readDays(paths.journal, span.startMs - dayMs, span.endMs + dayMs);
  const latest = new Date(nowMs + maxClockSkewMs).toISOString();
  const lines = found.filter(({ at }) => at <= latest);
  const stories = buildStories(lines);
  const isToday = day === toDay(nowMs);
  const waits = buildWaits(lines, now.waiting, nowMs);
  const working = isToday ? findWorking(now.others) : [];
  const { startMs, endMs } = span;
  const isFuture = ({ at }: JournalLine): boolean => at > latest && Date.parse(at) < endMs;
  return {
    ...{ day, isToday, span, nowMs },
    figures: computeFigures(stories, waits, span),
    usual: computeUsual(day, paths, isToday ? Math.floor(nowMs / comparisonStepMs) * comparisonStepMs : undefined),
    lanes: buildLanes({ stories, waits, working, nowMs }, span),
    projects: computeShares("project", stories, waits, span),
    agents: computeShares("agent", stories, waits, span),
    reach: computeReach(lines, configured, span),
    futureEvents: new Set(found.filter(isFuture).map(({ id }) => id)).size,
    stories: stories.filter((item) => isShown(item) && item.atMs >= startMs && item.atMs < endMs).reverse(),
  };
}

/** Maximum time, in milliseconds, by which a journal line may be ahead of now. Later lines count as future events. */
const maxClockSkewMs = 60_000;

/** Number of days in a trend, with the shown day as the last one. */
const trendDays = 14;

/** Adds the figures of the fourteen days up to a report's day, oldest first. */
export function withTrend(report: DayReport, { journal }: Pick<Paths, "journal">): DayReport {
  const { day, figures } = report;
  const earlier = Array.from({ length: trendDays - 1 }, (_, index) => addDays(day, index + 1 - trendDays));
  const read = (past: Day) => ({ day: past, figures: readCachedFigures(journal, toSpan(past)).figures });
  return { ...report, trend: [...earlier.map(read), { day, figures }] };
}

function findWorking(others: readonly Alert[]): Working[] {
  return others.flatMap((alert) => {
    const { state, sinceMs } = readActivity(alert);
    return state === "working" ? [{ session: journalKey(readIdentity(alert)), sinceMs }] : [];
  });
}

function computeUsual(day: Day, { journal }: Pick<Paths, "journal">, untilMs: number | undefined): Usual {
  const days = Array.from({ length: comparedWeeks }, (_, week) => {
    const comparedDay = addDays(day, -7 * (week + 1));
    const fullSpan = toSpan(comparedDay);
    const span =
      untilMs === undefined
        ? fullSpan
        : { ...fullSpan, endMs: Math.min(fullSpan.endMs, sameTimeOn(comparedDay, untilMs)) };
    return readCachedFigures(journal, span);
  });
  const filled = days.filter(({ isEmpty }) => !isEmpty).map(({ figures }) => figures);
  const computeMedian = (key: keyof Figures): number => median(filled.flatMap((item) => item[key] ?? [])) ?? 0;
  return {
    days: filled.length,
    waitedMs: computeMedian("waitedMs"),
    reactionMs: median(filled.flatMap((item) => item.reactionMs ?? [])),
    calls: computeMedian("calls"),
    held: computeMedian("held"),
    finished: computeMedian("finished"),
    failed: computeMedian("failed"),
  };
}

/** Figures of past days by journal, start and end. They no longer change. */
const figuresCache = new Map<string, { readonly figures: Figures; readonly isEmpty: boolean }>();
const maxCachedFigures = 400;

/** Computes the figures of a past span, or returns those computed before. */
function readCachedFigures(journal: string, span: Span) {
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
function readDays(...range: Parameters<typeof readBetween>): JournalLine[] {
  return readBetween(...range).filter(({ sessionId }) => !isSampleSession(sessionId));
}

/** Figures of one day in a trend. */
export type TrendDay = Pick<DayReport, "day" | "figures">;
