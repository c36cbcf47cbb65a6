import type { PeriodUsage, ReportParts, UsageReport } from "./report.ts";
import { divideSeries, sum } from "./series.ts";

/** Divides credits by active users, both counted only on the days for which both are known. */
export function creditsPerUser({ credits, people }: PeriodUsage): number | undefined {
  if (credits === undefined || people === undefined) return undefined;
  const values = credits.byDay.values.map((value, index) => (people.byDay.credits[index] === null ? null : value));
  return divide(sum(values), people.activeWithCredits);
}

/** Divides credits by sessions. */
export function creditsPerSession({ credits, activity }: PeriodUsage): number | undefined {
  return credits && activity && divideSeries(credits.byDay, activity.sessions);
}

/** Divides credits by pull requests. */
export function creditsPerPullRequest({ credits, productivity }: PeriodUsage): number | undefined {
  return credits && productivity && divideSeries(credits.byDay, productivity.pullRequests);
}

type Credits = ReportParts["credits"];

/**
 * Divides the tokens read from the cache by the input tokens. The API document does not say if input tokens include
 * cache reads. They do not if more tokens were read than input on any day of either period. In that case, the cache
 * reads are added to the input tokens.
 */
export function computeCacheShare({ cacheReadTokens, inputTokens }: Credits, report: UsageReport): number | undefined {
  const isBeside = [report, report.previous].some((usage) => usage?.credits && readsExceedInput(usage.credits));
  const values = inputTokens.values.map((input, index) => {
    const read = cacheReadTokens.values[index] ?? null;
    return isBeside && input !== null && read !== null ? input + read : input;
  });
  return divideSeries(cacheReadTokens, { ...inputTokens, values });
}

function readsExceedInput({ cacheReadTokens, inputTokens }: Credits): boolean {
  return inputTokens.values.some((input, index) => input !== null && (cacheReadTokens.values[index] ?? 0) > input);
}

/** Divides two numbers; undefined if a number is missing or the divisor is 0. */
export function divide(dividend: number | undefined, divisor: number | undefined): number | undefined {
  return dividend === undefined || !divisor ? undefined : dividend / divisor;
}
