/** A piece of TOML. Offsets are UTF-16 units. White space within a line is left out. */
export interface TomlToken {
  readonly kind: "string" | "comment" | "line end" | "mark" | "bare";
  readonly start: number;
  readonly end: number;
}

/** A table's header, a `key = value` pair, or a comment that stands alone. A comment behind it belongs to it. */
export interface TomlStatement {
  readonly kind: "header" | "pair" | "comment";
  readonly tokens: readonly TomlToken[];
  readonly start: number;
  /** Just behind the last character, before the line end. */
  readonly end: number;
}

/** The statements of a TOML text that parses, in order: smol-toml keeps no positions. Never recurses. */
export function* statementsOf(text: string): Generator<TomlStatement> {
  let tokens: TomlToken[] = [];
  let depth = 0;
  for (const token of tomlTokens(text)) {
    if (token.kind === "mark") depth += depthChange(text, token);
    // Within brackets a line end says nothing.
    const ends = token.kind === "line end" && depth === 0;
    if (!ends) tokens.push(token);
    if (!ends || tokens.length === 0) continue;
    yield statement(text, tokens);
    tokens = [];
  }
  if (tokens.length > 0) yield statement(text, tokens);
}

function statement(text: string, tokens: readonly TomlToken[]): TomlStatement {
  const first = tokens[0] as TomlToken;
  const isHeader = text[first.start] === "[" && first.kind === "mark";
  const kind = first.kind === "comment" ? "comment" : isHeader ? "header" : "pair";
  return { kind, tokens, start: first.start, end: tokens.at(-1)?.end ?? first.end };
}

/** +1 for an opening bracket, -1 for a closing one. */
export function depthChange(text: string, { kind, start }: TomlToken): -1 | 0 | 1 {
  if (kind !== "mark") return 0;
  const char = text[start];
  if (char === "[" || char === "{") return 1;
  return char === "]" || char === "}" ? -1 : 0;
}

/** The tokens of a TOML text that parses. */
export function* tomlTokens(text: string): Generator<TomlToken> {
  for (let start = 0; start < text.length; ) {
    const char = text[start] as string;
    if (char === " " || char === "\t") {
      start += 1;
      continue;
    }
    const kind = kindOf(char);
    const end = endOfToken(text, start, kind);
    yield { kind, start, end };
    start = end;
  }
}

function kindOf(char: string): TomlToken["kind"] {
  if (char === "\n" || char === "\r") return "line end";
  if (char === "#") return "comment";
  if (char === '"' || char === "'") return "string";
  return "[]{}=,".includes(char) ? "mark" : "bare";
}

function endOfToken(text: string, start: number, kind: TomlToken["kind"]): number {
  if (kind === "string") return endOfString(text, start);
  if (kind === "mark") return start + 1;
  if (kind === "line end") return text.startsWith("\r\n", start) ? start + 2 : start + 1;
  const rest = kind === "comment" ? /[\r\n]|$/g : /[\s#"'[\]{}=,]|$/g;
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

/** A long string may end with one or two quotes of its own before the three that close it. */
function endOfQuotes(text: string, end: number, quote: string): number {
  if (text[end] !== quote) return end;
  return text[end + 1] === quote ? end + 2 : end + 1;
}
