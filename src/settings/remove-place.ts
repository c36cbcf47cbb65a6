import type { Located } from "../installer/editors/toml/hook-positions.ts";
import { tomlTokens } from "../installer/editors/toml/statements.ts";
import type { HookTables } from "../installer/editors/toml/hook-tables.ts";

/** A TOML text without one of its hooks, and without the blank line or the comma that came with it. */
export function removePlace(tables: HookTables, place: Located): string {
  return tables.arrayStart === undefined ? removeTable(tables.text, place) : removeElement(tables, place);
}

function removeTable(text: string, { start, end }: Located): string {
  let before = text.slice(0, start).replace(/[ \t]+$/, "");
  const after = text.slice(end);
  const lineEnd = /^[ \t]*(?:\r\n|\n)/.exec(after)?.[0];
  const isBlankAbove = /(?:^|\n)\r?\n$/.test(before);
  if (isBlankAbove) before = withoutLineEnd(before);
  if (lineEnd === undefined) before = withoutLineEnd(before);
  return before + after.slice(lineEnd?.length ?? after.length);
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function removeElement({ text, places }: HookTables, { start, end }: Located): string {
  const previous = places.findLast((other) => other.end <= start);
  const next = places.find((other) => other.start >= end);
  const isOnlyComma = (from: number, to: number) => /^[ \t]*,[ \t]*$/.test(text.slice(from, to));
  if (previous && isOnlyComma(previous.end, start)) return text.slice(0, previous.end) + text.slice(end);
  if (next && isOnlyComma(end, next.start)) return text.slice(0, start) + text.slice(next.start);
  // Comments between the elements stay. The comma in front may stay too: TOML takes one behind the last element.
  const rest = text.slice(end);
  const following = [...tomlTokens(rest)].find(({ kind }) => kind === "mark");
  const comma = following && rest[following.start] === "," ? following : undefined;
  if (!comma) return text.slice(0, start) + rest;
  return text.slice(0, start) + rest.slice(0, comma.start) + rest.slice(comma.end);
}
