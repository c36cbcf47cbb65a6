interface PlotHead {
  /** Id of the plot's card on the page. */
  readonly id: string;
  readonly title: string;
  /** A sentence on what is counted, or what stands out. */
  readonly about: string;
  /** What is missing from it, in a few words; empty where nothing is. */
  readonly gap: string;
  /** What a value counts, in the plural. */
  readonly unit: string;
}

/** One series of a plot: a model, a client, an autonomy level. */
export interface PlotSeries {
  readonly name: string;
  /** The total or average of the period, formatted. */
  readonly note: string;
  /** One value for each of the plot's labels; null where the service has no data. */
  readonly values: readonly (number | null)[];
  /** Whether the series sums up all those without a series of their own. */
  readonly isRest?: boolean;
}

/** Values over days or weeks. */
export interface TimePlot extends PlotHead {
  /** `shares` are stacked bars of equal height; their series are ordered levels, and so are the colours. */
  readonly kind: "stacked" | "grouped" | "lines" | "shares";
  /** One label for each mark: a day or a week, and if it is partial, how many of its days are there. */
  readonly labels: readonly string[];
  /** Whether a mark stands for less than a whole week. */
  readonly isPartial: readonly boolean[];
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

/** A plot before it is known what its part lacks. */
export type Content<Kind extends Plot> = Omit<Kind, "gap">;
export type PlotContent = Content<TimePlot> | Content<RankPlot>;

/** The content of a plot. The page and the terminal each draw it in their own way. */
export type Plot = TimePlot | RankPlot;
