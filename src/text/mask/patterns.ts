import { secretPlaceholder } from "../clean.ts";

// Parts of the rules in this folder, all as sources of regular expressions.

/** Pattern for text that is already masked, and must not be masked again. */
export const masked = secretPlaceholder.replace(/[[\]]/g, "\\$&");

/** Pattern for a position right after an escape in the text, such as `\n`, `\u000a` or `%3D`. */
const afterEscape = "(?<=\\\\[nrtbfv0])|(?<=\\\\[xu](?:[0-9a-fA-F]{2}){1,2})|(?<=%[0-9a-fA-F]{2})";

/** Pattern for the start of a token: neither within a word nor after a dash or an underscore. */
export const tokenStart = `(?:(?<![A-Za-z0-9_-])|${afterEscape})`;

/** Pattern for the start of a word. `_` and `-` separate words. */
export const wordStart = `(?:(?<![A-Za-z0-9])|${afterEscape})`;

/**
 * Pattern for quoted text, also with escaped quotes (`\"…\"` in a JSON string). Its groups are the opening quote, which
 * must be group 2 of the whole expression, and the content, at most 512 characters.
 */
export const quotedText = "(\\\\{0,3}[\"'`])([^\\r\\n]{1,512}?)(?=(?<!\\\\)\\2)";

/** Matches words that are harmless in the place of a credential: types, words of error messages, placeholders. */
export const harmless =
  /^(?:string|number|boolean|bool|int|integer|object|array|base64|any|unknown|void|null|none|nil|undefined|true|false|yes|no|on|off|required|optional|missing|invalid|expired|empty|unset|changeme|example|redacted|hidden|secret|token|password|passphrase|str|text|bytes|buffer|incorrect|wrong|field|input|value|passwort|kennwort|mot de passe|contraseña|senha|(?:sk-)?your[-_ ].*|my[-_](?:secret|token|password|api[-_]?key|key)|x{3,}|\*{3,}|\.{3,}|#[\da-f]{3,8})$/i;

/**
 * Matches code or a reference instead of a credential: `process.env.X`, `getToken()`, `${X}`, `<token>`, `{{ x }}`, a
 * path.
 */
const code =
  /^[$<{[(%@!]|^~?\/(?=[\w.-]{0,40}(?:\/|$))|[()[\]{}]|^(?:process|os|env|self|this|config|settings|options|secrets|args|ctx|context|await|new|import|require|request|response|state|event)\b(?!-)|=>|\?\.|::|^[a-z]\w*(?:\.\w+)+$/i;

/** Matches three words of a passphrase with hyphens. https://www.eff.org/dice */
const hyphenated = /^[a-z]{4,}(?:-[a-z]{4,}){2,}$/;

/**
 * Letters that often follow a, b, c and so on within words of six languages and names in code: pairs that make up at
 * least 0.02 % of all pairs in this project's texts and its dependencies'. Half of the pairs of random letters do not.
 */
const followers = (
  "bcdfgiklmnprstuvwxy abceijlmorstuy acdehiklmoprstuy abdegilmnorsuvy abcdefghijklmnopqrstuvwxy aefilorstuy " +
  "aeghilnorsu adeilmorstuy abcdefgklmnoprstvxz aeosu adeinostuy abcdefgiklmopstuvy abdeilmopstuy " +
  "abcdefghijklmnoprstuvwy abcdefgijklmnoprstuvwxyz adehilmoprstuy lu abcdefgiklmnoprstuvwy acdefhiklmnopqrstuwy " +
  "acdefhilnoprstuwy abcdefgilmnoprst aeio aehilnors aceipt abceilmnopst aeioz"
).split(" ");

/**
 * Tells if letters, also with `-`, `_` or `.` between them, are random rather than words: a fifth of the pairs is rare
 * in words, or capitals are everywhere. Finds 19 of 20 random texts of ten letters.
 */
export function isRandomLetters(text: string): boolean {
  if (text.length < 8) return false;
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  if (words.length >= 4 && text.length / words.length < 2.8) return true;
  const pairs = words.flatMap((word) =>
    [...word.toLowerCase()].map((letter, at, all) => [letter, all[at + 1]] as const),
  );
  const complete = pairs.filter(([, next]) => next !== undefined);
  const rare = complete.filter(([letter, next = ""]) => !followers[letter.charCodeAt(0) - 97]?.includes(next));
  return rare.length >= 2 && rare.length / complete.length >= 0.2;
}

/**
 * Tells if a text is random letters and digits: they alternate much more often than in words and numbers. False for a
 * UUID, a path and words with a hash, such as `linux-npm-3f9c…`.
 */
export function isRandom(text: string): boolean {
  const bare = text.replace(/^base64:/, "");
  const longest = bare.split(/[^A-Za-z0-9]/).reduce((a, b) => (a.length < b.length ? b : a));
  const hasWord = /(?:^|[^A-Za-z])[a-z]{3,}[^A-Za-z0-9]/i.test(bare);
  if (hasWord || longest.length < 14 || !/[a-z]/i.test(longest) || !/\d/.test(longest)) return false;
  return countRuns(longest) / longest.length >= 0.3;
}

/** Returns the number of runs of capitals, small letters, digits and signs in a text. */
export function countRuns(text: string): number {
  return text.match(/[A-Z]+|[a-z]+|\d+|[^A-Za-z0-9]+/g)?.length ?? 0;
}

/** Matches an assignment to a variable in capitals, `DB_PASS=`, without a space before the value. */
const assignedVariable = /^[A-Z][A-Z0-9_.]*(?:=|%3[dD])$/;
const passwordLabel = /pass(?:word|wd|phrase)?["'`\]*_\\]{0,6}\s*(?::?=|:|=>|->)|pwd|secret/i;

/**
 * Tells if a value is a credential rather than a word, a number or code. A plain word counts as a credential only after
 * a variable in capitals (`DB_PASS=`), or in quotes after the name of a password.
 * @param found.name text before the value, up to and including `=` or `:` and an opening quote
 * @param found.quoted true if quotes mark the end of the value
 */
export function looksLikeSecret(value: string, { name, quoted = false }: { name: string; quoted?: boolean }): boolean {
  const text = quoted ? value.trim() : value.replace(/(?:\/[gi]{0,2})?[.,;:!?)\]}*_]*$/, "");
  if (text.length < 4 || harmless.test(text)) return false;
  // Keys with other names may have a harmless value: `STORAGE_KEY=app-settings`.
  const isVariable =
    assignedVariable.test(name) &&
    /pass|pwd|secret|token|cred|psw|pw|auth|(?:api|signing|encryption|private|master|access)_?key/i.test(name);
  if (quoted || isVariable ? /^[$<{%]/.test(text) : code.test(text)) return false;
  if (/\s/.test(text)) return isPhrase(text, name);
  if (isVariable && !/^(?:process|os|env|self|this|config|settings)\.|[()]/.test(text)) return true;
  if (text.length < 6) return quoted && isMixed(text);
  const isInvented = /^[A-Za-z]{8,32}$/.test(text) && /[a-z][A-Z]/.test(text) && !variableName.test(text);
  return (
    isMixed(text) ||
    (passwordLabel.test(name) && (isInvented || quoted || /^\d{8,}$/.test(text))) ||
    (/pass/i.test(name) && hyphenated.test(text))
  );
}

/**
 * Tells if a text is a passphrase: several words after the name of a password that do not read like a sentence or a
 * label.
 */
function isPhrase(text: string, name: string): boolean {
  if (!passwordLabel.test(name) || text.length > 128 || /[.!?:,]$|,\s/.test(text)) return false;
  return /phrase/i.test(name) || /\d|[^\w\s]/.test(text) || isRandomLetters(text.replaceAll(" ", ""));
}

/** Matches parts of names that variables, fields and functions have. */
const variableName =
  /pass|pwd|secret|token|key|cred|auth|value|input|field|form|hash|text|string|user|name|config|env|param|arg|default|current|new|old|plain|raw|encoded|encrypted|^(?:get|set|read|load|fetch|on|is|has|to|from|my|your|the|use)[A-Z]/i;

/** Tells if a text mixes letters, digits and signs as credentials do. False for words, a name or a number. */
function isMixed(text: string): boolean {
  if (/^[A-Za-z]+(?:[-_.][A-Za-z]+)*$/.test(text)) return isRandomLetters(text);
  if (/^[\^~<>=]{0,2}[\d.,:_-]{1,15}(?:(?:alpha|beta|rc)[\d.]{0,8})?$/.test(text)) return false;
  return [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9\s]/].filter((kind) => kind.test(text)).length >= 2;
}
