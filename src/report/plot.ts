import type { PartName } from "./report.ts";

interface PlotHead {
  /** Constant; part of ids on the page. */
  readonly id: string;
  readonly title: string;
  /** What is counted, or what stands out: a sentence. */
  readonly about: string;
  /** The report's part it is made of. */
  readonly part: PartName;
  /** What a value counts, in the plural. */
  readonly unit: string;
}

/** A mark's series: a model, a client, a level. */
export interface PlotSeries {
  readonly name: string;
  /** How much of it in the whole period, for people. */
  readonly note: string;
  /** One for each of the plot's labels. */
  readonly values: readonly number[];
  /** Stands for all that have no place of their own. */
  readonly isRest?: boolean;
}

/** Values over days or weeks. */
export interface TimePlot extends PlotHead {
  /** `shares`: stacked, each mark as high as the others. `levels` of a series come in order, so do their colours. */
  readonly kind: "stacked" | "grouped" | "lines" | "shares";
  /** Of the marks: a day or a week. */
  readonly labels: readonly string[];
  /** The same, for an axis: the day, or the week's first. */
  readonly ticks: readonly string[];
  readonly series: readonly PlotSeries[];
}

/** Values by name, most first. */
export interface RankPlot extends PlotHead {
  readonly kind: "ranking";
  readonly bars: readonly { readonly name: string; readonly value: number; readonly isRest?: boolean }[];
  /** Of all names, also of those without a bar. */
  readonly total: number;
}

/** What a plot shows, without a word on how. The page draws it, the terminal writes it. */
export type Plot = TimePlot | RankPlot;
