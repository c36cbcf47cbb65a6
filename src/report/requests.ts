import { omitUndefined } from "../core/omit-undefined.ts";
import type { Client } from "../service/client.ts";
import type { List } from "../service/list.ts";
import type { AnalyticsMeta, CreditsRow, UserRow } from "../service/schemas/analytics.ts";
import type { OrganizationUser } from "../service/schemas/organization-user.ts";
import type { CallOptions } from "../service/transport.ts";
import { buildCoverage, type Coverage, CoverageTally } from "./coverage.ts";
import {
  type CreditsDay,
  summarizeActivity,
  summarizeCredits,
  summarizeProductivity,
  summarizeToolUse,
} from "./parts.ts";
import { type Listing, type People, PeopleTally, type TalliedRow, trimUserRow } from "./people.ts";
import { type Period, splitPeriod } from "./period.ts";
import { shownName } from "./ranking.ts";
import type { ReportParts } from "./report.ts";
import { countSeats, type Seats } from "./seats.ts";
import { buildRowKey, UniqueRows } from "./unique-rows.ts";

/** Result of the requests for a part. */
export interface Fetched<Content> {
  /** Absent if the requests failed. */
  readonly content?: Content;
  readonly coverage: Coverage;
  readonly organization?: string;
}

/** Period to request, and options. */
export interface Fetching {
  readonly service: Pick<Client, "analytics" | "users">;
  readonly period: Period;
  /** Days of the period. */
  readonly days: readonly string[];
  readonly listing: Listing;
  readonly call: CallOptions;
  readonly onUsers: (rows: number) => void;
}

type Dated = { readonly date: string };
/** Function that lists the rows of a period. */
type ListRows<Row> = (days: Period, call: CallOptions) => List<Row, { readonly meta: AnalyticsMeta }>;

/** Requests the parts that need only rows. If a request fails, its part has the `ServiceError`; the others go on. */
export function fetchRows(fetching: Fetching) {
  const { analytics } = fetching.service;
  return {
    credits: fetchPart(fetching, (days, call) => analytics.tokens(days, call), withoutUsers, summarizeCredits),
    toolUse: fetchPart(fetching, (days, call) => analytics.tools(days, call), unchanged, summarizeToolUse),
    productivity: fetchPart(
      fetching,
      (days, call) => analytics.productivity(days, call),
      unchanged,
      summarizeProductivity,
    ),
  };
}

const unchanged = <Row>(row: Row): Row => row;
const withoutUsers = ({ by_user: _, ...row }: CreditsRow): CreditsDay => row;

/** Requests the active users. @throws {ServiceError} */
export function fetchActivity(fetching: Fetching): Promise<Fetched<ReportParts["activity"]>> {
  const { analytics } = fetching.service;
  return fetchPart(fetching, (days, call) => analytics.activity(days, call), unchanged, summarizeActivity);
}

/** Result of the requests for the users' numbers, with the ids of the active users. */
export type FetchedPeople = Fetched<People> & {
  readonly activeIds: ReadonlySet<string>;
  /** True if the list of users is complete. An empty list is complete only if no day had active users. */
  readonly isActivityKnown: boolean;
};

/** Maximum number of days for which users are requested at once, because each user has a row per day. */
const maxUserDays = 30;

/**
 * Requests the users' numbers, for a hundred users and thirty days at a time. A day without active users needs no row.
 * @throws {ServiceError}
 */
export async function fetchPeople(
  fetching: Fetching,
  activity: Promise<Fetched<ReportParts["activity"]>>,
): Promise<FetchedPeople> {
  const { service, listing, onUsers, period } = fetching;
  const unique = new UniqueRows<TalliedRow>();
  let rows = 0;
  const listRows: ListRows<UserRow> = (days, call) => service.analytics.users(days, call);
  const spans = splitPeriod(period, maxUserDays);
  const { coverage, ...found } = await walk(fetching, spans, listRows, (kept) => {
    for (const row of kept) unique.put(buildRowKey(row), trimUserRow(row));
    rows += kept.length;
    onUsers(rows);
  });
  const quietDays = findQuietDays(fetching, (await activity.catch(() => undefined))?.content);
  const people = new PeopleTally();
  for (const row of unique.list()) people.add(row);
  const content = people.result(listing);
  const known = coverage.result(unique.repeats(), quietDays);
  const isActivityKnown = known.brokenOff === undefined && (content.users > 0 || known.absentDays.length === 0);
  return { content, activeIds: people.activeIds(), isActivityKnown, coverage: known, ...found };
}

function findQuietDays({ days }: Fetching, activity: ReportParts["activity"] | undefined): Set<string> {
  return new Set(days.filter((_, index) => activity?.activeUsers.values[index] === 0));
}

/** Requests the organization's users, and finds the idle users. @throws {ServiceError} */
export async function fetchSeats(fetching: Fetching, people: Promise<FetchedPeople>): Promise<Fetched<Seats>> {
  const { service, listing, call } = fetching;
  const users = new UniqueRows<OrganizationUser>();
  let brokenRows = 0;
  let brokenOff: string | undefined;
  const onInvalidRow = (): void => {
    brokenRows += 1;
  };
  for await (const page of service.users.list({}, { ...call, onInvalidRow }).pages()) {
    for (const user of page.items) users.put(user.id || (user.email ?? ""), user);
    brokenOff = page.incomplete;
  }
  const active = await people.catch(() => undefined);
  const activeIds = active?.isActivityKnown ? active.activeIds : undefined;
  const content = countSeats(users.list(), activeIds, listing.isNamed);
  return { content, coverage: buildCoverage(omitUndefined({ brokenRows, brokenOff, ...users.repeats() })) };
}

/**
 * Requests one kind of row and adds the rows up.
 * @param trim picks the fields of a row to keep until all rows have arrived
 */
async function fetchPart<Row extends Dated, Kept, Content>(
  fetching: Fetching,
  listRows: ListRows<Row>,
  trim: (row: Row) => Kept,
  summarize: (rows: readonly Kept[], days: readonly string[]) => Content,
): Promise<Fetched<Content>> {
  const rows = new UniqueRows<Kept>();
  const { coverage, ...found } = await walk(fetching, [fetching.period], listRows, (kept) => {
    for (const row of kept) rows.put(buildRowKey(row), trim(row));
  });
  return { content: summarize(rows.list(), fetching.days), coverage: coverage.result(rows.repeats()), ...found };
}

/**
 * Requests a period page by page, and passes on the rows.
 * @param spans the period, or parts of it to request separately
 */
async function walk<Row extends Dated>(
  { period, call }: Fetching,
  spans: readonly Period[],
  listRows: ListRows<Row>,
  onRows: (rows: readonly Row[]) => void,
): Promise<{ readonly coverage: CoverageTally; readonly organization?: string }> {
  const coverage = new CoverageTally(period);
  const options = { ...call, onInvalidRow: () => coverage.drop() };
  let organization: string | undefined;
  for (const span of spans) {
    for await (const { items, meta, incomplete } of listRows(span, options).pages()) {
      coverage.answer(meta);
      if (incomplete !== undefined) coverage.breakOff(incomplete);
      onRows(coverage.keep(items));
      if (meta.org_id !== "") organization ??= shownName(meta.org_id);
    }
  }
  return omitUndefined({ coverage, organization });
}
