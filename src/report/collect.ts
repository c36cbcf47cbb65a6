import { maxLimit } from "../service/arguments.ts";
import type { Client } from "../service/client.ts";
import { AbortError, ArgumentError, ServiceError } from "../service/error.ts";
import type { List } from "../service/list.ts";
import type { UserRow } from "../service/schemas/user-row.ts";
import type { CallOptions } from "../service/transport.ts";
import { activityOf } from "./parts.ts";
import { creditsOf } from "./credits.ts";
import { type People, PeopleTally } from "./people.ts";
import { daysOf, type Period } from "./period.ts";
import { productivityOf } from "./productivity.ts";
import { type Missing, type PartName, partTitles, type ReportParts, type UsageReport } from "./report.ts";
import { toolUseOf } from "./tool-use.ts";

export interface CollectOptions {
  /** When the report is made, Unix milliseconds; default now. */
  readonly nowMs?: number;
  readonly signal?: AbortSignal;
  /** Told how many rows of users are there, page after page. */
  readonly onUsers?: (rows: number) => void;
}

const partNames = Object.keys(partTitles) as PartName[];

type Asker = Pick<Client, "analytics">;
type Dated = { readonly date: string };
/** Passes on the rows of the period and counts the others. */
type Sieve = <Row extends Dated>(rows: readonly Row[]) => Row[];

/**
 * Asks the service for a report's parts, all at once: one request for each but the users, who come 100 a page. A part
 * that cannot be had is named in `missing`, and the others are there.
 * @throws {ServiceError} where no part can be had, the period cannot be asked for, or the caller's signal ends it
 */
export async function collect(client: Asker, period: Period, options: CollectOptions = {}): Promise<UsageReport> {
  const { nowMs = Date.now(), signal, onUsers } = options;
  const days = daysOf(period);
  let strayRows = 0;
  const asDays = new Set(days);
  const sieve: Sieve = (rows) => {
    const own = rows.filter(({ date }) => asDays.has(date));
    strayRows += rows.length - own.length;
    return own;
  };
  const asked = ask(client, period, days, sieve, { signal }, onUsers);
  const found = await Promise.all(partNames.map((part) => settle(part, asked[part])));
  const errors = found.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const fatal = errors.find((error) => error instanceof AbortError || error instanceof ArgumentError);
  if (fatal !== undefined) throw fatal;
  if (errors.length === found.length) throw errors[0];
  return {
    period: { ...period },
    days,
    madeAt: new Date(nowMs).toISOString(),
    missing: found.flatMap(({ part, error }) => (error === undefined ? [] : [missingOf(part, error)])),
    strayRows,
    ...Object.fromEntries(found.flatMap(({ part, value }) => (value === undefined ? [] : [[part, value]]))),
  };
}

type Asked = { readonly [Part in PartName]: Promise<ReportParts[Part]> };

function ask(
  { analytics }: Asker,
  span: Period,
  days: readonly string[],
  sieve: Sieve,
  options: CallOptions,
  onUsers: CollectOptions["onUsers"],
): Asked {
  const rowsOf = async <Row extends Dated>(list: List<Row>): Promise<Row[]> => sieve((await list.page()).items);
  return {
    credits: rowsOf(analytics.tokens({ ...span, groupBy: "model" }, options)).then((rows) => creditsOf(rows, days)),
    activity: rowsOf(analytics.activity({ ...span }, options)).then((rows) => activityOf(rows, days)),
    toolUse: rowsOf(analytics.tools({ ...span }, options)).then((rows) => toolUseOf(rows, days)),
    productivity: rowsOf(analytics.productivity(span, options)).then((rows) => productivityOf(rows, days)),
    people: peopleOf(analytics.users({ ...span, limit: maxLimit }, options), sieve, onUsers),
  };
}

async function peopleOf(list: List<UserRow>, sieve: Sieve, onUsers?: (rows: number) => void): Promise<People> {
  const tally = new PeopleTally();
  let rows = 0;
  for await (const { items } of list.pages()) {
    for (const row of sieve(items)) tally.add(row);
    rows += items.length;
    onUsers?.(rows);
  }
  return tally.result();
}

interface Found {
  readonly part: PartName;
  readonly value?: ReportParts[PartName];
  readonly error?: ServiceError;
}

async function settle(part: PartName, promise: Promise<ReportParts[PartName]>): Promise<Found> {
  try {
    return { part, value: await promise };
  } catch (error) {
    if (error instanceof ServiceError) return { part, error };
    throw error;
  }
}

function missingOf(part: PartName, { message, detail, hint }: ServiceError): Missing {
  return { part, reason: [message, detail].filter(Boolean).join(" "), ...(hint !== undefined && { hint }) };
}
