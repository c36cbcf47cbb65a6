import { InvalidArgumentError, Option } from "commander";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { type Field, fieldsOf } from "./command-shape.ts";
import { defaultSince } from "./period.ts";

/** The options of an operation: one for each parameter or field, besides those that say how to show the reply. */
export function optionsOf(endpoint: Endpoint): Option[] {
  const schema = endpoint.query ?? endpoint.body;
  const fields = schema ? fieldsOf(schema) : [];
  const own = fields.map((field) => optionOf(field, endpoint.daily === true));
  return [...(endpoint.daily ? periodOptions() : []), ...own, ...showOptions("items" in endpoint, fields)];
}

function periodOptions(): Option[] {
  const since = `first day: 2026-06-01, or the last so many days or weeks as 7d or 4w (default: ${defaultSince})`;
  return [
    new Option("--since <day>", since),
    new Option("--until <day>", "last day, UTC; a day's data is there the day after it (default: yesterday)"),
  ];
}

function optionOf(field: Field, hasPeriod: boolean): Option {
  const option = new Option(`${field.flag} <${placeholderOf(field)}>`, describe(field, hasPeriod));
  if (field.choices) option.choices(field.choices);
  if (field.kind === "number") option.argParser(number);
  if (field.kind === "texts") option.argParser((text: string, before: string[] = []) => [...before, text]);
  return option.makeOptionMandatory(field.isRequired && !hasPeriod);
}

/** What stands for the value in the help. */
function placeholderOf({ kind, path, choices }: Field): string {
  const name = path.at(-1) ?? "";
  if (kind === "number") return "n";
  if (kind === "json") return "json";
  if (choices) return "what";
  const [, word = "text"] = /(date|id|cursor)s?$/i.exec(name) ?? [];
  return word.toLowerCase().replace("date", "day");
}

/** As commander's own: no capital, no full stop. */
function describe({ description, kind, isRequired }: Field, hasPeriod: boolean): string {
  const text = description.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()).replace(/\.$/, "");
  const remarks = [
    kind === "json" && "JSON, or @file, or @- for standard input",
    kind === "texts" && "repeat it for more",
    isRequired && !hasPeriod && "required",
  ].filter(Boolean);
  return remarks.length === 0 ? text : `${text} (${remarks.join("; ")})`;
}

function showOptions(isList: boolean, fields: readonly Field[]): Option[] {
  const json = new Option("--json", isList ? "one JSON object a line" : "one JSON object").conflicts("csv");
  const csv = new Option("--csv", "comma-separated values with a header, what lies deeper as JSON");
  if (!isList) return [json, csv];
  const hasLimit = fields.some(({ flag }) => flag === "--limit");
  const limit = new Option("--limit <n>", "rows at most").argParser(count);
  return [...(hasLimit ? [] : [limit]), new Option("--all", "everything, page after page"), json, csv];
}

function number(text: string): number {
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number.");
}

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
