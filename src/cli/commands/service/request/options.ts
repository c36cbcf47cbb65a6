import { InvalidArgumentError, Option } from "commander";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { type Field, fieldsOf, rowLimitFlag } from "./command-shape.ts";
import { defaultSince } from "./period.ts";

/** The options of an operation: one for each parameter or field, and those that choose the form of the output. */
export function optionsOf(endpoint: Endpoint): Option[] {
  const schema = endpoint.query ?? endpoint.body;
  const fields = schema ? fieldsOf(schema).filter(({ flag }) => flag !== rowLimitFlag) : [];
  const fieldOptions = fields.map((field) => optionOf(field, endpoint.daily === true));
  return [
    ...(endpoint.daily ? periodOptions(defaultSince) : []),
    ...fieldOptions,
    ...outputOptions(endpoint.items !== undefined),
    profileOption(),
    verboseOption(),
  ];
}

/** Chooses the organization. */
export function profileOption(): Option {
  return new Option("--profile <name>", "another organization, from `service.profiles` in the configuration");
}

/** Shows what goes over the network. */
export function verboseOption(): Option {
  return new Option("--verbose", "every request and reply on standard error, without the key; also BECKON_LOG=1");
}

/** The options that `periodOf` reads. @param since what the command takes where `--since` is not given */
export function periodOptions(since: string): Option[] {
  const about = "first day, UTC, such as 2026-06-01; or a number of days or weeks, such as 7d or 4w";
  return [
    new Option("--since <day>", `${about} (default: ${since})`),
    new Option("--until <day>", "last day, UTC (default: yesterday, the last day with data)"),
  ];
}

function optionOf(field: Field, hasPeriod: boolean): Option {
  const option = new Option(`${field.flag} <${placeholderOf(field)}>`, describe(field, hasPeriod));
  if (field.choices) option.choices(field.choices);
  if (field.kind === "number") option.argParser(number);
  if (field.kind === "texts") option.argParser((text: string, before: string[] = []) => [...before, text]);
  return option.makeOptionMandatory(field.isRequired && !hasPeriod);
}

/** The value's placeholder in the help. */
function placeholderOf({ kind, path, choices }: Field): string {
  const name = path.at(-1) ?? "";
  if (kind === "number") return "n";
  if (kind === "json") return "json";
  if (choices) return "name";
  const [, word = "text"] = /(date|id|cursor)s?$/i.exec(name) ?? [];
  return word.toLowerCase().replace("date", "day");
}

/** A sentence in the style of commander's own help: no capital, no full stop. */
export function helpText(sentence: string): string {
  return sentence.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()).replace(/\.$/, "");
}

function describe({ description, kind, isRequired }: Field, hasPeriod: boolean): string {
  const text = helpText(description);
  const remarks = [
    kind === "json" && "JSON, @file, or @- for standard input",
    kind === "texts" && "may be repeated",
    isRequired && !hasPeriod && "required",
  ].filter(Boolean);
  return remarks.length === 0 ? text : `${text} (${remarks.join("; ")})`;
}

function outputOptions(isList: boolean): Option[] {
  const json = new Option("--json", isList ? "one JSON object per line" : "one JSON object").conflicts("csv");
  const csv = new Option("--csv", "comma-separated values with a header; nested values as JSON");
  if (!isList) return [json, csv];
  const columns = new Option("--columns <names>", "only these columns, in this order, separated by commas");
  const each = new Option("--each <list>", "CSV with a line for each item of a nested list");
  const shape = [columns.conflicts("json"), each.conflicts("json").implies({ csv: true })];
  const limit = new Option(`${rowLimitFlag} <n>`, "most rows to show").argParser(count).conflicts("all");
  return [limit, new Option("--all", "all pages"), json, csv, ...shape];
}

function number(text: string): number {
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number.");
}

/** Reads an option that takes a whole number, 1 or more. @throws {InvalidArgumentError} */
export function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, 1 or more.");
}
