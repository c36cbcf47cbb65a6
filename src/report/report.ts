import type { Budget } from "./budget.ts";
import type { ControlChanges } from "./control-changes.ts";
import type { SessionCosts } from "./costly-sessions.ts";
import type { Coverage } from "./coverage.ts";
import type { Movement } from "./movement.ts";
import type { summarizeActivity, summarizeCredits, summarizeProductivity, summarizeToolUse } from "./parts.ts";
import type { People } from "./people.ts";
import type { Period } from "./period.ts";
import type { ReadinessSummary } from "./readiness.ts";
import type { Seats } from "./seats.ts";
import type { Teams } from "./teams.ts";

/**
 * Parts of a report, each with its own requests. The last four are requested only on demand, and not for the previous
 * period.
 */
export interface ReportParts {
  readonly credits: ReturnType<typeof summarizeCredits>;
  readonly activity: ReturnType<typeof summarizeActivity>;
  readonly toolUse: ReturnType<typeof summarizeToolUse>;
  readonly productivity: ReturnType<typeof summarizeProductivity>;
  readonly people: People;
  readonly seats: Seats;
  readonly readiness: ReadinessSummary;
  readonly controls: ControlChanges;
  readonly sessions: SessionCosts;
  readonly budget: Budget;
}
export type PartName = keyof ReportParts;

/** Titles of the parts, for the page and the terminal. */
export const partTitles: Readonly<Record<PartName, string>> = {
  credits: "Credits and tokens",
  activity: "Activity",
  toolUse: "Tools, hooks and autonomy",
  productivity: "Commits and pull requests",
  people: "Users",
  seats: "Seats",
  readiness: "Readiness",
  controls: "Settings",
  sessions: "Sessions",
  budget: "Budget",
};

/** Data of the service for a period. A part without any rows is absent. */
export interface PeriodUsage extends Partial<ReportParts> {
  readonly period: Period;
  /** Days of the period, oldest first; the values of each series are in the same order. */
  readonly days: readonly string[];
  /** Coverage of each part that was requested. */
  readonly coverage: { readonly [Part in PartName]?: Coverage };
}

/** Price of a credit. */
export interface Price {
  readonly perCredit: number;
  /** ISO 4217 code, such as `EUR`; empty if not given. */
  readonly currency: string;
}

/** Usage report of an organization: sums of the service's daily rows, as plain data for JSON. */
export interface UsageReport extends PeriodUsage {
  /** Id of the organization; absent if no reply has it. */
  readonly organization?: string;
  /** Time of the report, ISO 8601. */
  readonly madeAt: string;
  /** Time that the report waited for the service's rate limit, milliseconds; absent without a wait. */
  readonly waitedMs?: number;
  /** Preceding period of the same length; absent if the service has no data for it. */
  readonly previous?: PeriodUsage;
  /** Price of a credit, if given. */
  readonly price?: Price;
  /** Changes among the users since the previous period; absent if the users of either period are unknown. */
  readonly movement?: Movement;
  /** Usage by team; absent if no teams were given. */
  readonly teams?: Teams;
}

/** Tells if the period itself is complete; the previous period may have gaps. */
export function isComplete({ coverage }: PeriodUsage): boolean {
  return Object.values(coverage).every((part) => part.isComplete);
}

/** Parts that are made from daily rows. */
export const dailyParts = ["credits", "activity", "toolUse", "productivity", "people"] as const satisfies PartName[];

/** Lists the days of a period for which any part has data, oldest first. */
export function coveredDays({ days, coverage }: PeriodUsage): string[] {
  const parts = dailyParts.flatMap((part) => coverage[part] ?? []).filter(({ failure }) => failure === undefined);
  const absent = parts.map(({ absentDays }) => new Set(absentDays));
  return days.filter((day) => absent.some((absentDays) => !absentDays.has(day)));
}
