import { CommandError } from "../../../../core/errors.ts";
import { at } from "../../../../core/json-value.ts";
import { kebabCase } from "../../../../core/vocabulary.ts";
import { shellWord } from "../../../../installer/agents/command-line.ts";
import { groupRanges, listDays, type Period } from "../../../../report/period.ts";
import type { RowPlace } from "../../../../service/call-options.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { AbortError, IncompleteError, type ParseError } from "../../../../service/error.ts";
import { List } from "../../../../service/list.ts";
import type { Page } from "../../../../service/paging.ts";
import { checkArguments, prepareRequest } from "../../../../service/request.ts";
import { userMetrics } from "../../../../service/resources/analytics.ts";
import type { ServiceClient } from "../../../../service.ts";
import { cleanLine } from "../../../../text/clean.ts";
import { isDay } from "../../../../text/time.ts";
import type { CliContext } from "../../../context.ts";
import { interrupted } from "../../../errors.ts";
import { findRowSchema } from "../output/csv.ts";
import { createProgress, type Progress } from "../output/progress.ts";
import { createRowPrinter, type RowPrinter } from "../output/row-printer.ts";
import { pathIds } from "./command-shape.ts";
import { type ConnectOptions, connect } from "./connect.ts";
import { createFailure } from "./failure.ts";
import { cutRemark } from "./period.ts";
import { type Options, requestArguments } from "./request-arguments.ts";

/**
 * Calls one operation of the service and prints its reply.
 * @param ids ids in the operation's path, in order
 * @returns the exit code: 0, or 130 after Ctrl-C
 * @throws {UsageError | CommandError} An incomplete list is printed before the error is thrown.
 */
export async function runOperation(
  endpoint: Endpoint,
  ids: readonly string[],
  options: Options,
  context: CliContext,
): Promise<number> {
  const args = await requestArguments(endpoint, options, context);
  checkUsage(endpoint, ids, args, context);
  const connection = options as ConnectOptions;
  const { client } = await connect(context, connection);
  const signal = context.interruption();
  const printer = createRowPrinter(endpoint, options, context);
  const progress = createProgress(context);
  const period = endpoint.daily && (args as unknown as Period);
  try {
    const query = args && { ...args, ...(endpoint.items && pageLimit(endpoint, options)) };
    const invalid = new InvalidRows();
    const isGrouped = options["groupBy"] !== undefined;
    const coverage = period && new DayCoverage(endpoint, period, isGrouped);
    const onInvalidRow = (error: ParseError, { row }: RowPlace): void => {
      invalid.add(error);
      coverage?.addUnreadable(row);
    };
    const callOptions = endpoint.items === undefined ? { signal } : { signal, onInvalidRow };
    const reply = call(client, endpoint, [...ids, ...(query ? [query] : []), callOptions]);
    const peek = async (cursor: string) => {
      const next = call(client, endpoint, [...ids, { ...query, cursor, limit: 1 }, { signal }]) as List<object>;
      return (await next.page().catch(() => undefined))?.items[0];
    };
    const { remarks, failures } =
      reply instanceof List
        ? await printList(reply, endpoint, options, { printer, progress, coverage, peek, drained: context.drained })
        : printOne(await reply, printer);
    const cut = period ? cutRemark(options, period) : [];
    for (const remark of [...printer.remarks(), ...cut, ...remarks]) context.printError(remark);
    throwFailures([invalid.failure(), ...failures], context);
    return 0;
  } catch (error) {
    progress.clear();
    if (!(error instanceof AbortError && signal.aborted))
      throw createFailure(error, endpoint, context.paths.config, connection.profile);
    context.printError(["Stopped.", error.hint].filter(Boolean).join(" "));
    return interrupted;
  }
}

/** Throws the first error, after printing the others. */
function throwFailures(all: readonly (Error | undefined)[], { printError }: CliContext): void {
  const [first, ...others] = all.filter((failure) => failure !== undefined);
  for (const { message } of others) printError(`${message}.`);
  if (first !== undefined) throw first;
}

function printOne(reply: object, printer: RowPrinter): Printed {
  printer.print([reply]);
  return { remarks: [], failures: [] };
}

/** Checks the arguments and options. Call this before the key is resolved, because that may run a program. */
function checkUsage(
  endpoint: Endpoint,
  ids: readonly string[],
  args: Readonly<Record<string, unknown>> = {},
  context: CliContext,
): void {
  const named = Object.fromEntries(pathIds(endpoint).map((name, n) => [name, ids[n]]));
  const anyAddress = { baseUrl: "https://localhost", appUrl: "https://localhost" };
  try {
    const checked = checkArguments(endpoint, { ids: named, query: args, body: args }, context.now());
    prepareRequest(endpoint, checked, anyAddress);
  } catch (error) {
    throw createFailure(error, endpoint, context.paths.config);
  }
}

type Method = (...args: readonly unknown[]) => List<object> | Promise<object>;

/** Calls the client's method for an operation, such as `sessions.messages`. */
function call(client: ServiceClient, { name }: Endpoint, args: readonly unknown[]): ReturnType<Method> {
  const [resource = "", verb = ""] = name.split(".");
  const methods = client[resource as keyof ServiceClient] as unknown as Readonly<Record<string, Method>>;
  const method = methods[verb];
  if (method === undefined) throw new Error(`the client has no ${name}`);
  return method.apply(methods, [...args]);
}

/** Record of the rows that do not match the API, and are therefore not printed. */
class InvalidRows {
  #count = 0;
  #first: ParseError | undefined;

  readonly add = (error: ParseError): void => {
    this.#count += 1;
    this.#first ??= error;
  };

  /** Creates an error that describes the first invalid row; undefined if there is none. */
  failure(): CommandError | undefined {
    if (this.#first === undefined) return undefined;
    const { message, excerpt, hint = "", requestId, method, path, status } = this.#first;
    const request = `${method} ${path}, status ${status}${requestId === undefined ? "" : `, request ${requestId}`}`;
    const rows = this.#count === 1 ? "1 row" : `${this.#count.toLocaleString("en")} rows`;
    const reply = excerpt === undefined ? "" : `\n  The reply: ${excerpt.slice(0, 200).toWellFormed()}`;
    const first = this.#count === 1 ? "" : "first, ";
    return new CommandError(`${rows} could not be read: ${first}${message} (${request})`, `${hint}${reply}`);
  }
}

/** Remarks and failure to report after a reply was printed. */
interface Printed {
  readonly remarks: readonly string[];
  /** Errors for rows or days that the service did not return, or returned twice. */
  readonly failures: readonly (Error | undefined)[];
}

/** Printer of a list's rows, with the record of the rows' days. */
interface ListOutput extends Pick<CliContext, "drained"> {
  readonly printer: RowPrinter;
  readonly progress: Progress;
  readonly coverage: DayCoverage | undefined;
  /** Gets the first row of the page at a cursor; undefined if the request fails. */
  readonly peek: (cursor: string) => Promise<object | undefined>;
}

/** Returns the page size to request for the user's `--limit`. */
function pageLimit({ paging }: Endpoint, { limit }: Options): { limit?: number } {
  if (typeof limit !== "number" || paging === undefined || paging.parameter === "startDate") return {};
  return { limit: paging.parameter === "cursor" ? Math.min(limit, paging.walkSize) : limit };
}

/**
 * Prints one page; with `--limit`, as many pages as needed; with `--all` and for daily data, every page. Shows progress
 * between pages. Fetches the next page only after standard output has taken this page, to bound memory.
 */
async function printList(
  list: List<object>,
  endpoint: Endpoint,
  { all, limit }: Options,
  output: ListOutput,
): Promise<Printed> {
  const { printer, progress, coverage, peek, drained } = output;
  const most = typeof limit === "number" ? limit : Number.POSITIVE_INFINITY;
  const isOnePage = all !== true && limit === undefined && endpoint.paging?.parameter !== "startDate";
  const doubled = new DoubledRows(endpoint);
  let [count, pages] = [0, 0];
  for await (const page of isOnePage ? [await list.page()] : list.pages()) {
    const shown = page.items.slice(0, most - count);
    // A printer that compares rows needs the row after those shown, on this page or the next.
    const isNextNeeded = shown.length === page.items.length && printer.comparesRows;
    const following = isNextNeeded && page.next !== undefined ? await peek(page.next) : page.items[shown.length];
    progress.clear();
    printer.print(shown, following);
    await drained?.();
    coverage?.add(page as Page<object> & Readonly<Record<string, unknown>>);
    count += shown.length;
    pages += 1;
    doubled.add(shown);
    const failures = [doubled.failure()];
    if (shown.length < page.items.length) return { remarks: [moreRemark(undefined, endpoint)], failures };
    if (page.incomplete !== undefined) {
      return { remarks: [], failures: [new IncompleteError(page.incomplete, [], pages, count), ...failures] };
    }
    if (page.next !== undefined && (isOnePage || count === most)) {
      return { remarks: [moreRemark(page.next, endpoint)], failures };
    }
    if (page.next !== undefined) progress.show(`Fetched ${count.toLocaleString("en")} rows …`);
  }
  progress.clear();
  return { remarks: [], failures: [coverage?.failure(), doubled.failure()] };
}

/**
 * Explains how to get the remaining rows.
 * @param next cursor of the next page, if there is one
 */
function moreRemark(next: string | undefined, { paging }: Endpoint): string {
  // A cursor with control characters is not printed, because cleaning would change it.
  const isPrintable = next !== undefined && cleanLine(next) === next;
  if (!isPrintable || paging === undefined || paging.parameter === "startDate") {
    return "There are more rows. Use --all to get everything.";
  }
  // If a page begins after an item, only the next request shows if there are more.
  const are = paging.parameter === "cursor" ? "are" : "may be";
  const option = `--${kebabCase(paging.parameter)} ${shellWord(next)}`;
  return `There ${are} more rows. Use --all to get everything, or ${option} for the next page.`;
}

/** Maximum number of doubled rows to name. */
const maxNames = 5;

/** Record of the rows of a list, which finds rows that come more than once. */
class DoubledRows {
  readonly #fields: readonly string[];
  readonly #seen = new Set<string>();
  readonly #doubled = new Set<string>();
  #count = 0;

  /** Identifies rows by their day, if they have one, the first field of their schema, and their group or user. */
  constructor(endpoint: Endpoint) {
    const [first = ""] = Object.keys(findRowSchema(endpoint, false).shape);
    this.#fields = [...new Set(["date", first, "group_key", "user_id"])];
  }

  add(items: readonly object[]): void {
    for (const item of items as readonly Readonly<Record<string, unknown>>[]) {
      const named = item["user_id"] === "" ? [...this.#fields, "user_email"] : this.#fields;
      const key = named.flatMap((field) => item[field] ?? []).join(" ");
      if (!this.#seen.has(key)) this.#seen.add(key);
      else {
        this.#doubled.add(key);
        this.#count += 1;
      }
    }
  }

  /** Creates an error that names the doubled rows; undefined if each row came once. */
  failure(): CommandError | undefined {
    if (this.#count === 0) return undefined;
    const names = [...this.#doubled].slice(0, maxNames).map(cleanLine).join(", ");
    const more = this.#doubled.size > maxNames ? ` and ${this.#doubled.size - maxNames} more` : "";
    const rows = this.#count === 1 ? "1 row is" : `${this.#count.toLocaleString("en")} rows are`;
    const hint = "Count each of them once, or try again: the list may have changed while it was read.";
    return new CommandError(`${rows} a repetition of an earlier row: ${names}${more}`, hint);
  }
}

/** Maximum number of ranges of missing days to name. */
const maxRanges = 5;

/** Record of the requested days for which the service has answered. */
class DayCoverage {
  readonly #days: readonly string[];
  readonly #isRowADay: boolean;
  readonly #covered = new Set<string>();

  /**
   * Creates the record of a request.
   * @param isGrouped true for rows by group and day; a day without activity has no such row
   */
  constructor({ name }: Pick<Endpoint, "name">, period: Period, isGrouped: boolean) {
    this.#days = listDays(period);
    this.#isRowADay = name !== userMetrics.name && !isGrouped;
  }

  /**
   * Adds the days that a page covers: those within the range in `meta`; if each day has a row, only the days with rows.
   */
  add({ items, meta }: { readonly items: readonly object[]; readonly meta?: unknown }): void {
    const { start_date: from, end_date: to } = (meta ?? {}) as Readonly<Record<string, unknown>>;
    const hasRange = typeof from === "string" && typeof to === "string" && isDay(from) && isDay(to);
    const dates = items.map((row) => String((row as { date?: unknown }).date));
    const rowDays = new Set(dates);
    for (const day of this.#days) {
      const isInRange = !hasRange || (day >= from && day <= to);
      if (isInRange && (!this.#isRowADay || rowDays.has(day))) this.#covered.add(day);
    }
  }

  /** Adds the day of an unreadable row, which is not missing. */
  addUnreadable(row: unknown): void {
    this.#covered.add(String(at(row, "date")));
  }

  /** Creates an error that names the missing days; undefined if no day is missing. */
  failure(): CommandError | undefined {
    const missing = this.#days.filter((day) => !this.#covered.has(day));
    if (missing.length === 0) return undefined;
    const ranges = groupRanges(missing).map(({ startDate, endDate }) =>
      startDate === endDate ? startDate : `${startDate} to ${endDate}`,
    );
    const more = ranges.length > maxRanges ? ` and ${ranges.length - maxRanges} more ranges` : "";
    const named = `${ranges.slice(0, maxRanges).join(", ")}${more}`;
    const count = `${missing.length} of ${this.#days.length} days are missing from the service's reply: ${named}`;
    return new CommandError(count, "The output is incomplete. Try again later, or choose other days.");
  }
}
