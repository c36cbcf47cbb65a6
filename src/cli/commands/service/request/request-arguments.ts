import { readFile, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { readErrno, UsageError } from "../../../../core/errors.ts";
import { isObject, parseJson } from "../../../../core/json-value.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import { readStart } from "../../../../files/read-file.ts";
import type { Period } from "../../../../report/period.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import type { CliContext } from "../../../context.ts";
import { type Field, listFields, rowLimitFlag } from "./command-shape.ts";
import { parsePeriod } from "./period.ts";

/** Parsed options of the command line, by their names in camel case. */
export type Options = Readonly<Record<string, unknown>>;
type Arguments = Record<string, unknown>;

/**
 * Builds the query or body of a request from the options; undefined for an operation that has neither. The client
 * checks the values.
 * @throws {UsageError} for conflicting options, days without data or invalid JSON
 */
export async function requestArguments(
  endpoint: Endpoint,
  options: Options,
  context: CliContext,
): Promise<Arguments | undefined> {
  const schema = endpoint.query ?? endpoint.body;
  if (schema === undefined) return undefined;
  const args: Arguments = {};
  const fields = listFields(schema).filter(({ flag }) => flag !== rowLimitFlag);
  for (const field of fields) {
    const value = options[field.path.at(-1) ?? ""];
    if (value === undefined) continue;
    const isJson = field.kind === "json" && typeof value === "string";
    setField(args, field, isJson ? await readJsonArgument(field.flag, value, context.environment.project) : value);
  }
  if (endpoint.method === "PATCH" && Object.keys(args).length === 0) {
    throw new UsageError("nothing to change", `Give one or more of ${fields.map(({ flag }) => flag).join(", ")}.`);
  }
  return endpoint.daily ? { ...args, ...readPeriod(options, context.now()) } : args;
}

/**
 * Sets a field of the query or body. Options for the fields of an object come after the option for the whole object,
 * and override it.
 */
function setField(args: Arguments, { path: [name, inner] }: Field, value: unknown): void {
  if (inner === undefined) {
    args[name] = value;
    return;
  }
  const outer = args[name] ?? {};
  args[name] = isObject(outer) ? { ...outer, [inner]: value } : outer;
}

function readPeriod(options: Options, nowMs: number): Period {
  const { since, until, startDate, endDate } = options as Readonly<Record<string, string | undefined>>;
  if (startDate === undefined && endDate === undefined) return parsePeriod(omitUndefined({ since, until }), nowMs);
  if (since !== undefined || until !== undefined || startDate === undefined || endDate === undefined) {
    const hint = "Use --since alone for the days up to yesterday.";
    throw new UsageError("--start-date and --end-date must be used together, and without --since and --until", hint);
  }
  return { startDate, endDate };
}

/** Maximum size of JSON to read, bytes. */
const maxJsonBytes = 1024 * 1024;
const jsonHint = `Use '{"name": "value"}', @file, or @- for standard input.`;

/**
 * Reads the value of a JSON option: a JSON text, `@file`, or `@-` for standard input; at most 1 MiB.
 * @param folder base of relative paths
 * @throws {UsageError} for invalid JSON; the error leaves out the text, because it may contain secrets
 */
export async function readJsonArgument(flag: string, text: string, folder: string): Promise<unknown> {
  const source = text.startsWith("@") ? await readSource(flag, text.slice(1), folder) : text;
  const value = parseJson(source.replace(/^\ufeff/, ""));
  if (value === undefined) throw new UsageError(`${flag} is not valid JSON`, jsonHint);
  return value;
}

async function readSource(flag: string, name: string, folder: string): Promise<string> {
  try {
    if (name === "-") return await readStdin(flag);
    const file = isAbsolute(name) ? name : join(folder, name);
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > maxJsonBytes) throw tooLarge(flag);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${flag}: ${name} cannot be read (${readErrno(error) ?? "unknown error"})`, jsonHint);
  }
}

async function readStdin(flag: string): Promise<string> {
  const input = await readStart(process.stdin, maxJsonBytes);
  if (input.length > maxJsonBytes) throw tooLarge(flag);
  return input.toString();
}

function tooLarge(flag: string): UsageError {
  return new UsageError(`${flag} takes at most 1 MiB, from a regular file or standard input`, jsonHint);
}
