import { kebabCase } from "../../../../core/vocabulary.ts";
import { shellWord } from "../../../../installer/agents/command-line.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { IncompleteError } from "../../../../service/error.ts";
import type { List } from "../../../../service/list.ts";
import type { Page } from "../../../../service/paging.ts";
import { cleanLine } from "../../../../text/clean.ts";
import type { CliContext } from "../../../context.ts";
import type { Progress } from "../output/progress.ts";
import type { RowPrinter } from "../output/row-printer.ts";
import type { DayCoverage } from "./day-coverage.ts";
import { DoubledRows } from "./doubled-rows.ts";
import type { Options } from "./request-arguments.ts";

/** Remarks and failure to report after a reply was printed. */
export interface Printed {
  readonly remarks: readonly string[];
  /** Errors for rows or days that the service did not return, or returned twice. */
  readonly failures: readonly (Error | undefined)[];
}

/** Printer of a list's rows, with the record of the rows' days. */
interface ListOutput extends Pick<CliContext, "drained"> {
  readonly printer: RowPrinter;
  readonly progress: Progress;
  readonly coverage: DayCoverage | undefined;
  /** Gets the first row of the page at a cursor. */
  readonly peek: (cursor: string) => Promise<object | undefined>;
}

/** Returns the page size to request for the user's `--limit`. */
export function pageLimit({ paging }: Endpoint, { limit }: Options): { limit?: number } {
  if (typeof limit !== "number" || paging === undefined || paging.parameter === "startDate") return {};
  return { limit: paging.parameter === "cursor" ? Math.min(limit, paging.walkSize) : limit };
}

/**
 * Prints one page; with `--limit`, as many pages as needed; with `--all` and for daily data, every page. Shows progress
 * between pages. Fetches the next page only after standard output has taken this page, to bound memory.
 */
export async function printList(
  list: List<object>,
  endpoint: Endpoint,
  { all, limit }: Options,
  output: ListOutput,
): Promise<Printed> {
  const { printer, progress, coverage, drained } = output;
  const most = typeof limit === "number" ? limit : Number.POSITIVE_INFINITY;
  const isOnePage = all !== true && limit === undefined && endpoint.paging?.parameter !== "startDate";
  const doubled = new DoubledRows(endpoint);
  let [count, pages] = [0, 0];
  for await (const page of isOnePage ? firstPage(list) : list.pages()) {
    const shown = page.items.slice(0, most - count);
    const following = await findFollowing(page, shown.length, output);
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

/** Finds the row after the shown rows, on the same or the next page, for a printer that compares rows. */
async function findFollowing(
  { items, next }: Page<object>,
  count: number,
  { printer, peek }: ListOutput,
): Promise<object | undefined> {
  if (count < items.length || next === undefined || !printer.comparesRows) return items[count];
  return await peek(next);
}

async function* firstPage(list: List<object>): AsyncGenerator<Page<object>> {
  yield await list.page();
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
