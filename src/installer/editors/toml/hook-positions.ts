import { parse } from "smol-toml";
import { depthChange, type TomlStatement, type TomlToken } from "./statements.ts";

/** From the first character to just behind the last. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where a hook stands, and the values in it that an edit may replace. */
export interface Located extends Range {
  readonly commandAt?: Range;
  readonly timeoutAt?: Range;
}

export interface HookPlaces {
  /** Where `hooks` is spoken of first. */
  readonly first: number;
  /** In the order of the array. */
  readonly places: readonly Located[];
  /** Behind the opening bracket of `hooks = [`. */
  readonly arrayStart?: number;
}

/** Where the hooks of a TOML text stand. Other ways to write them than the two we edit give fewer places than hooks. */
export function locateHooks(text: string, statements: readonly TomlStatement[]): HookPlaces {
  const firstHeader = statements.findIndex(({ kind }) => kind === "header");
  const atRoot = statements.slice(0, firstHeader === -1 ? undefined : firstHeader);
  const pair = atRoot.find((each) => each.kind === "pair" && keyOf(text, each.tokens)[0] === "hooks");
  if (pair) return { first: pair.start, ...placesInArray(text, pair.tokens) };
  const ours = statements.flatMap((statement, index) => {
    if (statement.kind !== "header") return [];
    const { path, isElement } = headerOf(text, statement);
    return path[0] === "hooks" ? [{ statement, index, isElement: isElement && path.length === 1 }] : [];
  });
  const elements = ours.filter(({ isElement }) => isElement);
  return {
    first: ours[0]?.statement.start ?? 0,
    places: elements.map(({ statement, index }) => tableAt(text, statement, statements.slice(index + 1))),
  };
}

function tableAt(text: string, header: TomlStatement, following: readonly TomlStatement[]): Located {
  const next = following.findIndex(({ kind }) => kind === "header");
  const pairs = following.slice(0, next === -1 ? undefined : next).filter(({ kind }) => kind === "pair");
  return {
    start: header.start,
    end: pairs.at(-1)?.end ?? header.end,
    ...valuesIn(
      text,
      pairs.map(({ tokens }) => tokens),
    ),
  };
}

function placesInArray(text: string, pair: readonly TomlToken[]): Pick<HookPlaces, "places" | "arrayStart"> {
  const value = rightSide(text, pair);
  const open = value[0];
  if (!open || text[open.start] !== "[" || keyOf(text, pair).length > 1) return { places: [] };
  const elements = partsOf(text, value.slice(1, -1));
  const places = elements.map((tokens) => ({
    ...rangeOf(tokens),
    ...valuesIn(text, partsOf(text, tokens.slice(1, -1))),
  }));
  return { places, arrayStart: open.end };
}

function valuesIn(text: string, pairs: readonly (readonly TomlToken[])[]): Omit<Located, keyof Range> {
  const at = (name: string) => {
    const pair = pairs.find((tokens) => keyOf(text, tokens).join("\0") === name);
    return pair && rangeOf(rightSide(text, pair));
  };
  const [commandAt, timeoutAt] = [at("command"), at("timeout")];
  return { ...(commandAt ? { commandAt } : {}), ...(timeoutAt ? { timeoutAt } : {}) };
}

/** What stands between the commas of an array or an inline table, without comments and line ends. */
function partsOf(text: string, inside: readonly TomlToken[]): TomlToken[][] {
  const parts: TomlToken[][] = [[]];
  let depth = 0;
  for (const token of inside) {
    depth += depthChange(text, token);
    if (depth === 0 && text[token.start] === "," && token.kind === "mark") parts.push([]);
    else if (token.kind !== "comment" && token.kind !== "line end") parts.at(-1)?.push(token);
  }
  return parts.filter((part) => part.length > 0);
}

function rightSide(text: string, pair: readonly TomlToken[]): readonly TomlToken[] {
  const value = pair.slice(equalSign(text, pair) + 1);
  return value.at(-1)?.kind === "comment" ? value.slice(0, -1) : value;
}

/** The parts of a pair's dotted key. Spelling a key is left to the parser: it may be quoted and have escapes in it. */
function keyOf(text: string, pair: readonly TomlToken[]): string[] {
  const { start, end } = rangeOf(pair.slice(0, equalSign(text, pair)));
  return pathIn(parse(`${text.slice(start, end)} = {}`)).path;
}

function headerOf(text: string, { start, end }: TomlStatement): { path: string[]; isElement: boolean } {
  const header = text.slice(start, end);
  // A long file has thousands of tables; only one that may be spelt `hooks` is worth parsing.
  return /hooks|\\/.test(header) ? pathIn(parse(header)) : { path: [], isElement: false };
}

/** The way down a value with one member on each level. */
function pathIn(value: object): { path: string[]; isElement: boolean } {
  const path: string[] = [];
  for (let at: unknown = value; ; ) {
    if (Array.isArray(at)) return { path, isElement: true };
    const [member] = Object.entries(at as object);
    if (!member) return { path, isElement: false };
    path.push(member[0]);
    at = member[1];
  }
}

function equalSign(text: string, pair: readonly TomlToken[]): number {
  return pair.findIndex(({ kind, start }) => kind === "mark" && text[start] === "=");
}

function rangeOf(tokens: readonly TomlToken[]): Range {
  return { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 };
}
