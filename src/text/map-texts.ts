/** Copies an object, with each string field replaced by the result of a function. */
export function mapTexts<T extends object>(parts: T, map: (text: string, name: string) => string): T {
  const entries = Object.entries(parts).map(([name, value]) => [
    name,
    typeof value === "string" ? map(value, name) : value,
  ]);
  return Object.fromEntries(entries) as T;
}
