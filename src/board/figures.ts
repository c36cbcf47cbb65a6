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
    waitedMs: sumSpansMs(requests, span),
    reactionMs: median(reactions),
    calls: countStories(({ status }) => status === "sent"),
    held: countStories(isHold),
    finished: countEnds("finished"),
    failed: countEnds("failed"),
  };
}

/** Adds up the parts of sessions' spans within a span, milliseconds. Overlaps within a session count once. */
export function sumSpansMs(spans: readonly (Span & { readonly session: string })[], within: Span): number {
  const sessions = groupBy(spans, ({ session }) => session);
  const times = [...sessions.values()].map((own) => unionMs(own.flatMap((item) => clip(item, within))));
  return times.reduce((sum, ms) => sum + ms, 0);
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

/** Figure as texts for display. */
interface FigureText {
  readonly id: FigureId;
  readonly title: string;
  readonly text: string;
  /** Median for the same weekday in earlier weeks; empty if the journal has no such day. */
  readonly usual: string;
}

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
  return id === "calls" && figures.held > 0 ? `${text} · ${wholeNumberText(figures.held)} held` : text;
}

/** Formats the five figures of a day, each with the median for the same weekday in the four weeks before. */
export function figureTexts({ day, isToday, figures, usual }: DayReport): FigureText[] {
  const when = isToday ? `on ${weekdaysText(day)} by now` : `on ${weekdaysText(day)}`;
  return (Object.keys(shown) as FigureId[]).map((id) => {
    const isKnown = usual.days > 0 && figureValue(id, usual) !== undefined;
    const text = figureText(id, figures);
    return { id, title: shown[id].title, text, usual: isKnown ? `usually ${figureText(id, usual)} ${when}` : "" };
  });
}
