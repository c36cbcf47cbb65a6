import type { DayReport } from "./board.ts";
import type { Figures } from "./figures.ts";
import { numberText, spentText, weekdaysText } from "./format.ts";

/** Figure, formatted for people. */
export interface FigureText {
  readonly id: "waited" | "reaction" | "calls" | "finished" | "failed";
  readonly title: string;
  readonly text: string;
  /** Same weekday of the weeks before; empty if the journal has none. */
  readonly usual: string;
}

const titles = {
  waited: "Waiting time",
  reaction: "Median response time",
  calls: "Notifications",
  finished: "Finished",
  failed: "Failed",
} as const;

/** Text of an unknown figure. */
const unknown = "–";

const texts: Readonly<Record<FigureText["id"], (figures: Figures) => string>> = {
  waited: ({ waitedMs }) => spentText(waitedMs),
  reaction: ({ reactionMs }) => (reactionMs === undefined ? unknown : spentText(reactionMs)),
  calls: ({ calls, held }) => `${numberText(calls)}${held === 0 ? "" : ` · ${numberText(held)} held`}`,
  finished: ({ finished }) => numberText(finished),
  failed: ({ failed }) => numberText(failed),
};

/** Formats the five figures of a day, with the medians of the same weekday in the four weeks before. */
export function figureTexts({ day, isToday, figures, usual }: DayReport): FigureText[] {
  const when = isToday ? `on ${weekdaysText(day)} by now` : `on ${weekdaysText(day)}`;
  return (Object.keys(titles) as FigureText["id"][]).map((id) => ({
    id,
    title: titles[id],
    text: texts[id](figures),
    usual: usual.days === 0 || texts[id](usual) === unknown ? "" : `usually ${texts[id](usual)} ${when}`,
  }));
}
