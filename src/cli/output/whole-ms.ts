/** Rounds every duration of an object: its numbers whose names end in `Ms`. */
export function withWholeMs<T extends object>(value: T): T {
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === "number" && name.endsWith("Ms") ? Math.round(field) : field,
  ]);
  return Object.fromEntries(entries) as T;
}
