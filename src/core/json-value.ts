import { quietly } from "./quietly.ts";

/** JSON object. Any member may have an unexpected type. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses a JSON object; undefined for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  const start = text.trimStart();
  return start.startsWith("{") ? asObject(parseJson(start)) : undefined;
}

/** Parses JSON; undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  return quietly(() => JSON.parse(text));
}

/** True if a value is an object, but not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, otherwise undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** Returns the value if it is a non-empty string, otherwise undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Returns a nested member of a value of unknown shape. The path lists the members' names, outermost first. Undefined if
 * a member is missing.
 */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    const object = toObject(inner);
    return Object.hasOwn(object, name) ? object[name] : undefined;
  }, value);
}

/** Returns the value if it is an object or an array, otherwise an empty object. */
export function toObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? (value as JsonObject) : {};
}

/** Returns the value if it is an array, otherwise an empty array. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Extracts an error's message from its JSON: `400 {"error":{"message":"too long"}}` → `400 too long`. Returns the text
 * unchanged if it has no JSON with a message.
 */
export function extractErrorText(text: string): string {
  const [json = ""] = /\{.*\}/s.exec(text) ?? [];
  const message = findMessage(json);
  if (message === undefined) return text;
  const words = text.replace(json, () => extractErrorText(message));
  return words.replace(/^\[(.*)\]$/s, "$1").trim();
}

/** Finds the message in a model service's error, given as JSON; undefined if there is none. */
function findMessage(json: string): string | undefined {
  const error = parseJson(json);
  const found = [at(error, "message"), at(error, "error"), at(error, "error", "message")];
  return found.find((candidate) => typeof candidate === "string" && candidate !== "") as string | undefined;
}
