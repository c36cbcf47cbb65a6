import { createScanner } from "jsonc-parser";

/** One token of JSON with comments: a bracket, comma, colon, literal or comment. Offsets are UTF-16 units. */
export interface Token {
  /** Its first character; `/` for a comment. */
  readonly char: string;
  readonly start: number;
  readonly end: number;
}

/** The tokens between two offsets, comments included, white space left out. Never throws, never recurses. */
export function* tokensOf(text: string, from = 0, to = text.length): Generator<Token> {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  for (;;) {
    scanner.scan();
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (end === start || start >= to) return;
    const char = text.charAt(start);
    if (!/\s/.test(char)) yield { char, start, end };
  }
}

/** Whether a token is a comment that only the end of its line ends. */
export function isLineComment(text: string, token: Token | undefined): boolean {
  return token !== undefined && text.startsWith("//", token.start);
}
