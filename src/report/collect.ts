import { omitUndefined } from "../core/omit-undefined.ts";
import type { Client } from "../service/client.ts";
import { AbortError, ArgumentError, ServiceError } from "../service/error.ts";
import { buildCoverage } from "./coverage.ts";
import { describeFailure } from "./failure.ts";
import { defaultListing, type Listing } from "./people.ts";
import { listDays, type Period, previousPeriod } from "./period.ts";
import type { PartName, PeriodUsage, Price, ReportParts, UsageReport } from "./report.ts";
import { type Fetched, type Fetching, fetchActivity, fetchPeople, fetchRows, fetchSeats } from "./requests.ts";

export interface CollectOptions {
  /** Time of the report, Unix milliseconds; default: now. */
  readonly nowMs?: number;
  readonly signal?: AbortSignal;
  /** Called after each reply about users, with the number of rows received so far. */
  readonly onUsers?: (rows: number) => void;
  /** Options for listing users; default: the 25 users with the most credits, with their names. */
  readonly listing?: Listing;
  readonly price?: Price;
}

type Service = Pick<Client, "analytics" | "users">;

/**
 * Requests all parts of a report, for a period and for the previous period. `coverage` notes the parts that fail or are
 * incomplete.
 * @throws {ServiceError} if every part of the period fails, the period is invalid, or the caller's signal aborts
 */
export async function collect(service: Service, period: Period, options: CollectOptions = {}): Promise<UsageReport> {
  const { nowMs = Date.now(), price } = options;
  const { usage, organization } = await collectPeriod(service, period, options, true);
  const before = previousPeriod(period);
  const previous = before && (await collectPeriod(service, before, options, false)).usage;
  const madeAt = new Date(nowMs).toISOString();
  return omitUndefined<UsageReport>({ ...usage, organization, madeAt, previous, price });
}

type Results = { readonly [Part in PartName]?: Fetched<ReportParts[Part]> };

async function collectPeriod(
  service: Service,
  period: Period,
  { signal, onUsers = () => {}, listing = defaultListing }: CollectOptions,
  isCurrent: boolean,
): Promise<{ usage: PeriodUsage; organization: string | undefined }> {
  const fetching: Fetching = { service, period, days: listDays(period), listing, call: { signal }, onUsers };
  const rows = fetchRows(fetching);
  const activity = fetchActivity(fetching);
  const people = fetchPeople(fetching, { activity, credits: rows.credits });
  const analytics = { ...rows, activity, people };
  const daily = await settle(analytics);
  if (isCurrent) await requireAny(Object.values(analytics));
  // The list of users is current, and says nothing about an earlier period.
  const seats = isCurrent ? await settle({ seats: fetchSeats(fetching, people) }) : {};
  const results: Results = { ...daily, ...seats };
  const named = Object.values(results).find(({ organization }) => organization !== undefined);
  return { usage: buildUsage(fetching, results), organization: named?.organization };
}

/** Waits until one part has arrived. @throws {ServiceError} the first part's error if all parts fail */
async function requireAny(parts: readonly Promise<unknown>[]): Promise<void> {
  await Promise.any(parts).catch(() => parts[0]);
}

/** Waits for all parts. A part whose request failed has no content. */
async function settle(parts: Readonly<Record<string, Promise<Fetched<unknown>>>>): Promise<Results> {
  const settled = await Promise.allSettled(Object.values(parts));
  const fetched = settled.map((result) => {
    if (result.status === "fulfilled") return result.value;
    if (!isPartial(result.reason)) throw result.reason;
    return { coverage: buildCoverage({ failure: describeFailure(result.reason) }) };
  });
  return Object.fromEntries(Object.keys(parts).map((name, index) => [name, fetched[index]]));
}

function buildUsage({ period, days }: Fetching, results: Results): PeriodUsage {
  const parts = Object.entries(results).map(([name, { content, coverage }]) => {
    // A part without any rows is absent: there is nothing to add up.
    const isEmpty = days.length > 0 && coverage.absentDays.length === days.length;
    return [name, isEmpty ? undefined : content];
  });
  const coverage = Object.fromEntries(Object.entries(results).map(([name, part]) => [name, part.coverage]));
  return { period: { ...period }, days, coverage, ...omitUndefined<Partial<ReportParts>>(Object.fromEntries(parts)) };
}

/** Tells if an error affects only its part of the report. An invalid period or an abort ends the whole report. */
function isPartial(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !(error instanceof AbortError || error instanceof ArgumentError);
}
