import type { DayReport } from "./board.ts";
import type { Figures } from "./figures.ts";
import { numberText, spentText, weekdaysText } from "./format.ts";

/** Figure as texts for display. */
export interface FigureText {
  readonly id: "waited" | "reaction" | "calls" | "finished" | "failed";
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

const texts: Readonly<Record<FigureText["id"], (figures: Figures) => string>> = {
  waited: ({ waitedMs }) => spentText(waitedMs),
  reaction: ({ reactionMs }) => (reactionMs === undefined ? unknown : spentText(reactionMs)),
  calls: ({ calls, held }) => `${numberText(calls)}${held === 0 ? "" : ` · ${numberText(held)} held`}`,
  finished: ({ finished }) => numberText(finished),
  failed: ({ failed }) => numberText(failed),
};

/** Formats the five figures of a day, each with the median for the same weekday in the four weeks before. */
export function figureTexts({ day, isToday, figures, usual }: DayReport): FigureText[] {
  const when = isToday ? `on ${weekdaysText(day)} by now` : `on ${weekdaysText(day)}`;
  return (Object.keys(titles) as FigureText["id"][]).map((id) => ({
    id,
    title: titles[id],
    text: texts[id](figures),
    usual: usual.days === 0 || texts[id](usual) === unknown ? "" : `usually ${texts[id](usual)} ${when}`,
  }));
}
