import { secretPlaceholder } from "../text/clean.ts";

/**
 * Returns a function that replaces the given secrets in a text with `[secret]`, also in percent-encoded and base64
 * form. Secrets of fewer than 6 characters stay, because ordinary words may contain them.
 */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const needles = new Set<string>();
  for (const value of secrets) {
    if (value.length < 6) continue;
    const bytes = Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte));
    const base64 = btoa(bytes.join("")).replace(/=+$/, "");
    needles.add(value).add(encodeURIComponent(value.toWellFormed())).add(base64);
  }
  return (text) => {
    const found = [...needles].flatMap((needle) => findRanges(needle, text)).sort((a, b) => a.start - b.start);
    let redacted = "";
    let copiedTo = 0;
    for (const { start, end } of found) {
      // Overlapping secrets become one placeholder, so that no part of a secret remains.
      if (start >= copiedTo) redacted += text.slice(copiedTo, start) + secretPlaceholder;
      copiedTo = Math.max(copiedTo, end);
    }
    return redacted + text.slice(copiedTo);
  };
}

function findRanges(needle: string, text: string): { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (let start = text.indexOf(needle); start >= 0; start = text.indexOf(needle, start + 1)) {
    ranges.push({ start, end: start + needle.length });
  }
  return ranges;
}
