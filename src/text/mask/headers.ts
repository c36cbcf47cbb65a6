import { secretPlaceholder } from "../secret-placeholder.ts";
import { looksLikeSecret } from "./looks-like-secret.ts";
import { masked, wordStart } from "./patterns.ts";

const bearer = new RegExp(`(${wordStart}(?:bearer|basic)\\s+)(?!${masked})[A-Za-z0-9+/._~=-]{16,}`, "gi");

/**
 * Matches `Authorization` headers. The groups are the name, the scheme and the first word of the value; the rest of the
 * value is masked too.
 */
const authorization = new RegExp(
  `(${wordStart}(?:proxy-)?authorization\\\\?["']?\\s{0,4}:\\s{0,4}\\\\?["']?)` +
    "((?:bearer|basic|token|apikey|digest|negotiate|key)\\s+)?" +
    `(?!${masked}|[\`$<{])([^\\s"',\\\\]+)[^\\r\\n"'\\\\]*`,
  "gi",
);

const cookie = new RegExp(
  `(${wordStart}(?:set-)?cookie\\\\?["']?\\s{0,4}:\\s{0,4}\\\\?["']?)(?=[^\\s=;,"']{1,128}=[^;])[^\\r\\n"'\\\\]{6,}`,
  "gi",
);

/** Masks `Authorization` headers by scheme and value, bare `Bearer …` and `Basic …`, and cookies. */
export function maskHeaders(text: string): string {
  return text
    .replace(bearer, `$1${secretPlaceholder}`)
    .replace(authorization, (whole, name: string, scheme: string | undefined, value: string) => {
      const isHit = (scheme !== undefined && value.length >= 6) || looksLikeSecret(value, { name });
      return isHit ? `${name}${scheme ?? ""}${secretPlaceholder}` : whole;
    })
    .replace(cookie, `$1${secretPlaceholder}`);
}
