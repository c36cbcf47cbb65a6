import { omitUndefined } from "../../../../core/omit-undefined.ts";
import type { Period } from "../../../../report/period.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import type { CliContext } from "../../../context.ts";
import { UsageError } from "../../../errors.ts";
import { type Field, fieldsOf } from "./command-shape.ts";
import { readJsonArgument } from "./json-argument.ts";
import { periodOf } from "./period.ts";

/** Parsed options of the command line, by their names in camel case. */
export type Options = Readonly<Record<string, unknown>>;
type Arguments = Record<string, unknown>;

/**
 * The query or body that the options describe; undefined for an operation without either. The client checks the values.
 * @throws {UsageError} for conflicting options, days without data, and invalid JSON
 */
export async function requestArguments(
  endpoint: Endpoint,
  options: Options,
  context: CliContext,
): Promise<Arguments | undefined> {
  const schema = endpoint.query ?? endpoint.body;
  if (schema === undefined) return undefined;
  const args: Arguments = {};
  const fields = fieldsOf(schema);
  for (const field of fields) {
    const value = options[field.path.at(-1) ?? ""];
    if (value === undefined) continue;
    const isJson = field.kind === "json" && typeof value === "string";
    setField(args, field, isJson ? await readJsonArgument(field.flag, value, context.environment.project) : value);
  }
  if (endpoint.method === "PATCH" && Object.keys(args).length === 0) {
    throw new UsageError("nothing to change", `Give one or more of ${fields.map(({ flag }) => flag).join(", ")}.`);
  }
  return endpoint.daily ? { ...args, ...daysOf(options, (context.now ?? Date.now)()) } : args;
}

/** Fields of an object come after the object itself, so an option for one field overrides the object's. */
function setField(args: Arguments, { path: [name, inner] }: Field, value: unknown): void {
  if (inner === undefined) {
    args[name] = value;
    return;
  }
  const outer = args[name] ?? {};
  const isObject = typeof outer === "object" && !Array.isArray(outer);
  args[name] = isObject ? { ...outer, [inner]: value } : outer;
}

function daysOf(options: Options, nowMs: number): Period {
  const { since, until, startDate, endDate } = options as Readonly<Record<string, string | undefined>>;
  if (startDate === undefined && endDate === undefined) return periodOf(omitUndefined({ since, until }), nowMs);
  if (since !== undefined || until !== undefined || startDate === undefined || endDate === undefined) {
    const hint = "--since needs no end: without --until the last day is yesterday.";
    throw new UsageError("--start-date and --end-date go together, without --since and --until", hint);
  }
  return { startDate, endDate };
}
