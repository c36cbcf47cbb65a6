import { secretPlaceholder } from "../secret-placeholder.ts";
import { masked, quotedAs, wordStart } from "./patterns.ts";

/** Matches the option with a user name and password, as in `curl -u user:password`. */
const userOption = new RegExp(`(\\s(?:-u|--user|--proxy-user)(?:\\s+|=))(?:${quotedAs(2)}|([^\\s"']{1,512}))`, "g");

/**
 * Matches options with secrets, such as `--token …` and `--api-key=…`. Text that begins like another option, a variable
 * or a placeholder does not count as the value.
 */
const secretOption = new RegExp(
  "(\\s--(?:[a-z]+-)*(?:password|passwd|passphrase|token|secret|api-?key|access-?key|auth-?key)(?:\\s+|=))" +
    `(?!${masked}|[-<{$[])(?:${quotedAs(2)}|([^\\s"'\\\\]{6,512}))`,
  "gi",
);

/**
 * Matches the option `-p` with a password, for programs that have such an option. For MySQL's programs, the password
 * follows without a space.
 */
const passwordOption = new RegExp(
  `(${wordStart}(?:sshpass|(?:docker|podman|helm|oras)\\s[^|;&\\r\\n]{0,200}?login\\s[^|;&\\r\\n]{0,200}?|(?:mysql|mysqldump|mysqladmin|mariadb)\\s[^|;&\\r\\n]{0,200}?\\s-p(?=\\S)|sshpass\\s+-p)(?:(?<=-p)|\\s?-p\\s+))(?!${masked})(?:${quotedAs(2)}|([^\\s"'\\\\]{3,512}))`,
  "g",
);

/** Programs that take a password or token, with the options or arguments before it. */
const programs: readonly (readonly [program: string, before: string])[] = [
  ["gh\\s+secret\\s+set", "\\s(?:-b|--body)[\\s=]+"],
  ["htpasswd", "\\s-[a-zA-Z]{0,16}b[a-zA-Z]{0,16}\\s+\\S+\\s+\\S+\\s+"],
  ["ngrok", "\\s(?:add-)?authtoken\\s+"],
  ["vault", "\\slogin\\s+(?=\\S*\\d)"],
  ["snyk", "\\sauth\\s+"],
  ["rclone", "\\sobscure\\s+"],
  ["redis-cli", "\\s(?:-a|--pass)\\s+"],
  ["(?:psql|mongosh?|mongodump|sqlcmd|ldap\\w+|isql)", "\\s-[pPw]\\s+"],
  ["(?:twine|ssh-keygen)", "\\s-[pPN]\\s+"],
  ["net\\s+use", "\\s/user:\\S+\\s+"],
  ["openssl", "\\s-(?:k|K)\\s+"],
  ["openssl", "\\s-pass(?:in|out)?\\s+pass:"],
  ["(?:un)?zip", "\\s-P\\s*"],
  ["(?:7z\\w?|unrar|rar)", "\\s-p"],
  ["(?:smbclient|rpcclient|net\\s+ads)", "\\s-U\\s+[^\\s%]+%"],
];
const programArgument = programs.map(
  ([program, before]) =>
    new RegExp(
      `(${wordStart}${program}(?=\\s)[^|;&\\r\\n]{0,200}?${before})(?!${masked}|[-<{$[])(?:${quotedAs(2)}|([^\\s"'|;&]{4,512}))`,
      "g",
    ),
);

/** Matches a password piped into sudo: `echo PASSWORD | sudo -S …`. */
const pipedToSudo = new RegExp(
  `(${wordStart}echo\\s+)(?!${masked}|[-<{$[])(?:${quotedAs(2)}|([^\\s"'|]{4,512}))(?=\\s*\\|\\s*sudo\\s[^|]{0,40}-S)`,
  "g",
);

/**
 * Matches a line of `.netrc`: `machine … login … password …`.
 * https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
 */
const netrc = new RegExp(`(${wordStart}login\\s+\\S{1,256}\\s+password\\s+)(?!${masked})\\S{1,512}`, "g");

/** Matches passwords in SQL: `IDENTIFIED BY '…'`, `PASSWORD '…'`. */
const sql = new RegExp(`(${wordStart}(?:identified\\s+by|password)\\s+)(')(?!${masked})[^'\\r\\n]{3,512}(?=')`, "gi");

/** Masks credentials in command lines and statements. */
export function maskCommandLines(text: string): string {
  const hide = (_: string, lead: string, quote = ""): string => `${lead}${quote}${secretPlaceholder}`;
  return programArgument
    .reduce((left, argument) => left.replace(argument, hide), text)
    .replace(userOption, (whole, ...[lead, quote = "", quoted, bare]: string[]) => {
      const value = quoted ?? bare ?? "";
      const at = value.indexOf(":") + 1;
      return at === 0 || value.length - at < 3 ? whole : `${lead}${quote}${value.slice(0, at)}${secretPlaceholder}`;
    })
    .replace(pipedToSudo, hide)
    .replace(passwordOption, hide)
    .replace(secretOption, hide)
    .replace(netrc, `$1${secretPlaceholder}`)
    .replace(sql, hide);
}
