import type { PartName, PeriodUsage, UsageReport } from "./report.ts";

/** Groups of figures, in reading order; the first group has the key figures. */
export const figureGroups = {
  key: "Key figures",
  tokens: "Tokens",
  adoption: "Adoption",
  units: "Efficiency",
  autonomy: "Autonomy",
} as const;
export type FigureGroup = keyof typeof figureGroups;

/** Definition of a figure and its computation from the parts of a period. */
export interface FigureDefinition {
  /** Name in CSV and JSON. */
  readonly id: string;
  readonly title: string;
  readonly group: FigureGroup;
  /** Explanation for the reader. */
  readonly definition: string;
  /** Parts that the figure is computed from. Data missing in a part is missing in the figure. */
  readonly parts: readonly [PartName, ...PartName[]];
  /**
   * Number format. A `money` figure is computed in credits and multiplied by their price. Without a price, the figure
   * is left out.
   */
  readonly format: "count" | "share" | "ratio" | "money";
  /**
   * Rule for comparing two periods. A `sum` is compared by its daily mean if the numbers of days differ. `distinct` is a
   * count of users, or a number per user: it grows with the days, but not evenly, so only complete periods are compared.
   * A `rate` does not depend on the days, and is always compared directly.
   */
  readonly kind: "sum" | "distinct" | "rate";
  /**
   * Computes the value for the report's period or the previous period; undefined if there is nothing to count or to
   * divide by.
   */
  readonly compute: (usage: PeriodUsage, report: UsageReport) => number | undefined;
}
