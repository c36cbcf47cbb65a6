/** Greatest distance of a `Date` from 1970, milliseconds. */
const maxDateMs = 8.64e15;

/**
 * Converts the instants in a reply to ISO 8601: all Unix milliseconds, which are the numbers in fields whose names end
 * in `At`. Everything else stays unchanged.
 */
export function withInstants<T extends object>(value: T): T {
  return convert(value, "") as T;
}

function convert(value: unknown, name: string): unknown {
  if (typeof value === "number")
    return name.endsWith("At") && Math.abs(value) <= maxDateMs ? new Date(value).toISOString() : value;
  if (Array.isArray(value)) return value.map((item) => convert(item, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner, key)]));
}
