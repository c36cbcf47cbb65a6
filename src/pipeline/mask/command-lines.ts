import { secretPlaceholder } from "../../core/secret.ts";
import { masked, quotedAs, wordStart } from "./patterns.ts";

/** `curl -u user:password`. */
const userOption = new RegExp(`(\\s(?:-u|--user|--proxy-user)(?:\\s+|=))(?:${quotedAs(2)}|([^\\s"']{1,512}))`, "g");

/** `--token …`, `--api-key=…`; what begins like another option, a variable or a placeholder is no value. */
const secretOption = new RegExp(
  "(\\s--(?:[a-z]+-)*(?:password|passwd|passphrase|token|secret|api-?key|access-?key|auth-?key)(?:\\s+|=))" +
    `(?!${masked}|[-<{$[])(?:${quotedAs(2)}|([^\\s"'\\\\]{6,512}))`,
  "gi",
);

/** Programs whose `-p` takes a password: behind a space, and, for MySQL's, without one. */
const passwordOption = new RegExp(
  `(${wordStart}(?:sshpass|(?:docker|podman|helm|oras)\\s[^|;&\\r\\n]{0,200}?login\\s[^|;&\\r\\n]{0,200}?|(?:mysql|mysqldump|mysqladmin|mariadb)\\s[^|;&\\r\\n]{0,200}?\\s-p(?=\\S)|sshpass\\s+-p)(?:(?<=-p)|\\s?-p\\s+))(?!${masked})(?:${quotedAs(2)}|([^\\s"'\\\\]{3,512}))`,
  "g",
);

/**
 * `.netrc`: `machine … login … password …`.
 * https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
 */
const netrc = new RegExp(`(${wordStart}login\\s+\\S{1,256}\\s+password\\s+)(?!${masked})\\S{1,512}`, "g");

/** SQL: `IDENTIFIED BY '…'`, `PASSWORD '…'`. */
const sql = new RegExp(`(${wordStart}(?:identified\\s+by|password)\\s+)(')(?!${masked})[^'\\r\\n]{3,512}(?=')`, "gi");

/** Masks credentials among the words of a command line or a statement. */
export function maskCommandLines(text: string): string {
  const hide = (_: string, lead: string, quote = ""): string => `${lead}${quote}${secretPlaceholder}`;
  return text
    .replace(userOption, (whole, lead: string, quote = "", quoted?: string, bare?: string) => {
      const value = quoted ?? bare ?? "";
      const at = value.indexOf(":") + 1;
      return at === 0 || value.length - at < 3 ? whole : `${lead}${quote}${value.slice(0, at)}${secretPlaceholder}`;
    })
    .replace(passwordOption, hide)
    .replace(secretOption, hide)
    .replace(netrc, `$1${secretPlaceholder}`)
    .replace(sql, hide);
}
