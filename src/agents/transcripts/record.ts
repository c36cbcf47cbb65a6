import { asObject, asText, type JsonObject, parseObject } from "../../core/json-value.ts";
import { cleanLine } from "../../text/clean.ts";

/** Maximum number of lines to parse. If a text has more lines, the newest are parsed. */
const maxLines = 20_000;

/** Parses the objects of a JSON Lines text; half-written lines, garbage and other values are skipped. */
export function parseRecords(text: string): JsonObject[] {
  return text
    .split("\n")
    .slice(-maxLines)
    .map(parseObject)
    .filter((record) => record !== undefined);
}

/** Returns the objects of an array; empty for other values. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((item) => item !== undefined) : [];
}

/** Cleans a text and joins it to one line; undefined if nothing is left or the value is not a text. */
export function asLine(value: unknown): string | undefined {
  return typeof value === "string" ? cleanLine(value) || undefined : undefined;
}

const maxLineChars = 1000;

/** Cleans the first 1,000 characters of a text to one line; undefined if nothing is left or the value is not a text. */
export function shortLine(value: unknown): string | undefined {
  return asLine(asText(value)?.slice(0, maxLineChars));
}

/** Returns the newest text that `pick` finds in a record, cleaned with `asLine`. */
export function lastLine(records: readonly JsonObject[], pick: (record: JsonObject) => unknown): string | undefined {
  return asLine(pick(records.findLast((record) => asLine(pick(record)) !== undefined) ?? {}));
}

/** Reads the text of a message's content: a text, or blocks `{type: "text", text}`. */
export function readText(content: unknown): string | undefined {
  if (typeof content === "string") return joinTexts([content]);
  const texts = objectsIn(content).filter((block) => block.type === "text" || block.type === "Text");
  return joinTexts(texts.flatMap((block) => asText(block.text) ?? []));
}

/** Picks the blocks of one type from a message's content. */
export function findBlocks(content: unknown, type: string): JsonObject[] {
  return objectsIn(content).filter((block) => block.type === type);
}

/** Joins parts `{text}` of a message in Google's format, without thoughts. */
export function partsText(parts: unknown): string | undefined {
  if (typeof parts === "string") return joinTexts([parts]);
  const spoken = objectsIn(parts).filter((part) => part.thought !== true);
  return joinTexts(spoken.flatMap((part) => asText(part.text) ?? []));
}

function joinTexts(texts: readonly string[]): string | undefined {
  const text = texts.join("\n");
  return text.trim() === "" ? undefined : text;
}

/** Returns the value if it is a finite number of 0 or more. */
export function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Converts an ISO date, or a number of Unix milliseconds, to Unix milliseconds; undefined for other values. */
export function asTimeMs(value: unknown): number | undefined {
  if (typeof value !== "string") return asCount(value);
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}
