import { isDeepStrictEqual } from "node:util";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { CallOptions, RowPlace } from "../service/call-options.ts";
import type { Client } from "../service/client.ts";
import type { List } from "../service/list.ts";
import type { AnalyticsMeta, CreditsRow, UserRow } from "../service/schemas/analytics.ts";
import type { OrganizationUser } from "../service/schemas/objects.ts";
import { type Coverage, CoverageTally, type Fetched } from "./coverage.ts";
import {
  type CreditsDay,
  summarizeActivity,
  summarizeCredits,
  summarizeProductivity,
  summarizeToolUse,
} from "./parts.ts";
import { type Listing, PeopleTally, type TalliedRow, trimUserRow } from "./people.ts";
import { type Period, splitPeriod } from "./period.ts";
import { shownName } from "./ranking.ts";
import type { ReportParts } from "./report.ts";

/** Period to request from the service, and options. */
export interface Fetching {
  readonly service: Pick<Client, "analytics" | "users" | "readiness" | "enterpriseControls" | "sessions">;
  readonly period: Period;
  /** Days of the period. */
  readonly days: readonly string[];
  readonly listing: Listing;
  readonly call: CallOptions;
  readonly onUsers: (rows: number) => void;
}

type Dated = { readonly date: string };
/** Function that lists the rows of a period. */
type ListPeriod<Row> = (days: Period, call: CallOptions) => List<Row, { readonly meta: AnalyticsMeta }>;

/** Requests credits. @throws {ServiceError} */
export function fetchCredits(fetching: Fetching): Promise<Fetched<ReportParts["credits"]>> {
  const { analytics } = fetching.service;
  return fetchPart(fetching, (days, call) => analytics.tokens(days, call), withoutUsers, summarizeCredits);
}

/** Requests the parts that depend on no other part. Each promise may reject on its own with a `ServiceError`. */
export function fetchRows(fetching: Fetching) {
  const { analytics } = fetching.service;
  return {
    credits: fetchCredits(fetching),
    toolUse: fetchPart(fetching, (days, call) => analytics.tools(days, call), unchanged, summarizeToolUse),
    productivity: fetchPart(
      fetching,
      (days, call) => analytics.productivity(days, call),
      unchanged,
      summarizeProductivity,
    ),
    activity: fetchPart(fetching, (days, call) => analytics.activity(days, call), unchanged, summarizeActivity),
  };
}

const unchanged = <Row>(row: Row): Row => row;
const withoutUsers = ({ by_user: _, ...row }: CreditsRow): CreditsDay => row;

/** Rows of users, added up by id. Their content is built after both periods, when each user's ids and addresses are known. */
export type FetchedPeople = Fetched<never> & {
  readonly tally: PeopleTally;
  /** Days for which the credits of the organization are known. */
  readonly creditDays: readonly string[];
  /** True if the list of users was received to its end. An empty list is accepted only if no day had active users. */
  readonly isActivityKnown: boolean;
};

/** Maximum number of days for which users are requested at once, because each user has a row per day. */
const maxUserDays = 30;

/**
 * Maximum number of days per request in a report of more than 30 days, because a reply about credits has data for each
 * user on each day.
 */
const maxRowDays = 10;

type Part<Name extends keyof ReportParts> = Promise<Fetched<ReportParts[Name]>>;

/**
 * Requests the users' numbers, a hundred users and thirty days at a time. A day without active users needs no row.
 * Keeps the rows of at most thirty days in memory.
 * @throws {ServiceError}
 */
export async function fetchPeople(
  fetching: Fetching,
  { activity, credits }: { readonly activity: Part<"activity">; readonly credits: Part<"credits"> },
): Promise<FetchedPeople> {
  const { service, onUsers, days } = fetching;
  const tally = new PeopleTally(days);
  let received = 0;
  const onReply = (count: number): void => {
    received += count;
    onUsers(received);
  };
  const source: Source<UserRow, TalliedRow> = {
    list: (span, call) => service.analytics.users(span, call),
    trim: trimUserRow,
    spanDays: maxUserDays,
    onReply,
  };
  const { coverage, organization } = await fetchSpans(fetching, source, (rows) => {
    for (const row of rows) tally.add(row);
  });
  const active = (await activity.catch(() => undefined))?.content?.activeUsers.values ?? [];
  const known = coverage.result(new Set(days.filter((_, index) => active[index] === 0)));
  const credited = (await credits.catch(() => undefined))?.content?.byDay.values ?? [];
  const creditDays = days.filter((_, index) => (credited[index] ?? null) !== null);
  const hasUsers = tally.listLabels().length > 0;
  const isActivityKnown = known.brokenOff === undefined && (hasUsers || known.absentDays.length === 0);
  return omitUndefined({ tally, creditDays, isActivityKnown, coverage: known, organization });
}

/** The organization's users. */
export type FetchedSeats = Fetched<never> & { readonly rows: readonly OrganizationUser[] };

/** Requests the organization's users. @throws {ServiceError} */
export async function fetchSeats({ service, call }: Fetching): Promise<FetchedSeats> {
  return await fetchList(
    {
      list: (options) => service.users.list({}, options),
      key: ({ id, email }) => id || (email ?? ""),
      trim: (user: OrganizationUser) => user,
    },
    call,
  );
}

/** Requests one kind of row and adds the rows up. */
async function fetchPart<Row extends Dated, Kept, Content>(
  fetching: Fetching,
  list: ListPeriod<Row>,
  trim: (row: Row) => Kept,
  summarize: (rows: readonly Kept[], days: readonly string[]) => Content,
): Promise<Fetched<Content>> {
  const rows: Kept[] = [];
  const spanDays = fetching.days.length > maxUserDays ? maxRowDays : maxUserDays;
  const { coverage, organization } = await fetchSpans(fetching, { list, trim, spanDays }, (part) => {
    rows.push(...part);
  });
  return omitUndefined({ content: summarize(rows, fetching.days), coverage: coverage.result(), organization });
}

/** Rows to request day by day. */
interface Source<Row, Kept> {
  readonly list: ListPeriod<Row>;
  /** Picks the fields of a row to keep until all rows of a span have arrived. */
  readonly trim: (row: Row) => Kept;
  /** Number of days to request at once. */
  readonly spanDays: number;
  /** Called after each reply, with its number of rows. */
  readonly onReply?: (rows: number) => void;
}

/** Requests the rows of a period, span by span and page by page, and passes each span's rows on, each row once. */
async function fetchSpans<Row extends Dated, Kept>(
  { call, period, days }: Fetching,
  { list, trim, spanDays, onReply }: Source<Row, Kept>,
  onRows: (rows: readonly Kept[]) => void,
): Promise<{ readonly coverage: CoverageTally; readonly organization: string | undefined }> {
  const coverage = new CoverageTally(days);
  const options = { ...call, onInvalidRow: (_: unknown, { row }: RowPlace) => coverage.drop(row) };
  let organization: string | undefined;
  for (const span of splitPeriod(period, spanDays)) {
    const rows = new UniqueRows<Kept>();
    for await (const { items, meta, incomplete } of list(span, options).pages()) {
      coverage.answer(meta);
      if (incomplete !== undefined) coverage.breakOff(incomplete);
      const kept = coverage.keep(items, span);
      for (const row of kept) rows.put(buildRowKey(row), trim(row));
      if (meta.org_id !== "") organization ??= shownName(meta.org_id);
      onReply?.(kept.length);
    }
    onRows(rows.list());
    coverage.repeat(rows.repeats());
  }
  return { coverage, organization };
}

/** List that the service sends page by page and not by day, such as the users. */
interface WalkedList<Row, Kept> {
  readonly list: (call: CallOptions) => List<Row>;
  readonly key: (row: Row) => string;
  /** Picks what is kept of a row in memory. */
  readonly trim: (row: Row) => Kept;
  /** True for a row of a sorted list that makes the next pages unnecessary. All rows of its page are kept. */
  readonly isLast?: (row: Row) => boolean;
}

/**
 * Requests a list page by page; returns each row once. Unreadable and repeated rows are counted in the coverage.
 * @throws {ServiceError}
 */
export async function fetchList<Row, Kept>(
  { list, key, trim, isLast = () => false }: WalkedList<Row, Kept>,
  call: CallOptions,
): Promise<{ readonly rows: readonly Kept[]; readonly coverage: Coverage }> {
  const rows = new UniqueRows<Kept>();
  const coverage = new CoverageTally([]);
  const options = { ...call, onInvalidRow: (_: unknown, { row }: RowPlace) => coverage.drop(row) };
  for await (const { items, incomplete } of list(options).pages()) {
    for (const row of items) rows.put(key(row), trim(row));
    if (items.some(isLast)) break;
    if (incomplete !== undefined) coverage.breakOff(incomplete);
  }
  coverage.repeat(rows.repeats());
  return { rows: rows.list(), coverage: coverage.result() };
}

/** Rows by key, each kept once. A row that comes again, because the list changed, replaces the earlier row. */
export class UniqueRows<Row> {
  readonly #rows = new Map<string, Row>();
  #repeated = 0;
  readonly #changed = new Set<string>();

  /** Adds a row, or replaces the row with the same key. */
  put(key: string, row: Row): void {
    const earlier = this.#rows.get(key);
    if (earlier !== undefined) {
      this.#repeated += 1;
      if (!isDeepStrictEqual(earlier, row)) this.#changed.add(key);
    }
    this.#rows.set(key, row);
  }

  /** Lists each row once. */
  list(): Row[] {
    return [...this.#rows.values()];
  }

  /** Counts the repetitions of rows, and the rows whose content differed. */
  repeats(): { readonly repeatedRows: number; readonly changedRows: number } {
    return { repeatedRows: this.#repeated, changedRows: this.#changed.size };
  }
}

/** Builds the key of a row of analytics: its day, and its group or user. */
export function buildRowKey(row: Dated & Partial<Record<"group_key" | "user_id" | "user_email", unknown>>): string {
  return JSON.stringify([row.date, row.group_key, row.user_id || row.user_email]);
}
