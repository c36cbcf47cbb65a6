/** Sentence for a plot or table without data. */
export const noneInPeriod = "None in this period.";

interface PlotHead {
  /** Id of the plot's card on the page. */
  readonly id: string;
  readonly title: string;
  /** Sentence that says what is counted, or what stands out. */
  readonly about: string;
  /** Missing data, in a few words; empty if complete. */
  readonly gap: string;
  /** Unit of a value, in the plural. */
  readonly unit: string;
}

/** Series of a plot, such as a model, a client type or an autonomy level. */
export interface PlotSeries {
  readonly name: string;
  /** Total or average of the period, formatted. */
  readonly note: string;
  /** Values for the plot's labels; null if the service has no data. */
  readonly values: readonly (number | null)[];
  /** True for the series that sums up everything without a series of its own. */
  readonly isRest?: boolean;
}

/** Line across a plot at a day or week in which settings changed. */
export interface PlotMark {
  /** Index of the label at which the line is drawn. */
  readonly index: number;
  /** Numbers of the changes in the list of changes: `3`, or `3–5`. */
  readonly label: string;
  readonly title: string;
}

/** Values over days or weeks. */
export interface TimePlot extends PlotHead {
  /** Type of plot. `shares` are stacked bars of equal height: one series for each level, in the order of the levels. */
  readonly kind: "stacked" | "grouped" | "lines" | "shares";
  /** Label of each day or week; a partial week's label has the number of its days with data. */
  readonly labels: readonly string[];
  /** True for each week with data for fewer than seven days. */
  readonly isPartial: readonly boolean[];
  /** Lines for changes of settings. */
  readonly marks: readonly PlotMark[];
  /** Short labels for the axis: the day, or the first day of the week. */
  readonly ticks: readonly string[];
  readonly series: readonly PlotSeries[];
}

/** Values by name, greatest first. */
export interface RankPlot extends PlotHead {
  readonly kind: "ranking";
  readonly bars: readonly { readonly name: string; readonly value: number; readonly isRest?: boolean }[];
  /** Sum over all names, including those without a bar. */
  readonly total: number;
}

/** Plot without its gap and lines, which are added later. */
export type Content<Kind extends Plot> = Omit<Kind, "gap" | "marks">;
export type PlotContent = Content<TimePlot> | Content<RankPlot>;

/** Content of a plot, which the page and the terminal draw in different ways. */
export type Plot = TimePlot | RankPlot;
