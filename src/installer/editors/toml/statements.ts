import type { Range } from "../splice.ts";

/** A bracket, an equals sign, a comma, a string, a comment, a line end or what is left. White space is left out. */
export interface TomlToken extends Range {
  /** Its first character. */
  readonly char: string;
}

/**
 * A table's header, a `key = value` pair, or a comment on a line of its own. A comment after a statement belongs to it.
 */
export interface TomlStatement extends Range {
  readonly kind: "header" | "pair" | "comment";
  readonly tokens: readonly TomlToken[];
}

/** The statements of a valid TOML text, in order: smol-toml keeps no positions. Never recurses. */
export function* statementsOf(text: string): Generator<TomlStatement> {
  let tokens: TomlToken[] = [];
  let depth = 0;
  for (const token of tomlTokens(text)) {
    depth += depthChange(token);
    // Within brackets a line end has no meaning.
    const ends = isLineEnd(token) && depth === 0;
    if (!ends) tokens.push(token);
    if (!ends || tokens.length === 0) continue;
    yield statement(tokens);
    tokens = [];
  }
  if (tokens.length > 0) yield statement(tokens);
}

function statement(tokens: readonly TomlToken[]): TomlStatement {
  const char = tokens[0]?.char;
  return { kind: char === "#" ? "comment" : char === "[" ? "header" : "pair", tokens, ...rangeOf(tokens) };
}

/** The range of adjacent tokens, of which there is at least one. */
export function rangeOf(tokens: readonly TomlToken[]): Range {
  return { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 };
}

/** +1 for an opening bracket, -1 for a closing one. */
export function depthChange({ char }: TomlToken): -1 | 0 | 1 {
  if (char === "[" || char === "{") return 1;
  return char === "]" || char === "}" ? -1 : 0;
}

export function isLineEnd({ char }: TomlToken): boolean {
  return char === "\n" || char === "\r";
}

/** The tokens of a valid TOML text. */
export function* tomlTokens(text: string): Generator<TomlToken> {
  for (let start = 0; start < text.length; ) {
    const char = text[start] as string;
    const isSpace = char === " " || char === "\t";
    const end = isSpace ? start + 1 : endOfToken(text, start, char);
    if (!isSpace) yield { char, start, end };
    start = end;
  }
}

function endOfToken(text: string, start: number, char: string): number {
  if (char === '"' || char === "'") return endOfString(text, start);
  if ("[]{}=,\n".includes(char)) return start + 1;
  if (char === "\r") return text.startsWith("\r\n", start) ? start + 2 : start + 1;
  const rest = char === "#" ? /[\r\n]|$/g : /[\s#"'[\]{}=,]|$/g;
  rest.lastIndex = start + 1;
  return rest.exec(text)?.index ?? text.length;
}

function endOfString(text: string, start: number): number {
  const quote = text[start] as string;
  const isLong = text.startsWith(quote.repeat(3), start);
  const fence = isLong ? quote.repeat(3) : quote;
  for (let at = start + fence.length; at < text.length; at += 1) {
    if (quote === '"' && text[at] === "\\") {
      at += 1;
      continue;
    }
    if (text.startsWith(fence, at)) return isLong ? endOfQuotes(text, at + 3, quote) : at + 1;
  }
  return text.length;
}

/** The end of a long string, which may end with one or two quotes of its own before the three that close it. */
function endOfQuotes(text: string, end: number, quote: string): number {
  if (text[end] !== quote) return end;
  return text[end + 1] === quote ? end + 2 : end + 1;
}
