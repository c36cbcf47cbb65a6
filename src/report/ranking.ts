import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import { sum } from "./series.ts";

/** A name and its count. */
export interface Count {
  readonly name: string;
  readonly count: number;
}

/** Counts by name, greatest first. */
export interface Ranking {
  readonly total: number;
  readonly top: readonly Count[];
  /** Number of the names not in `top`, and the sum of their counts. */
  readonly rest: { readonly names: number; readonly count: number };
}

const maxNameChars = 80;
/** Maximum number of names in a ranking. Bounds very long lists; no organization seen so far reaches it. */
const maxNames = 50;

/** Cleans a name from the service for display: one line of 1 to 80 characters. */
export function shownName(text: string): string {
  return cut(cleanLine(text), maxNameChars, "graphemes") || "(no name)";
}

/** Returns a user's name for display: the email address, or else the id. */
export function showUser(email: string | null | undefined, id: string): string {
  return shownName(email && cleanLine(email) !== "" ? email : id);
}

/** Cleans an e-mail address for comparing: one line in lower case; empty without an address. */
export function cleanAddress(email: string | null | undefined): string {
  return cleanLine(email ?? "").toLowerCase();
}

/**
 * Adds up counts by name. Names that look the same when shown count as one; names with a count of 0 are left out.
 * @param toKey names with the same key count as one; the first spelling is shown
 */
export function buildRanking(
  counts: Iterable<readonly [name: string, count: number]>,
  toKey = (name: string): string => name,
): Ranking {
  const raw = new Map<string, number>();
  for (const [name, count] of counts) raw.set(name, (raw.get(name) ?? 0) + count);
  const shown = new Map<string, { name: string; count: number }>();
  for (const [rawName, count] of raw) {
    const name = shownName(rawName);
    const entry = shown.get(toKey(name)) ?? { name, count: 0 };
    entry.count += count;
    shown.set(toKey(name), entry);
  }
  const all = [...shown.values()].filter(({ count }) => count !== 0);
  all.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return takeTop({ total: sum(raw.values()), top: all, rest: { names: 0, count: 0 } }, maxNames);
}

/** Cuts a ranking to at most `maxTop` names in `top`; the others move to `rest`. */
export function takeTop({ total, top, rest }: Ranking, maxTop: number): Ranking {
  const dropped = top.slice(maxTop);
  const count = rest.count + sum(dropped.map((entry) => entry.count));
  return { total, top: top.slice(0, maxTop), rest: { names: rest.names + dropped.length, count } };
}
