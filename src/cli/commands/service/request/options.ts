import { InvalidArgumentError, Option } from "commander";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { type Field, listFields, rowLimitFlag } from "./command-shape.ts";
import { defaultSince } from "./period.ts";

/** Creates the options of an operation's command: one for each parameter or field, and the options for the output. */
export function createOptions(endpoint: Endpoint): Option[] {
  const schema = endpoint.query ?? endpoint.body;
  const fields = schema ? listFields(schema).filter(({ flag }) => flag !== rowLimitFlag) : [];
  const fieldOptions = fields.map((field) => createOption(field, endpoint.daily === true));
  return [
    ...(endpoint.daily ? periodOptions(defaultSince) : []),
    ...fieldOptions,
    ...outputOptions(endpoint),
    profileOption(),
    verboseOption(),
  ];
}

/** Creates the option `--profile`, which chooses another organization. */
export function profileOption(): Option {
  return new Option(
    "--profile <name>",
    "use the organization with this name in `service.profiles` of the configuration",
  );
}

/** Creates the option `--verbose`, which logs requests and replies. */
export function verboseOption(): Option {
  return new Option("--verbose", "log requests and replies to standard error, without the key; same as BECKON_LOG=1");
}

/**
 * Creates the options `--since` and `--until`.
 * @param since default of `--since`
 */
export function periodOptions(since: string): Option[] {
  const about = "first day (UTC), such as 2026-06-01, or a number of days or weeks, such as 7d or 4w";
  return [
    new Option("--since <day>", `${about}; default: ${since}`),
    new Option("--until <day>", "last day (UTC); default: yesterday, the last day with data"),
  ];
}

function createOption(field: Field, hasPeriod: boolean): Option {
  const option = new Option(`${field.flag} <${formatPlaceholder(field)}>`, describe(field, hasPeriod));
  if (field.choices) option.choices(field.choices);
  if (field.kind === "number") option.argParser(number);
  if (field.kind === "texts") option.argParser((text: string, before: string[] = []) => [...before, text]);
  return option.makeOptionMandatory(field.isRequired && !hasPeriod);
}

/** Returns the placeholder for a value in the help. */
function formatPlaceholder({ kind, path, choices }: Field): string {
  const name = path.at(-1) ?? "";
  if (kind === "number") return "n";
  if (kind === "json") return "json";
  if (choices) return "name";
  const [, word = "text"] = /(date|id|cursor)s?$/i.exec(name) ?? [];
  return word.toLowerCase().replace("date", "day");
}

/** Converts a sentence to the style of commander's help: no capital, no full stop. */
export function helpText(sentence: string): string {
  return sentence.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()).replace(/\.$/, "");
}

function describe({ description, kind, isRequired }: Field, hasPeriod: boolean): string {
  const text = helpText(description);
  const remarks = [
    kind === "json" && "JSON, @file, or @- for standard input",
    kind === "texts" && "may be repeated",
    isRequired && (hasPeriod ? "--start-date and --end-date go together and replace --since and --until" : "required"),
  ].filter(Boolean);
  return remarks.length === 0 ? text : `${text} (${remarks.join("; ")})`;
}

function outputOptions({ items, paging }: Endpoint): Option[] {
  const isList = items !== undefined;
  const json = new Option("--json", isList ? "print one JSON object per line" : "print one JSON object").conflicts(
    "csv",
  );
  const csv = new Option("--csv", "print comma-separated values with a header; nested values as JSON");
  if (!isList) return [json, csv];
  const columns = new Option("--columns <names>", "show only these columns, in this order, separated by commas");
  const each = new Option("--each <list>", "print CSV with a row for each item of this nested list");
  const shape = [columns.conflicts("json"), each.conflicts("json").implies({ csv: true })];
  const limit = new Option(`${rowLimitFlag} <n>`, "show at most this many rows").argParser(count).conflicts("all");
  const isWhole = paging?.parameter === "startDate";
  const all = new Option(
    "--all",
    isWhole ? "fetch all days, as is the default" : "fetch all pages instead of the first",
  );
  return [limit, all, json, csv, ...shape];
}

function number(text: string): number {
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number.");
}

/** Parses a whole number, 1 or more. @throws {InvalidArgumentError} */
export function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, 1 or more.");
}
