/** A member deep inside a value of unknown shape, by names from the outside in; undefined where one is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    const object = objectOf(inner);
    return Object.hasOwn(object, name) ? object[name] : undefined;
  }, value);
}

/** The value as an object; an empty one for anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The value as an array; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
