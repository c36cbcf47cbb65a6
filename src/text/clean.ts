const esc = "\\u001b";
/**
 * Matches terminal sequences, also in their 8-bit forms: CSI sequences, strings (OSC, DCS, SOS, PM, APC) up to BEL, ST
 * or the end of the line, and two-character escapes.
 */
const terminalSequence = new RegExp(
  [
    `(?:${esc}\\[|\\u009b)[0-?]*[ -/]*[@-~]?`,
    `(?:${esc}[\\]PX^_]|[\\u0090\\u0098\\u009d\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\n]*(?:\\u0007|${esc}\\\\|\\u009c)?`,
    `${esc}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);
/**
 * Matches control characters except `\n` and `\t`, bidirectional overrides and isolates, the byte-order mark, and tag
 * characters.
 */
const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Makes foreign text safe to show anywhere. The result is valid Unicode without terminal sequences, control characters
 * (except line feed and tab), bidirectional overrides and invisible tags. Keeps U+200D (emoji families), U+200C
 * (Persian) and the marks U+200E and U+200F. Idempotent. Does not escape markup; notifiers do that later.
 */
export function clean(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(terminalSequence, "")
    .toWellFormed()
    .replace(forbidden, "");
}

/** Cleans a text like `clean`, makes each run of white space one space, and trims the ends. */
export function cleanLine(text: string): string {
  return clean(text).replace(/\s+/g, " ").trim();
}

/** Text shown in place of a secret. */
export const secretPlaceholder = "[secret]";

const escaped = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

const joiners =
  "(?<=[\\p{ExtPict}\\p{EMod}])\\ufe0f|(?<=[\\p{ExtPict}\\p{EMod}\\ufe0f])\\u200d(?=\\p{ExtPict})|(?<=\\p{sc=Arab})\\u200c(?=\\p{sc=Arab})";

/** Escapes invisible characters and those that reorder text, as `\u{202e}`. Keeps lines, and what joins letters or emoji. */
export function showHidden(text: string): string {
  // Made here, because V8 takes 2 ms for it and few programs call this function.
  const hidden = new RegExp(
    `(?!\\n|\\t|${joiners})[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Co}\\p{Cn}\\p{Default_Ignorable_Code_Point}\\u2800]`,
    "gu",
  );
  return text.replaceAll("\r\n", "\n").replaceAll(hidden, escaped);
}

/** Joins a request's lines with ` ⏎ `. Escapes the text's own `⏎` and tabs. */
export function oneLine(text: string): string {
  return text.replace(/[\t⏎]/g, escaped).replaceAll("\n", " ⏎ ").trim();
}
