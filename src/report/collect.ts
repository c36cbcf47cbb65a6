import { omitUndefined } from "../core/omit-undefined.ts";
import type { Client } from "../service/client.ts";
import { AbortError, ArgumentError, RateLimitError, ServiceError, TimeoutError } from "../service/error.ts";
import { cut } from "../text/cut.ts";
import { durationText, minuteMs } from "../text/time.ts";
import { type BudgetPlan, computeBudget, findMissingDays, mapCredits } from "./budget.ts";
import { fetchControlChanges } from "./control-changes.ts";
import { fetchSessionCosts } from "./costly-sessions.ts";
import { buildCoverage, type Failure, type Fetched } from "./coverage.ts";
import { Directory } from "./directory.ts";
import { compareUsers } from "./movement.ts";
import { buildPeople, defaultListing, type Listing } from "./people.ts";
import { listDays, type Period, previousPeriod } from "./period.ts";
import { fetchReadiness } from "./readiness.ts";
import type { PartName, PeriodUsage, Price, ReportParts, UsageReport } from "./report.ts";
import {
  type FetchedPeople,
  type FetchedSeats,
  type Fetching,
  fetchCredits,
  fetchPeople,
  fetchRows,
  fetchSeats,
} from "./requests.ts";
import { countSeats } from "./seats.ts";
import { divideByTeam, type TeamMembers } from "./teams.ts";

/** Parts that are requested only on demand. */
export const sectionNames = ["readiness", "settings", "sessions"] as const;
export type SectionName = (typeof sectionNames)[number];

export interface CollectOptions {
  /** Time of the report, Unix milliseconds; default: now. */
  readonly nowMs?: number;
  readonly signal?: AbortSignal;
  /** Called after each reply about users, with the number of rows received so far. */
  readonly onUsers?: (rows: number) => void;
  /** Options for listing users; default: the 25 users with the most credits, with their names. */
  readonly listing?: Listing;
  readonly price?: Price;
  /** Parts to request in addition; default: none. */
  readonly sections?: readonly SectionName[];
  readonly budget?: BudgetPlan;
  /** Teams to divide the users into. */
  readonly teams?: TeamMembers;
}

type Service = Fetching["service"] & Pick<Client, "pausedMs">;

/** Longest time a report waits for the rate limit: a quarter of an hour. */
const maxWaitMs = 15 * minuteMs;

/**
 * Requests all parts of a report, for a period and for the previous period. Field `coverage` of the result notes the
 * parts that fail or are incomplete.
 * @throws {ServiceError} if all analytics of the period fail, the period is invalid, or the caller's signal aborts
 */
export async function collect(service: Service, period: Period, options: CollectOptions = {}): Promise<UsageReport> {
  const { nowMs = Date.now(), price, signal, onUsers = () => {}, listing = defaultListing } = options;
  const fetching: Fetching = {
    service,
    period,
    days: listDays(period),
    listing,
    call: { signal, waitUntilMs: nowMs + maxWaitMs },
    onUsers,
  };
  const pausedBefore = service.pausedMs;
  const now = await collectPeriod(fetching, { isCurrent: true, sections: options.sections ?? [] });
  const span = previousPeriod(period);
  const before =
    span &&
    (await collectPeriod({ ...fetching, period: span, days: listDays(span) }, { isCurrent: false, sections: [] }));
  const rows = [now, before].flatMap((collected) => collected?.people?.tally.listLabels() ?? []);
  const directory = new Directory(now.seats?.rows ?? [], rows);
  const [current, earlier] = [now, before].map((collected) => collected && addPeople(collected, directory, listing));
  const madeAt = new Date(nowMs).toISOString();
  const report = omitUndefined<UsageReport>({
    ...(current?.usage ?? now.usage),
    organization: now.organization,
    madeAt,
    previous: earlier?.usage,
    price,
    movement: current?.known && earlier?.known && compareUsers(current.known, earlier.known, listing),
    teams:
      options.teams &&
      current?.people &&
      divideByTeam({
        members: options.teams,
        now: current.people,
        before: earlier?.known,
        directory,
        isNamed: listing.isNamed,
      }),
  });
  const whole = options.budget === undefined ? report : await addBudget(report, options.budget, fetching);
  const waitedMs = Math.round(service.pausedMs - pausedBefore);
  return waitedMs > 0 ? { ...whole, waitedMs } : whole;
}

/** Usage of a period, with the users' rows, which are not part of the report. */
interface CollectedPeriod {
  readonly usage: PeriodUsage;
  readonly organization: string | undefined;
  /** Undefined if the requests failed. */
  readonly people: FetchedPeople | undefined;
  /** Undefined if the request failed, or for the previous period. */
  readonly seats: FetchedSeats | undefined;
}

type Results = { readonly [Part in PartName]?: Fetched<ReportParts[Part]> };

async function collectPeriod(
  fetching: Fetching,
  { isCurrent, sections }: { readonly isCurrent: boolean; readonly sections: readonly SectionName[] },
): Promise<CollectedPeriod> {
  const rows = fetchRows(fetching);
  const people = fetchPeople(fetching, rows);
  const analytics = { ...rows, people };
  const others = settle(fetchSections(fetching, sections));
  // The first error ends the report before these are awaited.
  others.catch(() => {});
  const daily = await settle(analytics);
  // The first part's error ends the report if all parts fail.
  if (isCurrent) await Promise.any(Object.values(analytics)).catch(() => rows.credits);
  // The list of users is current, and says nothing about an earlier period.
  const seats = isCurrent ? fetchSeats(fetching) : undefined;
  const results: Results = { ...daily, ...(seats && (await settle({ seats }))), ...(await others) };
  const named = Object.values(results).find(({ organization }) => organization !== undefined);
  return {
    usage: buildUsage(fetching, results),
    organization: named?.organization,
    people: await people.catch(() => undefined),
    seats: await seats?.catch(() => undefined),
  };
}

/**
 * Adds the users and seats to a period, once the directory knows all ids and addresses. Also returns the `people` by
 * descending credits, undefined if their requests failed, and `known`, the same if their list is complete.
 */
function addPeople(collected: CollectedPeriod, directory: Directory, listing: Listing) {
  const { usage, people, seats } = collected;
  const users = people?.tally.list(directory);
  const { coverage, days } = usage;
  const { absentDays = [] } = coverage.people ?? {};
  const isEmpty = absentDays.length === days.length;
  const facts = people &&
    users && {
      ...{ users, byDay: people.tally.sumDays() },
      activeWithCredits: people.tally.countActive(people.creditDays, users),
    };
  const known = people?.isActivityKnown ? users : undefined;
  const counted = seats && countSeats({ rows: seats.rows, people: known, directory, isNamed: listing.isNamed });
  const { unmatched } = counted ?? {};
  const incomplete = coverage.seats && unmatched !== undefined && { ...coverage.seats, unmatched, isComplete: false };
  const listed = users && { users, days: days.length - absentDays.length, isWhole: absentDays.length === 0 };
  return {
    usage: omitUndefined<PeriodUsage>({
      ...usage,
      people: facts && !isEmpty ? buildPeople(facts, listing) : undefined,
      seats: counted?.seats,
      coverage: { ...coverage, ...(incomplete && { seats: incomplete }) },
    }),
    people: listed,
    known: known && !isEmpty ? listed : undefined,
  };
}

function fetchSections({ service, period, listing, call }: Fetching, sections: readonly SectionName[]) {
  const shown = { period, isNamed: listing.isNamed };
  return {
    ...(sections.includes("readiness") && { readiness: fetchReadiness(service, call) }),
    ...(sections.includes("settings") && { controls: fetchControlChanges(service, shown, call) }),
    ...(sections.includes("sessions") && { sessions: fetchSessionCosts(service, shown, call) }),
  };
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

/** Adds the use of a budget. Requests credits only for days that the report's two periods lack. */
async function addBudget(report: UsageReport, plan: BudgetPlan, fetching: Fetching): Promise<UsageReport> {
  const {
    period: { endDate },
    previous,
    coverage,
  } = report;
  const missing = findMissingDays(report);
  const days = missing && { ...fetching, period: missing, days: listDays(missing) };
  const { credits } = days ? await settle({ credits: fetchCredits(days) }) : {};
  const earlier = days && credits ? buildUsage(days, { credits }) : undefined;
  const failure = coverage.credits?.failure ?? credits?.coverage.failure;
  const budget = failure ? undefined : computeBudget(plan, endDate, mapCredits([earlier, previous, report]));
  const covered = buildCoverage(failure ? { failure } : { absentDays: [] });
  return { ...report, ...(budget && { budget }), coverage: { ...coverage, budget: covered } };
}

/**
 * True if an error fails only its part of the report. An invalid period or an aborted signal fails the whole report.
 */
function isPartial(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !(error instanceof AbortError || error instanceof ArgumentError);
}

/** Maximum number of characters shown of a reply. */
const maxExcerptChars = 200;

/** Describes a failed request twice: for the user of the command, and in plain words for readers of the page. */
export function describeFailure(error: ServiceError): Failure {
  const { message, title, detail, hint, excerpt, requestId } = error;
  const request = requestId && `(request ${requestId})`;
  const explanation = trimStop([title, detail].filter(Boolean).join(": "));
  const reason = [trimStop([message, explanation].filter(Boolean).join(" ")), request].filter(Boolean).join(" ");
  const reply = excerpt && `The reply: ${cut(excerpt, maxExcerptChars, "utf16")}`;
  const plainReason = [explainPlainly(error), request].filter(Boolean).join(" ");
  return omitUndefined({ reason, plainReason, hint: [hint, reply].filter(Boolean).join(" ") || undefined });
}

/** Removes the full stop at the end. A gap is shown as a sentence, which adds the full stop. */
function trimStop(text: string): string {
  return text.replace(/\.$/, "");
}

function explainPlainly(error: ServiceError): string {
  const { status = 0, title, detail, retryAfterMs } = error;
  const answer = [status || undefined, trimStop([title, detail].filter(Boolean).join(": "))].filter(Boolean).join(" ");
  if (error instanceof TimeoutError) return "the service did not answer in time";
  if (status >= 500) return `the service failed (${answer})`;
  if (status === 401 || status === 403) return `the key is not allowed to read these data (${answer})`;
  if (status === 429 || error instanceof RateLimitError) {
    const when = retryAfterMs === undefined ? "later" : `in ${durationText(retryAfterMs)}`;
    return `the service received too many requests; make the report again ${when}`;
  }
  if (status >= 400) return `the service refused the request (${answer})`;
  return status === 0 ? "the service could not be reached" : "the service sent a reply that could not be read";
}
