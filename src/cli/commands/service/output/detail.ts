import { clean, cleanLine } from "../../../../text/clean.ts";
import { countCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";
import { formatNumber } from "./column.ts";

type Entry = readonly [name: string, value: string];

/** Prints an object for people: a line for each field, also of inner objects, and a line for each object in a list. */
export function printDetail(value: object, { print, colors }: Pick<CliContext, "print" | "colors">): void {
  const entries = listEntries(value, "");
  const width = Math.max(0, ...entries.map(([name]) => countCells(name)));
  let last = "";
  for (const [name, text] of entries) {
    text.split("\n").forEach((line, at) => {
      const shown = at === 0 && name !== last ? name : "";
      print(`${colors.dim(shown)}${" ".repeat(width - countCells(shown))}  ${line}`.trimEnd());
    });
    last = name;
  }
}

function listEntries(value: object, prefix: string): Entry[] {
  return Object.entries(value).flatMap(([key, inner]) => fieldEntries(inner, prefix + cleanLine(key)));
}

function fieldEntries(value: unknown, name: string): Entry[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object") return [[name, formatValue(value)]];
  if (!Array.isArray(value)) return listEntries(value, `${name}.`);
  if (value.some((item) => typeof item === "object")) return value.map((item) => [name, inline(item)]);
  return value.length === 0 ? [] : [[name, value.map(String).map(cleanLine).join(", ")]];
}

/** Formats an item of a list on one line. For a part of a message, returns the part's text with its line breaks. */
function inline(item: unknown): string {
  if (typeof item !== "object" || item === null) return cleanLine(String(item));
  const { text } = item as { text?: unknown };
  if (typeof text === "string") return clean(text);
  return listEntries(item, "")
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name} ${cleanLine(value)}`)
    .join(", ");
}

function formatValue(value: unknown): string {
  return typeof value === "number" ? formatNumber(value) : clean(String(value));
}
