import type { Coverage } from "./coverage.ts";
import type { activityOf, creditsOf, productivityOf, toolUseOf } from "./parts.ts";
import type { People } from "./people.ts";
import type { Period } from "./period.ts";
import type { Seats } from "./seats.ts";

/** The parts of a report, each from one endpoint of the service. */
export interface ReportParts {
  readonly credits: ReturnType<typeof creditsOf>;
  readonly activity: ReturnType<typeof activityOf>;
  readonly toolUse: ReturnType<typeof toolUseOf>;
  readonly productivity: ReturnType<typeof productivityOf>;
  readonly people: People;
  readonly seats: Seats;
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
};

/** What the service has for a period: a part without a single row is absent. */
export interface PeriodUsage extends Partial<ReportParts> {
  readonly period: Period;
  /** The days of the period, oldest first; the values of each series are in their order. */
  readonly days: readonly string[];
  /** How much of each part that was asked for is there. */
  readonly coverage: { readonly [Part in PartName]?: Coverage };
}

/** What a credit costs. */
export interface Price {
  readonly perCredit: number;
  /** ISO 4217 code, such as `EUR`; empty where none was given. */
  readonly currency: string;
}

/** How an organization used its agents: sums of the service's daily rows, as plain data that can be written as JSON. */
export interface UsageReport extends PeriodUsage {
  /** Id of the organization; absent where no reply named it. */
  readonly organization?: string;
  /** Time of the report, ISO 8601. */
  readonly madeAt: string;
  /** The period before, of the same length; absent where the service has no data for it. */
  readonly previous?: PeriodUsage;
  /** Absent where none was given. */
  readonly price?: Price;
}

/** Whether nothing is missing of the period itself; the period before may have gaps. */
export function isComplete({ coverage }: PeriodUsage): boolean {
  return Object.values(coverage).every((part) => part.isComplete);
}

const dailyParts = ["credits", "activity", "toolUse", "productivity", "people"] as const satisfies PartName[];

/** The days of a period for which any part has data, oldest first. */
export function coveredDays({ days, coverage }: PeriodUsage): string[] {
  const parts = dailyParts.flatMap((part) => coverage[part] ?? []).filter(({ failure }) => failure === undefined);
  const absent = parts.map(({ absentDays }) => new Set(absentDays));
  return days.filter((day) => absent.some((one) => !one.has(day)));
}
