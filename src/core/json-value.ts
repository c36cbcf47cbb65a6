/** A JSON object. No member is known to have the type it should have. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object in a text; undefined for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  const start = text.trimStart();
  if (!start.startsWith("{")) return undefined;
  try {
    return asObject(JSON.parse(start));
  } catch {
    return undefined; // half a line, or what only begins like JSON
  }
}

/** Returns whether a value is an object: neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value where it is an object, or undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The value where it is a text that is not empty, or undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A member deep inside a value of unknown shape, by names from the outside in; undefined where one is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    const object = objectOf(inner);
    return Object.hasOwn(object, name) ? object[name] : undefined;
  }, value);
}

/** The value as an object; an empty one for anything else. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? (value as JsonObject) : {};
}

/** The value as an array; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
