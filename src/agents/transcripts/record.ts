import { asObject, asText, type JsonObject, parseObject } from "../../core/json-value.ts";
import { cleanLine } from "../../text/clean.ts";

/** Most lines of a transcript that are read, the newest. */
const maxLines = 20_000;

/** The objects of a JSON Lines text; half-written lines, garbage and other values are skipped. */
export function recordsOf(text: string): JsonObject[] {
  return text
    .split("\n")
    .slice(-maxLines)
    .map(parseObject)
    .filter((record) => record !== undefined);
}

/** The objects of an array; none where it is not one. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((item) => item !== undefined) : [];
}

/** The value where it is a text, cleaned and on one line; undefined where nothing is left. */
export function asLine(value: unknown): string | undefined {
  return typeof value === "string" ? cleanLine(value) || undefined : undefined;
}

const maxLineChars = 1000;

/** The value where it is a text, its first 1,000 characters as a clean line; undefined where nothing is left. */
export function shortLine(value: unknown): string | undefined {
  return asLine(asText(value)?.slice(0, maxLineChars));
}

/** The newest line that `pick` finds in a record, as `asLine` reads it; undefined for none. */
export function lastLine(records: readonly JsonObject[], pick: (record: JsonObject) => unknown): string | undefined {
  return asLine(pick(records.findLast((record) => asLine(pick(record)) !== undefined) ?? {}));
}

/** The text of a message's content: the text itself, or its blocks `{type: "text", text}`; undefined for none. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return joined([content]);
  const texts = objectsIn(content).filter((block) => block.type === "text" || block.type === "Text");
  return joined(texts.flatMap((block) => asText(block.text) ?? []));
}

/** The blocks of one type in a message's content. */
export function blocksOf(content: unknown, type: string): JsonObject[] {
  return objectsIn(content).filter((block) => block.type === type);
}

/** The text of a message in parts `{text}`, as in Google's format, without thoughts; undefined for none. */
export function partsText(parts: unknown): string | undefined {
  if (typeof parts === "string") return joined([parts]);
  const spoken = objectsIn(parts).filter((part) => part.thought !== true);
  return joined(spoken.flatMap((part) => asText(part.text) ?? []));
}

function joined(texts: readonly string[]): string | undefined {
  const text = texts.join("\n");
  return text.trim() === "" ? undefined : text;
}

/** The value where it is a finite number of 0 or more, or undefined. */
export function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Unix milliseconds of an ISO date, or of a number that is such already; undefined for anything else. */
export function asTimeMs(value: unknown): number | undefined {
  if (typeof value !== "string") return asCount(value);
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whether the whole file was read: a tail that begins with the head goes back to the file's first line. */
export function isWhole(parts: { readonly head: string; readonly tail: string }): boolean {
  return parts.head !== "" && parts.tail.startsWith(parts.head);
}
