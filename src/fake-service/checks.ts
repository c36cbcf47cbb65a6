import { Refusal } from "./access.ts";
import { dayNumber, firstDay } from "./calendar.ts";

/** Lists the requested days as numbers, counted from 1970. @throws {Refusal} 400 */
export function span(query: URLSearchParams, today: number): number[] {
  const [start, end] = ["startDate", "endDate"].map((name) => {
    const day = dayNumber(query.get(name) ?? "");
    if (day === undefined) throw new Refusal(400, `Invalid date format: ${name} must be YYYY-MM-DD.`);
    return day;
  }) as [number, number];
  if (end >= today) throw new Refusal(400, "Data has a 24-hour lag: the latest day is yesterday (UTC).");
  if (start < (dayNumber(firstDay) ?? 0)) throw new Refusal(400, `The earliest day is ${firstDay}.`);
  if (start > end) throw new Refusal(400, "startDate is after endDate.");
  return Array.from({ length: end - start + 1 }, (_, n) => start + n);
}

/** Reads the parameter `limit`, a number from 1 to `max`. @throws {Refusal} 400 */
export function limit(query: URLSearchParams, byDefault: number, max: number): number {
  const text = query.get("limit");
  if (text === null) return byDefault;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw new Refusal(400, `limit out of range: 1-${max}.`);
  return value;
}

/** Reads a parameter with fixed values; undefined if absent. @throws {Refusal} 400 */
export function choice(query: URLSearchParams, name: string, values: readonly string[]): string | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!values.includes(value)) throw new Refusal(400, `${name} must be one of ${values.join(", ")}.`);
  return value;
}

/** A part of a list. */
export interface Part<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  /** Key of the last item. */
  readonly last: string | undefined;
}

/**
 * Finds up to `size` items after the item with key `start`, or from the first item on. @throws {Refusal} 400 for an
 * unknown key
 */
export function after<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
  start: string | undefined,
  size: number,
): Part<Item> {
  const from = start === undefined ? 0 : items.findIndex((item) => key(item) === start) + 1;
  if (start !== undefined && from === 0) throw new Refusal(400, "The cursor does not belong to this list.");
  const part = items.slice(from, from + size);
  const end = part.at(-1);
  return { items: part, hasMore: from + size < items.length, last: end && key(end) };
}

/** Cuts a page of an `/api/v0` list, with its `pagination`. The cursor is opaque; the last page has none. */
export function page<Item>(query: URLSearchParams, items: readonly Item[], key: (item: Item) => string) {
  const cursor = query.get("cursor");
  const start = cursor === null ? undefined : decodeCursor(cursor);
  const part = after(items, key, start, limit(query, 20, 100));
  const next = part.hasMore && part.last !== undefined ? btoa(part.last) : undefined;
  return { items: part.items, pagination: { hasMore: part.hasMore, ...(next && { nextCursor: next }) } };
}

/** @throws {Refusal} 400 */
function decodeCursor(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    throw new Refusal(400, "The cursor does not belong to this list.");
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses a JSON object with known fields. @throws {Refusal} 400 */
export function parseFields(body: string, known: readonly string[]): Fields {
  const value = parse(body);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Refusal(400, "Not a JSON object.");
  const odd = Object.keys(value).find((name) => !known.includes(name));
  if (odd !== undefined) throw new Refusal(400, "A field of the body is not known.");
  return value as Fields;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, "The body is not JSON.");
  }
}

/** Reads a text field of `min` to `max` characters; undefined if absent. @throws {Refusal} 400 */
export function textField(body: Fields, name: string, min: number, max: number): string | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  const length = typeof value === "string" ? [...value].length : 0;
  if (typeof value !== "string" || length < min || length > max) {
    throw new Refusal(400, `${name} must be a text of ${min}-${max} characters.`);
  }
  return value;
}
