import { cleanLine } from "../../../../core/clean.ts";
import { kebabCase } from "../../../../core/vocabulary.ts";
import { shellWord } from "../../../../installer/agents/command-line.ts";
import { maxLimit } from "../../../../service/arguments.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { AbortError } from "../../../../service/error.ts";
import { List } from "../../../../service/list.ts";
import { checkArguments, requestOf } from "../../../../service/request.ts";
import type { ServiceClient } from "../../../../service.ts";
import type { CliContext } from "../../../context.ts";
import { interrupted } from "../../../errors.ts";
import { createProgress, type Progress } from "../output/progress.ts";
import { type RowPrinter, rowPrinterOf } from "../output/row-printer.ts";
import { pathIds } from "./command-shape.ts";
import { connect } from "./connect.ts";
import { failureOf } from "./failure.ts";
import { type Options, requestArguments } from "./request-arguments.ts";

/**
 * Calls one operation of the service and prints its reply.
 * @param ids the ids in its path, in order
 * @returns the exit code: 0, or 130 after Ctrl-C
 * @throws {UsageError | CommandError}
 */
export async function runOperation(
  endpoint: Endpoint,
  ids: readonly string[],
  options: Options,
  context: CliContext,
): Promise<number> {
  const args = await requestArguments(endpoint, options, context);
  checkUsage(endpoint, ids, args, context);
  const client = await connect(context);
  const signal = context.interruption();
  const printer = rowPrinterOf(endpoint, options, context);
  const progress = createProgress(context);
  try {
    const query = args && options["all"] ? { ...largestPage(endpoint), ...args } : args;
    const reply = call(client, endpoint, [...ids, ...(query ? [query] : []), { signal }]);
    const remarks = reply instanceof List ? await printList(reply, endpoint, options, printer, progress) : [];
    if (!(reply instanceof List)) printer.print([await reply]);
    for (const remark of [...printer.remarks(), ...remarks]) context.printError(remark);
    return 0;
  } catch (error) {
    progress.clear();
    if (!(error instanceof AbortError && signal.aborted)) throw failureOf(error, endpoint, context.paths.config);
    context.printError(["Stopped.", error.hint].filter(Boolean).join(" "));
    return interrupted;
  }
}

/** Reports wrong usage before the key is looked up, which may start a program. */
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
    requestOf(endpoint, checked, anyAddress);
  } catch (error) {
    throw failureOf(error, endpoint, context.paths.config);
  }
}

type Method = (...args: readonly unknown[]) => List<object> | Promise<object>;

/** An operation is named like its method in the client: `sessions.messages`. */
function call(client: ServiceClient, { name }: Endpoint, args: readonly unknown[]): ReturnType<Method> {
  const [resource = "", verb = ""] = name.split(".");
  const methods = client[resource as keyof ServiceClient] as unknown as Readonly<Record<string, Method>>;
  const method = methods[verb];
  if (method === undefined) throw new Error(`the client has no ${name}`);
  return method.apply(methods, [...args]);
}

/** `--all` uses as few pages as the API allows; for readiness reports the API document names no maximum. */
function largestPage(endpoint: Endpoint): { limit?: number } {
  return endpoint.paging?.parameter === "cursor" ? { limit: maxLimit } : {};
}

/**
 * Prints one page, or with `--all` every page, and shows progress while it waits for the next one.
 * @returns what to say about items that were not printed
 */
async function printList(
  list: List<object>,
  endpoint: Endpoint,
  { all, limit }: Options,
  printer: RowPrinter,
  progress: Progress,
): Promise<string[]> {
  if (all !== true) {
    const { items, next } = await list.page();
    // An endpoint without pages knows no `limit`; its rows are cut here.
    const isCutHere = endpoint.query?.shape["limit"] === undefined && typeof limit === "number";
    const shown = isCutHere ? items.slice(0, limit) : items;
    printer.print(shown);
    return next !== undefined || items.length > shown.length ? [moreRemark(next, endpoint)] : [];
  }
  let count = 0;
  for await (const { items, next } of list.pages()) {
    progress.clear();
    printer.print(items);
    count += items.length;
    if (next !== undefined) progress.show(`${count.toLocaleString("en")} so far, fetching more …`);
  }
  progress.clear();
  return [];
}

/** How to get the items that were not printed. @param next cursor of the next page, if there is one */
function moreRemark(next: string | undefined, { paging }: Endpoint): string {
  // A cursor with control characters is not printed: cleaned it would be another one.
  const isPrintable = next !== undefined && cleanLine(next) === next;
  if (!isPrintable || paging === undefined) return "There are more; use --all for everything.";
  // Where a page begins after an item, only the next request can tell whether there are more.
  const are = paging.parameter === "cursor" ? "are" : "may be";
  const option = `--${kebabCase(paging.parameter)} ${shellWord(next)}`;
  return `There ${are} more; use --all for everything, or ${option} for the next page.`;
}
