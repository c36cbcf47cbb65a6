import { CommandError } from "../../../../core/errors.ts";
import type { Period } from "../../../../report/period.ts";
import type { RowPlace } from "../../../../service/call-options.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { AbortError, type ParseError } from "../../../../service/error.ts";
import { List } from "../../../../service/list.ts";
import { checkArguments, prepareRequest } from "../../../../service/request.ts";
import type { ServiceClient } from "../../../../service.ts";
import type { CliContext } from "../../../context.ts";
import { interrupted } from "../../../errors.ts";
import { createProgress } from "../output/progress.ts";
import { createRowPrinter, type RowPrinter } from "../output/row-printer.ts";
import { pathIds } from "./command-shape.ts";
import { type ConnectOptions, connect } from "./connect.ts";
import { createFailure } from "./failure.ts";
import { cutRemark } from "./period.ts";
import { DayCoverage, type Printed, pageLimit, printList } from "./print-list.ts";
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
  const client = await connect(context, connection);
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
    const peek = (cursor: string) =>
      firstRow(call(client, endpoint, [...ids, { ...query, cursor, limit: 1 }, { signal }]) as List<object>);
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

/** Gets the first row of a page, for a comparison with another row; undefined if the request fails. */
async function firstRow(list: List<object>): Promise<object | undefined> {
  const page = await list.page().catch(() => undefined);
  return page?.items[0];
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
    const checked = checkArguments(endpoint, { ids: named, query: args, body: args }, (context.now ?? Date.now)());
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
