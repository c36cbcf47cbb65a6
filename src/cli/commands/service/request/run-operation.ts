import { cleanLine } from "../../../../core/clean.ts";
import { kebabCase } from "../../../../core/vocabulary.ts";
import { maxLimit } from "../../../../service/arguments.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { AbortError } from "../../../../service/error.ts";
import { List } from "../../../../service/list.ts";
import { checkArguments, requestOf } from "../../../../service/request.ts";
import type { ServiceClient } from "../../../../service.ts";
import { shellWord } from "../../../../installer/agents/command-line.ts";
import type { CliContext } from "../../../context.ts";
import { interrupted } from "../../../errors.ts";
import { connect } from "../../../service/connect.ts";
import { failureOf } from "./failure.ts";
import { givenOf, type Options } from "./request-arguments.ts";
import { partsOf } from "../../../service/names.ts";
import { createProgress } from "../output/progress.ts";
import { viewOf } from "../../../service/view.ts";
import { type Rest, walk } from "../output/row-printer.ts";

type Method = (...args: readonly unknown[]) => List<object> | Promise<object>;

/**
 * Carries out one operation of the service and shows what comes back.
 * @param parts the ids in its path, in order
 * @returns the exit code: 0, or 130 after Ctrl-C
 * @throws {UsageError | CommandError}
 */
export async function runOperation(
  endpoint: Endpoint,
  parts: readonly string[],
  options: Options,
  context: CliContext,
): Promise<number> {
  const given = await givenOf(endpoint, options, context);
  refuseMisuse(endpoint, parts, given, context);
  const client = await connect(context);
  const signal = context.interruption();
  const view = viewOf(endpoint, options, context);
  const progress = createProgress(context);
  try {
    const asked = given && options["all"] ? { ...largestPage(endpoint), ...given } : given;
    const reply = call(client, endpoint, [...parts, ...(asked ? [asked] : []), { signal }]);
    const isList = reply instanceof List;
    const rest = isList ? await walk(reply, walkOptions(endpoint, options), view.show, progress) : nothing;
    if (!isList) view.show([await reply]);
    for (const remark of [...view.remarks(), ...moreRemarks(rest, endpoint)]) context.printError(remark);
    return 0;
  } catch (error) {
    progress.clear();
    if (!(error instanceof AbortError && signal.aborted)) throw failureOf(error, endpoint, context.paths.config);
    context.printError(["Stopped.", error.hint].filter(Boolean).join(" "));
    return interrupted;
  }
}

/** Wrong usage is told before the key is looked for, which may start a program. */
function refuseMisuse(endpoint: Endpoint, parts: readonly string[], given: object | undefined, context: CliContext) {
  const ids = Object.fromEntries(partsOf(endpoint).map((name, at) => [name, parts[at]]));
  const body = (given ?? {}) as Readonly<Record<string, unknown>>;
  const anywhere = { baseUrl: "https://localhost", appUrl: "https://localhost" };
  try {
    const checked = checkArguments(endpoint, { parts: ids, query: body, body }, (context.now ?? Date.now)());
    requestOf(endpoint, checked, anywhere);
  } catch (error) {
    throw failureOf(error, endpoint, context.paths.config);
  }
}

const nothing: Rest = { isMore: false, cursor: undefined };

/** An operation's name is where its method is in the client: `sessions.messages`. */
function call(client: ServiceClient, { name }: Endpoint, args: readonly unknown[]): ReturnType<Method> {
  const [resource = "", verb = ""] = name.split(".");
  const methods = client[resource as keyof ServiceClient] as unknown as Readonly<Record<string, Method>>;
  const method = methods[verb];
  if (method === undefined) throw new Error(`the client has no ${name}`);
  return method.apply(methods, [...args]);
}

/** Everything is asked for in as few pages as the document allows; for reports it does not say. */
function largestPage(endpoint: Endpoint): { limit?: number } {
  const { paging } = endpoint as { paging?: { parameter: string } };
  return paging?.parameter === "cursor" ? { limit: maxLimit } : {};
}

function walkOptions(endpoint: Endpoint, { all, limit }: Options) {
  const isCutHere = endpoint.query?.shape["limit"] === undefined && typeof limit === "number";
  return { all: all === true, atMost: isCutHere ? limit : Number.POSITIVE_INFINITY };
}

function moreRemarks({ isMore, cursor }: Rest, endpoint: Endpoint): string[] {
  if (!isMore) return [];
  const { paging } = endpoint as { paging?: { parameter: string } };
  // A cursor that a terminal would take for commands is not shown, and cleaned it would be another.
  const isShowable = cursor !== undefined && cleanLine(cursor) === cursor;
  if (!isShowable || paging === undefined) return ["There is more: --all shows everything."];
  // Where pages go by the last item, only the next one can tell.
  const is = paging.parameter === "cursor" ? "is" : "may be";
  const next = `--${kebabCase(paging.parameter)} ${shellWord(cursor)}`;
  return [`There ${is} more: --all shows everything, ${next} the next page.`];
}
