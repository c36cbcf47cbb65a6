import type { Activity } from "./parts.ts";
import type { Credits } from "./credits.ts";
import type { People } from "./people.ts";
import type { Period } from "./period.ts";
import type { Productivity } from "./productivity.ts";
import type { ToolUse } from "./tool-use.ts";

/** The parts of a report, each from one endpoint of the service's analytics. */
export interface ReportParts {
  readonly credits: Credits;
  readonly activity: Activity;
  readonly toolUse: ToolUse;
  readonly productivity: Productivity;
  readonly people: People;
}
export type PartName = keyof ReportParts;

/** As the page and the terminal call them. */
export const partTitles: Readonly<Record<PartName, string>> = {
  credits: "Credits",
  activity: "Active users",
  toolUse: "Tools, hooks and autonomy",
  productivity: "Commits and pull requests",
  people: "Top users",
};

/** Why a part is not there. */
export interface Missing {
  readonly part: PartName;
  /** What the service, or the way to it, said. */
  readonly reason: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** How an organization used its agents. All numbers are sums of the service's rows; it can be written as JSON. */
export interface UsageReport extends Partial<ReportParts> {
  readonly period: Period;
  /** The days of the period, oldest first; the values of each series are in their order. */
  readonly days: readonly string[];
  /** ISO. */
  readonly madeAt: string;
  readonly missing: readonly Missing[];
  /** Rows of days that were not asked for; they are in no number. */
  readonly strayRows: number;
}
