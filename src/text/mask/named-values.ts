import { secretPlaceholder } from "../clean.ts";
import { isRandom, looksLikeSecret, masked, quotedText, wordStart } from "./patterns.ts";

/** Pattern for names of credentials, also as the last part of a longer name: `DB_PASSWORD`, `clientSecret`. */
const secretName =
  "[\\w.-]{0,64}?(?:" +
  [
    "pass(?:word|wd|phrase|code)",
    "(?<![a-z])(?:ssh)?pass",
    "(?<![a-z])(?:_?auth(?=[\"'=])|psk|ps?w)",
    "pwd",
    "(?<!existing[_-]?)secret(?:[ _-]?(?:access)?[ _-]?key(?:[_-]?base)?|[_-]?token)?",
    "(?<!public[_-]?key[_-]?)token",
    "credentials?",
    "(?:api|app|access|pre[_-]?shared|account|auth|client|encryption|license|master|private|service|shared[_-]?access|signing|ssh|storage|subscription|unseal|webhook)[ _-]?key(?: \\d)?",
    "shared[_-]?access[_-]?signature",
    "auth[_-]?code",
  ].join("|") +
  ")";

/**
 * Pattern for the text between a name and its value: `=`, `:`, `=>`, `->`, `:=` or `is`, also in quotes, JSON, Markdown
 * or a URL's query.
 */
const sign =
  "(?:[\\\\\"'`\\]*_]{0,6}\\s{0,4}(?::=|=>|->|→|=(?!=\\d)|:(?!:)|%3[dD])|\\s{1,2}is(?=\\s))\\s{0,4}[*_]{0,3}\\s{0,2}(?:(?:[bru]|@)(?=[\"']))?";

/**
 * Pattern for an unquoted value: four groups of letters, as Google makes them, or all up to white space. `;`, `,` and
 * `&` belong to the value unless white space or another pair of name and value follows.
 */
const bare =
  "((?:[a-z]{4} ){3}[a-z]{4}(?![\\w-])|(?:[^\\s\"'`,;&<>\\\\]|[,;&](?!\\s|$|[\\w .-]{1,64}=|[A-Za-z]\\w{0,64}:)){1,512})";

const assignment = new RegExp(
  `((?:(?<![\\w.-]|\\barn:[\\w:-]{0,100})|(?<=\\\\[nrt])|(?<=%[0-9a-fA-F]{2}))${secretName}${sign})(?!${masked}|\\.[*+])(?:${quotedText}|${bare})`,
  "gi",
);

/**
 * Matches a value after a name that often has harmless values too, and a list of values after a name in the plural. Only
 * random values are masked: a `*_KEY` may be that of a cache, a `session` that of an agent.
 */
const doubtful = new RegExp(
  `((?:(?<![\\w.-])|(?<=\\\\[nrt]))[\\w.-]{0,64}?(?<!(?:public|gpg|cache|idempotency|websocket)[ _-]?)(?:` +
    `(?:key|jwt|session(?:[_-]?id)?|sess(?:ion)?id|sid|salt|[cx]srf|auth|(?<![a-z])pat)(?:${sign}|["'],\\s?)|` +
    `(?:key|token|secret|password|credential)s${sign}\\[?\\s{0,4})["']?)` +
    `([\\w+/=.:!#@$%&*-]{8,512}(?:["'\\s]{0,4},["'\\s]{0,4}[\\w+/=.:!#@$%&*-]{1,512}){0,20})`,
  "gi",
);

/** Matches a value in YAML's block form: `password: |`, and the value in the next line. */
const block = new RegExp(
  `(${secretName}["']?:[ \\t]{1,4}[|>][+-]?[ \\t]*\\r?\\n[ \\t]+)(?!${masked})[^\\r\\n]{4,512}`,
  "gi",
);

/** Matches credentials in XML: `<password>…</password>` and `key="Password" value="…"`. */
const element = new RegExp(`(<(${secretName})(?:\\s[^<>]{0,200})?>)(?!${masked})[^<>\\r\\n]{4,512}(?=</\\2>)`, "gi");
const attribute = new RegExp(`(["']${secretName}["']\\s+value=["'])(?!${masked})[^"'\\r\\n]{4,512}`, "gi");

/** Matches a long value with digits right after a credential's name: `API key 3f9c…`, `token 3f9c… has expired`. */
const adjacent = new RegExp(
  `(${wordStart}(?:api[ _-]?key|access[ _-]?key|token|secret|password)s?[:,]?\\s+["'\`]?)(?=[\\w+/-]{0,64}\\d)(?=[\\w+/-]{0,64}[A-Za-z])(?!${masked})[\\w+/-]{24,512}={0,2}`,
  "gi",
);

/** Matches words after the name of a passphrase. https://www.eff.org/dice */
const phrase = /(\bpass[ -]?phrase["']?\s?[:=]\s{0,2}["']?)([a-z]{3,12}(?: [a-z]{3,12}){3,9})(?=$|["'.,;\r\n])/gi;
const sentence = /\b(?:the|that|this|you|your|is|was|are|see|for|and|not|must|with|from|should|has)\b/i;

/**
 * Matches a name and its value as two fields or arguments: `name: DB_PASSWORD` and `value: …` in Kubernetes and ECS,
 * `variable "db_password" { default = "…" }` in Terraform, `define('DB_PASSWORD', '…')` in PHP; and passwords and keys
 * as arguments: `getByLabel("Password").fill("…")`, `auth=("ann", "…")`, `createHmac("sha256", "…")`.
 */
const twoFields = new RegExp(
  `(\\b(?:(?:name|key)["']?\\s*[:=]\\s*["']?${secretName}["']?\\s{0,4},?\\s{0,32}["']?value["']?\\s*[:=]\\s*|` +
    `variable\\s+"${secretName}"\\s*\\{[^{}]{0,200}?default\\s*=\\s*|define\\(\\s*["']${secretName}["']\\s*,\\s*|` +
    `(?:\\b(?:store|key)Password\\s+|${secretName}["'\\])]{1,4}\\.(?:fill|type|send_?keys)\\(\\s*|` +
    `(?:\\bauth=|\\w{0,16}basic_?auth|(?:Network|Password)Credentials?)\\(\\s*["'][\\w.@-]{1,64}["']\\s*,\\s*|` +
    `\\bcreateHmac\\(\\s*["'][\\w-]{1,32}["']\\s*,\\s*|\\bjwt\\.(?:sign|verify)\\([^()"']{1,128},\\s*)(?=\\\\?["'\`])))` +
    `(?!${masked})(?:${quotedText}|${bare})`,
  "gi",
);

/** Matches lines of `redis.conf` and `.pgpass`. https://www.postgresql.org/docs/current/libpq-pgpass.html */
const lines =
  /^(\s{0,8}(?:config\s+set\s+)?(?:requirepass|masterauth)\s+|[\w.*-]{1,253}:(?:\d{1,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:)(?!\[secret\]|[$<{])\S{4,512}/gim;

/** Folders, tests that passed, and names of secrets in `gcloud` and `docker`. */
const harmlessPairs = [
  [/^(?:old)?pwd\W*$/i, /^[~/]/],
  [/^PASS:\s/, /^(?:test|example|fuzz|benchmark|check)|[./]/i],
  [/^--secret=/, /^(?:id=|[a-z]+[_-])/],
] as const;

/** Masks values that follow the name of a credential. */
export function maskNamedValues(text: string): string {
  return text
    .replace(assignment, (whole, ...[name = "", quote, quoted, value]: string[]) => {
      const given = quoted ?? value ?? "";
      const isName = harmlessPairs.some(([names, values]) => names.test(name) && values.test(given));
      if (isName || quoted?.includes(secretPlaceholder)) return whole;
      const isHit = looksLikeSecret(given, { name, quoted: quoted !== undefined });
      return isHit ? `${name}${quote ?? ""}${secretPlaceholder}` : whole;
    })
    .replace(doubtful, (_, name: string, values: string) => {
      return name + values.replace(/[^\s"',]+/g, (value) => (isRandom(value) ? secretPlaceholder : value));
    })
    .replace(twoFields, (whole, ...[lead = "", quote, quoted, value]: string[]) => {
      const isHit = looksLikeSecret(quoted ?? value ?? "", { name: "password=", quoted: quoted !== undefined });
      return isHit ? `${lead}${quote ?? ""}${secretPlaceholder}` : whole;
    })
    .replace(lines, `$1${secretPlaceholder}`)
    .replace(block, `$1${secretPlaceholder}`)
    .replace(phrase, (whole, lead: string, words: string) => (sentence.test(words) ? whole : lead + secretPlaceholder))
    .replace(element, `$1${secretPlaceholder}`)
    .replace(attribute, `$1${secretPlaceholder}`)
    .replace(adjacent, `$1${secretPlaceholder}`);
}
