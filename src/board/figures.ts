import { groupBy } from "../core/group-by.ts";
import { type JournalLine, lostLines, lostStatuses } from "../journal/journal-line.ts";
import { isUnsupported } from "../journal/journal-text.ts";
import type { DayReport } from "./board.ts";
import { clip, type Span, unionMs } from "./day.ts";
import { spentText, weekdaysText, wholeNumberText } from "./format.ts";
import { isEnd, listHolds, type Story } from "./story.ts";
import { isReaction, type Wait } from "./waits.ts";

/** Figures for a span of time. */
export interface Figures {
  /** Time in which a request waited, milliseconds. Overlapping requests count once. */
  readonly waitedMs: number;
  /** Median time until the user reacted to a request, milliseconds; undefined if the user never reacted. */
  readonly reactionMs: number | undefined;
  /** Number of events with at least one message sent. */
  readonly calls: number;
  /** Number of events with a message held back by quiet hours, a snooze or the user's presence. */
  readonly held: number;
  readonly finished: number;
  readonly failed: number;
}

/** Computes the figures for a span. Events and waits may lie partly or fully outside the span. */
export function computeFigures(stories: readonly Story[], waits: readonly Wait[], span: Span): Figures {
  const isIn = (atMs: number): boolean => atMs >= span.startMs && atMs < span.endMs;
  const requests = waits.filter(({ kind }) => kind === "needs-you");
  const reactions = requests
    .filter((item) => isReaction(item) && isIn(item.endMs))
    .map((item) => item.endMs - item.startMs);
  const countStories = (select: (lines: Story["lines"]) => Story["lines"]): number =>
    stories.filter(({ lines }) => select(lines).some(({ at }) => isIn(Date.parse(at)))).length;
  const countEnds = (outcome: "finished" | "failed"): number =>
    stories.filter((item) => isEnd(item, outcome) && isIn(item.atMs)).length;
  return {
    waitedMs: unionMs(requests.flatMap((item) => clip(item, span))),
    reactionMs: median(reactions),
    calls: countStories((lines) => lines.filter(({ status }) => status === "sent")),
    held: countStories(listHolds),
    finished: countEnds("finished"),
    failed: countEnds("failed"),
  };
}

/** Computes the median; undefined without values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** Figures that are shown: the title, the value, and its format. */
const shown = {
  waited: { title: "Waiting time", key: "waitedMs", format: spentText },
  reaction: { title: "Median response time", key: "reactionMs", format: spentText },
  calls: { title: "Notifications", key: "calls", format: wholeNumberText },
  finished: { title: "Finished", key: "finished", format: wholeNumberText },
  failed: { title: "Failed", key: "failed", format: wholeNumberText },
} as const;
export type FigureId = keyof typeof shown;

/** Text for an unknown figure. */
const unknown = "–";

/** Returns a figure's value; undefined if it is unknown. */
export function figureValue(id: FigureId, figures: Figures): number | undefined {
  return figures[shown[id].key];
}

/** Formats a figure. */
export function figureText(id: FigureId, figures: Figures): string {
  const value = figureValue(id, figures);
  const text = value === undefined ? unknown : shown[id].format(value);
  return id === "calls" && figures.held > 0 ? `${text} · ${wholeNumberText(figures.held)} held a while` : text;
}

/**
 * Formats the five figures of a day, each with the median for the same weekday in the four weeks before, `usual`, which
 * is empty if the journal has no such day.
 */
export function figureTexts({ day, isToday, figures, usual }: DayReport) {
  const when = isToday ? `on ${weekdaysText(day)} by now` : `on ${weekdaysText(day)}`;
  return (Object.keys(shown) as FigureId[]).map((id) => {
    const isKnown = usual.days > 0 && figureValue(id, usual) !== undefined;
    const text = figureText(id, figures);
    return { id, title: shown[id].title, text, usual: isKnown ? `usually ${figureText(id, usual)} ${when}` : "" };
  });
}

/** Figures for one project or one agent. */
export interface Share extends Figures {
  readonly name: string;
  /** Number of sessions with events. */
  readonly sessions: number;
  /** Number of tokens that the sessions used, without cache reads; undefined if unknown. */
  readonly tokens: number | undefined;
  readonly credits: number | undefined;
}

/** Computes the figures for each project or agent with data in a span. The longest waiting time comes first. */
export function computeShares(
  by: "project" | "agent",
  stories: readonly Story[],
  waits: readonly Wait[],
  span: Span,
): Share[] {
  const isIn = ({ atMs }: Story): boolean => atMs >= span.startMs && atMs < span.endMs;
  const waited = waits.filter(({ startMs, endMs }) => startMs < span.endMs && endMs >= span.startMs);
  const names = new Set([...stories.filter(isIn), ...waited].map((item) => item[by]));
  const shares = [...names].map((name): Share => {
    const ownStories = stories.filter((item) => item[by] === name);
    const ownWaits = waits.filter((item) => item[by] === name);
    return {
      name,
      sessions: new Set(ownStories.filter(isIn).map(({ session }) => session)).size,
      ...computeFigures(ownStories, ownWaits, span),
      tokens: sumUsage(ownStories, "tokens", span),
      credits: sumUsage(ownStories, "credits", span),
    };
  });
  return shares.sort((a, b) => b.waitedMs - a.waitedMs || (a.name < b.name ? -1 : 1));
}

/**
 * Adds up the tokens or credits that sessions used in a span. Events report a running total for their session, so the
 * total before the span is subtracted. Undefined if no event in the span reports a total.
 */
function sumUsage(ownStories: readonly Story[], key: "tokens" | "credits", span: Span): number | undefined {
  const counted = ownStories.filter((item) => item[key] !== undefined && item.atMs < span.endMs);
  const sessions = [...groupBy(counted, ({ session }) => session).values()].map((all) => {
    const before = all.findLast(({ atMs }) => atMs < span.startMs)?.[key] ?? 0;
    const last = all.findLast(({ atMs }) => atMs >= span.startMs)?.[key];
    return last === undefined ? undefined : Math.max(0, last - before);
  });
  const known = sessions.filter((used) => used !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}

/** Delivery statistics of one notifier. */
export interface Reach {
  readonly notifier: string;
  /** Number of messages sent. */
  readonly sent: number;
  /** Number of events with a message held back. */
  readonly held: number;
  /** Number of messages that failed and were not sent later. */
  readonly failed: number;
  /** Last error, at `atMs` (Unix milliseconds). It is resolved if the notifier sent a message later. */
  readonly error: { readonly atMs: number; readonly reason: string; readonly isResolved: boolean } | undefined;
}

/** Computes the statistics for a span, for each configured notifier and each notifier in the journal. */
export function computeReach(lines: readonly JournalLine[], configured: readonly string[], span: Span): Reach[] {
  const isIn = ({ at }: JournalLine): boolean => Date.parse(at) >= span.startMs && Date.parse(at) < span.endMs;
  const byNotifier = groupBy(lines.filter(isIn), ({ notifier = "" }) => notifier);
  byNotifier.delete("");
  return [...new Set([...configured, ...byNotifier.keys()])].map((notifier): Reach => {
    const ownLines = byNotifier.get(notifier) ?? [];
    const isConfigured = configured.includes(notifier); // the cure of one that is not has been carried out
    const isError = ({ status }: JournalLine) => status === "retrying" || lostStatuses.includes(status);
    const lastError = ownLines.findLast((line) => isError(line) || (isConfigured && isUnsupported(line)));
    const isResolved = ownLines.some(({ status, at }) => status === "sent" && at > (lastError?.at ?? ""));
    return {
      notifier,
      sent: ownLines.filter(({ status }) => status === "sent").length,
      held: new Set(listHolds(ownLines).map(({ id }) => id)).size,
      failed: lostLines(ownLines).length,
      error: lastError && { atMs: Date.parse(lastError.at), reason: lastError.reason ?? lastError.status, isResolved },
    };
  });
}
