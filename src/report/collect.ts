import { omitUndefined } from "../core/omit-undefined.ts";
import { maxLimit } from "../service/arguments.ts";
import type { Client } from "../service/client.ts";
import { AbortError, ArgumentError, ServiceError } from "../service/error.ts";
import type { List } from "../service/list.ts";
import type { UserRow } from "../service/schemas/analytics.ts";
import { activityOf, creditsOf, productivityOf, toolUseOf } from "./parts.ts";
import { type People, PeopleTally } from "./people.ts";
import { daysOf, type Period } from "./period.ts";
import type { Missing, PartName, ReportParts, UsageReport } from "./report.ts";

export interface CollectOptions {
  /** Time of the report, Unix milliseconds; default now. */
  readonly nowMs?: number;
  readonly signal?: AbortSignal;
  /** Called after each page of users with the number of rows so far. */
  readonly onUsers?: (rows: number) => void;
}

type Dated = { readonly date: string };
/** Returns the rows of the period, and counts the others. */
type Filter = <Row extends Dated>(rows: readonly Row[]) => Row[];

/**
 * Requests all parts of a report at once: one request each, except for the users, which come 100 a page. A part that
 * fails is listed in `missing`, and the report has the others.
 * @throws {ServiceError} if every part fails, the period is invalid, or the caller's signal aborts
 */
export async function collect(
  { analytics }: Pick<Client, "analytics">,
  period: Period,
  { nowMs = Date.now(), signal, onUsers = () => {} }: CollectOptions = {},
): Promise<UsageReport> {
  const days = daysOf(period);
  const periodDays = new Set(days);
  let strayRows = 0;
  const inPeriod: Filter = (rows) => {
    const kept = rows.filter(({ date }) => periodDays.has(date));
    strayRows += rows.length - kept.length;
    return kept;
  };
  const rowsOf = async <Row extends Dated>(list: List<Row>) => inPeriod((await list.page()).items);
  const call = { signal };
  const { parts, missing } = await settle({
    credits: rowsOf(analytics.tokens({ ...period, groupBy: "model" }, call)).then((rows) => creditsOf(rows, days)),
    activity: rowsOf(analytics.activity({ ...period }, call)).then((rows) => activityOf(rows, days)),
    toolUse: rowsOf(analytics.tools({ ...period }, call)).then((rows) => toolUseOf(rows, days)),
    productivity: rowsOf(analytics.productivity(period, call)).then((rows) => productivityOf(rows, days)),
    people: peopleOf(analytics.users({ ...period, limit: maxLimit }, call), inPeriod, onUsers),
  });
  return { period: { ...period }, days, madeAt: new Date(nowMs).toISOString(), missing, strayRows, ...parts };
}

/** Waits for all parts. Throws an error that fails the whole report, or if every part failed, that of the first. */
async function settle(requests: { readonly [Part in PartName]: Promise<ReportParts[Part]> }) {
  const names = Object.keys(requests) as PartName[];
  const settled = await Promise.allSettled(Object.values(requests));
  const parts: [PartName, unknown][] = [];
  const missing: Missing[] = [];
  settled.forEach((result, n) => {
    const part = names[n] as PartName;
    if (result.status === "fulfilled") parts.push([part, result.value]);
    else if (isPartial(result.reason)) missing.push(missingOf(part, result.reason));
    else throw result.reason;
  });
  if (missing.length === names.length) await requests[names[0] as PartName];
  return { parts: Object.fromEntries(parts) as Partial<ReportParts>, missing };
}

async function peopleOf(list: List<UserRow>, inPeriod: Filter, onUsers: (rows: number) => void): Promise<People> {
  const tally = new PeopleTally();
  let rows = 0;
  for await (const { items } of list.pages()) {
    for (const row of inPeriod(items)) tally.add(row);
    rows += items.length;
    onUsers(rows);
  }
  return tally.result();
}

/** Whether an error costs only its part: an invalid period and an aborted signal fail the whole report. */
function isPartial(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !(error instanceof AbortError || error instanceof ArgumentError);
}

function missingOf(part: PartName, { message, detail, hint }: ServiceError): Missing {
  return omitUndefined<Missing>({ part, reason: [message, detail].filter(Boolean).join(" "), hint });
}
