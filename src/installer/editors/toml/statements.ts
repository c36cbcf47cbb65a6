import type { Range } from "../editor.ts";

/** Bracket, equals sign, comma, string, comment, line end or other text. There are no tokens for white space. */
export interface TomlToken extends Range {
  /** First character. */
  readonly char: string;
}

/** Table header, `key = value` pair, or comment on its own line. A comment after a statement belongs to it. */
export interface TomlStatement extends Range {
  readonly kind: "header" | "pair" | "comment";
  readonly tokens: readonly TomlToken[];
}

/** Yields the statements of a valid TOML text, because smol-toml keeps no positions. Never recurses. */
export function* readStatements(text: string): Generator<TomlStatement> {
  let tokens: TomlToken[] = [];
  let depth = 0;
  for (const token of tomlTokens(text)) {
    depth += depthChange(token);
    // Line ends have no meaning within brackets.
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
  return { kind: char === "#" ? "comment" : char === "[" ? "header" : "pair", tokens, ...toRange(tokens) };
}

/** Returns the range of one or more adjacent tokens. */
export function toRange(tokens: readonly TomlToken[]): Range {
  return { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 };
}

/** Returns +1 for an opening bracket, -1 for a closing bracket. */
export function depthChange({ char }: TomlToken): -1 | 0 | 1 {
  if (char === "[" || char === "{") return 1;
  return char === "]" || char === "}" ? -1 : 0;
}

export function isLineEnd({ char }: TomlToken): boolean {
  return char === "\n" || char === "\r";
}

/** Yields the tokens of a valid TOML text. */
export function* tomlTokens(text: string): Generator<TomlToken> {
  for (let start = 0; start < text.length; ) {
    const char = text[start] as string;
    const isSpace = char === " " || char === "\t";
    const end = isSpace ? start + 1 : findTokenEnd(text, start, char);
    if (!isSpace) yield { char, start, end };
    start = end;
  }
}

function findTokenEnd(text: string, start: number, char: string): number {
  if (char === '"' || char === "'") return findStringEnd(text, start);
  if ("[]{}=,\n".includes(char)) return start + 1;
  if (char === "\r") return text.startsWith("\r\n", start) ? start + 2 : start + 1;
  const rest = char === "#" ? /[\r\n]|$/g : /[\s#"'[\]{}=,]|$/g;
  rest.lastIndex = start + 1;
  return rest.exec(text)?.index ?? text.length;
}

function findStringEnd(text: string, start: number): number {
  const quote = text[start] as string;
  const isLong = text.startsWith(quote.repeat(3), start);
  const fence = isLong ? quote.repeat(3) : quote;
  for (let at = start + fence.length; at < text.length; at += 1) {
    if (quote === '"' && text[at] === "\\") {
      at += 1;
      continue;
    }
    if (text.startsWith(fence, at)) return isLong ? findQuotesEnd(text, at + 3, quote) : at + 1;
  }
  return text.length;
}

/** Finds the end of a long string, which may end with one or two quotes before the closing three. */
function findQuotesEnd(text: string, end: number, quote: string): number {
  if (text[end] !== quote) return end;
  return text[end + 1] === quote ? end + 2 : end + 1;
}
