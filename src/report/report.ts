import type { activityOf, creditsOf, productivityOf, toolUseOf } from "./parts.ts";
import type { People } from "./people.ts";
import type { Period } from "./period.ts";

/** The parts of a report, each from one endpoint of the service's analytics. */
export interface ReportParts {
  readonly credits: ReturnType<typeof creditsOf>;
  readonly activity: ReturnType<typeof activityOf>;
  readonly toolUse: ReturnType<typeof toolUseOf>;
  readonly productivity: ReturnType<typeof productivityOf>;
  readonly people: People;
}
export type PartName = keyof ReportParts;

/** Titles of the parts, for the page and the terminal. */
export const partTitles: Readonly<Record<PartName, string>> = {
  credits: "Credits",
  activity: "Active users",
  toolUse: "Tools, hooks and autonomy",
  productivity: "Commits and pull requests",
  people: "Top users",
};

/** A part that the report does not have. */
export interface Missing {
  readonly part: PartName;
  /** The error of its request, in words. */
  readonly reason: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** How an organization used its agents: sums of the service's daily rows, as plain data that can be written as JSON. */
export interface UsageReport extends Partial<ReportParts> {
  readonly period: Period;
  /** The days of the period, oldest first; the values of each series are in their order. */
  readonly days: readonly string[];
  /** Time of the report, ISO 8601. */
  readonly madeAt: string;
  readonly missing: readonly Missing[];
  /** Number of rows for days outside the period; they are not counted anywhere. */
  readonly strayRows: number;
}
