import { groupBy } from "../core/group-by.ts";
import type { DayReport } from "./board.ts";
import { clip, type Span, unionMs } from "./day.ts";
import { spentText, weekdaysText, wholeNumberText } from "./format.ts";
import { isEnd, isHold, type Story } from "./story.ts";
import { isReaction, type Wait } from "./waits.ts";

/** Figures for a span of time. */
export interface Figures {
  /** Time that requests waited in all sessions, milliseconds. Overlapping requests in one session count once. */
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
  const countStories = (isMeant: (line: Story["lines"][number]) => boolean): number =>
    stories.filter(({ lines }) => lines.some((line) => isMeant(line) && isIn(Date.parse(line.at)))).length;
  const countEnds = (outcome: "finished" | "failed"): number =>
    stories.filter((item) => isEnd(item, outcome) && isIn(item.atMs)).length;
  return {
    waitedMs: sumWaitedMs(requests, span),
    reactionMs: median(reactions),
    calls: countStories(({ status }) => status === "sent"),
    held: countStories(isHold),
    finished: countEnds("finished"),
    failed: countEnds("failed"),
  };
}

/** Adds up the time that requests waited within a span, milliseconds. Overlaps within a session count once. */
export function sumWaitedMs(requests: readonly Wait[], span: Span): number {
  const sessions = groupBy(requests, ({ session }) => session);
  const times = [...sessions.values()].map((sessionWaits) => unionMs(sessionWaits.flatMap((item) => clip(item, span))));
  return times.reduce((sum, ms) => sum + ms, 0);
}

/** Computes the median; undefined without values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** Figures that are shown. */
export type FigureId = "waited" | "reaction" | "calls" | "finished" | "failed";

/** Figure as texts for display. */
interface FigureText {
  readonly id: FigureId;
  readonly title: string;
  readonly text: string;
  /** Median for the same weekday in earlier weeks; empty if the journal has no such day. */
  readonly usual: string;
}

const titles = {
  waited: "Waiting time",
  reaction: "Median response time",
  calls: "Notifications",
  finished: "Finished",
  failed: "Failed",
} as const;

/** Text for an unknown figure. */
const unknown = "–";

const texts: Readonly<Record<FigureId, (figures: Figures) => string>> = {
  waited: ({ waitedMs }) => spentText(waitedMs),
  reaction: ({ reactionMs }) => (reactionMs === undefined ? unknown : spentText(reactionMs)),
  calls: ({ calls, held }) => `${wholeNumberText(calls)}${held === 0 ? "" : ` · ${wholeNumberText(held)} held`}`,
  finished: ({ finished }) => wholeNumberText(finished),
  failed: ({ failed }) => wholeNumberText(failed),
};

const values: Readonly<Record<FigureId, (figures: Figures) => number | undefined>> = {
  waited: ({ waitedMs }) => waitedMs,
  reaction: ({ reactionMs }) => reactionMs,
  calls: ({ calls }) => calls,
  finished: ({ finished }) => finished,
  failed: ({ failed }) => failed,
};

/** Returns a figure's value; undefined if it is unknown. */
export function figureValue(id: FigureId, figures: Figures): number | undefined {
  return values[id](figures);
}

/** Formats a figure. */
export function figureText(id: FigureId, figures: Figures): string {
  return texts[id](figures);
}

/** Formats the five figures of a day, each with the median for the same weekday in the four weeks before. */
export function figureTexts({ day, isToday, figures, usual }: DayReport): FigureText[] {
  const when = isToday ? `on ${weekdaysText(day)} by now` : `on ${weekdaysText(day)}`;
  return (Object.keys(titles) as FigureId[]).map((id) => ({
    id,
    title: titles[id],
    text: texts[id](figures),
    usual: usual.days === 0 || texts[id](usual) === unknown ? "" : `usually ${texts[id](usual)} ${when}`,
  }));
}
