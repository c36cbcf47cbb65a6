import type { DayReport } from "./board.ts";
import type { Figures } from "./figures.ts";
import { numberText, spentText, weekdaysText } from "./format.ts";

/** Figures that are shown. */
export type FigureId = "waited" | "reaction" | "calls" | "finished" | "failed";

/** Figure as texts for display. */
export interface FigureText {
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
  calls: ({ calls, held }) => `${numberText(calls)}${held === 0 ? "" : ` · ${numberText(held)} held`}`,
  finished: ({ finished }) => numberText(finished),
  failed: ({ failed }) => numberText(failed),
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
