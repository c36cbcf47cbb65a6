import type { Endpoint } from "../../../../service/endpoint.ts";
import type { CliContext } from "../../../context.ts";
import { UsageError } from "../../../errors.ts";
import { type Field, fieldsOf } from "./command-shape.ts";
import { readJsonArgument } from "./json-argument.ts";
import { type Period, periodOf } from "./period.ts";

/** What stands on the command line, by the options' names in camel case. */
export type Options = Readonly<Record<string, unknown>>;
type Fields = Record<string, unknown>;

/**
 * The query or body that the options make; undefined where the operation takes none. What it may hold is checked by the
 * client.
 * @throws {UsageError} for options that do not go together, days without data, and what should be JSON and is none
 */
export async function givenOf(endpoint: Endpoint, options: Options, context: CliContext): Promise<Fields | undefined> {
  const schema = endpoint.query ?? endpoint.body;
  if (schema === undefined) return undefined;
  const given: Fields = {};
  const fields = fieldsOf(schema);
  for (const field of fields) {
    const value = options[field.path.at(-1) ?? ""];
    if (value !== undefined) put(given, field, await readValue(field, value, context));
  }
  if (endpoint.method === "PATCH" && Object.keys(given).length === 0) {
    throw new UsageError("nothing to change is given", `One or more of ${fields.map(({ flag }) => flag).join(", ")}.`);
  }
  return endpoint.daily ? { ...given, ...daysOf(options, (context.now ?? Date.now)()) } : given;
}

async function readValue({ kind, flag }: Field, value: unknown, { place }: CliContext): Promise<unknown> {
  return kind === "json" && typeof value === "string" ? readJsonArgument(flag, value, place.project) : value;
}

/** The part of an object, given by an option of its own, comes after the object's own, and wins. */
function put(given: Fields, { path: [name, inner] }: Field, value: unknown): void {
  if (inner === undefined) {
    given[name] = value;
    return;
  }
  const outer = given[name] ?? {};
  const isObject = typeof outer === "object" && !Array.isArray(outer);
  given[name] = isObject ? { ...outer, [inner]: value } : outer;
}

function daysOf(options: Options, nowMs: number): Period {
  const { since, until, startDate, endDate } = options as Readonly<Record<string, string | undefined>>;
  const isExact = startDate !== undefined || endDate !== undefined;
  if (!isExact)
    return periodOf({ ...(since !== undefined && { since }), ...(until !== undefined && { until }) }, nowMs);
  if (since !== undefined || until !== undefined || startDate === undefined || endDate === undefined) {
    const hint = "Without --until the last day is yesterday; --since and --until do without the other two.";
    throw new UsageError("--start-date and --end-date go together, without --since and --until", hint);
  }
  return { startDate, endDate };
}
