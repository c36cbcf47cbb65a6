import { cleanLine } from "../../core/clean.ts";

/** One line of a transcript, or an object inside it. Nothing in it is known to have the type it should have. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The objects among the lines of a JSON Lines text; half-written lines, garbage and other values are passed over. */
export function recordsOf(text: string): JsonObject[] {
  return text
    .split("\n")
    .map(parseObject)
    .filter((record) => record !== undefined);
}

/** A text's JSON object, or undefined for anything else. Never throws. */
export function parseObject(text: string): JsonObject | undefined {
  const start = text.trimStart();
  if (!start.startsWith("{")) return undefined;
  try {
    return asObject(JSON.parse(start));
  } catch {
    // Foreign text: the agent may be in the middle of writing it.
    return undefined;
  }
}

/** The value where it is an object, or undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The objects of an array; none where it is not one. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((item) => item !== undefined) : [];
}

/** The value where it is a text that is not empty, or undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value where it is a text, cleaned and on one line; undefined where nothing is left. */
export function asLine(value: unknown): string | undefined {
  return typeof value === "string" ? cleanLine(value) || undefined : undefined;
}

/** The text of a message's content: the text itself, or its blocks `{type: "text", text}`; undefined for none. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return joined([content]);
  const texts = objectsIn(content).filter((block) => block["type"] === "text" || block["type"] === "Text");
  return joined(texts.flatMap((block) => asText(block["text"]) ?? []));
}

/** The text of a message in parts `{text}`, thoughts left out, as Google's format has them; undefined for none. */
export function partsText(parts: unknown): string | undefined {
  if (typeof parts === "string") return joined([parts]);
  const spoken = objectsIn(parts).filter((part) => part["thought"] !== true);
  return joined(spoken.flatMap((part) => asText(part["text"]) ?? []));
}

function joined(texts: readonly string[]): string | undefined {
  const text = texts.join("\n");
  return text.trim() === "" ? undefined : text;
}

/** The value where it is a finite number of 0 or more, or undefined. */
export function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Unix milliseconds of an ISO date or of a number that is such already, or undefined. */
export function asTimeMs(value: unknown): number | undefined {
  if (typeof value !== "string") return asCount(value);
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * Whether head and tail show that the whole file was read. The head is the file's beginning, so a tail that begins with
 * it goes back to the first line.
 */
export function isWhole(parts: { readonly head: string; readonly tail: string }): boolean {
  return parts.head !== "" && parts.tail.startsWith(parts.head);
}
