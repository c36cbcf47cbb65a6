import { cleanLine } from "../core/clean.ts";
import { cut } from "../core/cut.ts";
import { sum } from "./series.ts";

/** How much there is of something. */
export interface Count {
  readonly name: string;
  readonly count: number;
}

/** Things by how much there is of them, most first. */
export interface Ranking {
  readonly total: number;
  readonly top: readonly Count[];
  /** Those that have no place in `top`: how many, and how much of them together. */
  readonly rest: { readonly names: number; readonly count: number };
}

const maxNameChars = 80;
/** Names a ranking keeps: enough for every organization seen, and a bound where a service invents them. */
const maxNames = 50;

/** A foreign name as it is shown: one clean line of at most 80 characters, never empty. */
export function shownName(text: string): string {
  return cut(cleanLine(text), maxNameChars, "graphemes") || "(no name)";
}

/**
 * Adds up counts by name. Names that are shown alike count as one; those with nothing are left out.
 * @param keyOf what makes two names the same one; the first spelling is shown
 */
export function rankingOf(
  counts: Iterable<readonly [name: string, count: number]>,
  keyOf = (name: string): string => name,
): Ranking {
  const raw = new Map<string, number>();
  for (const [name, count] of counts) raw.set(name, (raw.get(name) ?? 0) + count);
  const shown = new Map<string, { name: string; count: number }>();
  for (const [rawName, count] of raw) {
    const name = shownName(rawName);
    const entry = shown.get(keyOf(name)) ?? { name, count: 0 };
    entry.count += count;
    shown.set(keyOf(name), entry);
  }
  const all = [...shown.values()].filter(({ count }) => count !== 0);
  all.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return headOf({ total: sum(raw.values()), top: all, rest: { names: 0, count: 0 } }, maxNames);
}

/** The first of a ranking; what falls out goes to the rest. */
export function headOf({ total, top, rest }: Ranking, most: number): Ranking {
  const out = top.slice(most);
  const count = rest.count + sum(out.map((one) => one.count));
  return { total, top: top.slice(0, most), rest: { names: rest.names + out.length, count } };
}
