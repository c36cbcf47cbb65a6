import { secretPlaceholder } from "../clean.ts";
import { countRuns, harmless, isRandomLetters } from "./patterns.ts";

/** Names of secrets in sentences, tables and declarations, by language. */
const names: Readonly<Record<string, readonly string[]>> = {
  any: ["token", "PINs?", "OTP", "API[ -]?tokens?"],
  en: [
    "pass(?:word|wd|code|[ -]?phrase)s?",
    "pw",
    "secrets?",
    "credentials?",
    "(?:api|app|application|access|account|auth|client|encryption|licen[cs]e|master|private|recovery|secret|security|service|shared|signing|ssh|storage|subscription|webhook)[ _-]?key",
    "auth[ _-]?token",
    "(?:one[- ]time|verification|recovery|login|sign-in|access|auth(?:entication|orization)?|security|2FA|MFA)[ -](?:code|password)",
    "(?:log(?:ged)?|sign(?:ed)?)[ -]?in (?:as|with)",
  ],
  de: [
    "Pass(?:wort|wörter|phrase)",
    "Kenn(?:wort|wörter)",
    "(?:Client-)?Geheimnis",
    "(?:API|Zugangs|Zugriffs|Lizenz)-?(?:Schlüssel|Token|Code)",
    "(?:Zugangs|Anmelde)daten",
    "(?:Einmal|Bestätigungs|Sicherheits|Verifizierungs|Anmelde)-?(?:code|passwort|kennwort)",
  ],
  fr: [
    "mots? de passe",
    "phrase (?:de passe|secrète)",
    "clé (?:d['’])?(?:API|accès|secrète|privée|de chiffrement)",
    "jeton(?: d['’]accès)?",
    "identifiants",
    "code (?:d['’]accès|secret|à usage unique|de vérification)",
  ],
  es: [
    "contraseñas?",
    "frase de contraseña",
    "clave (?:de )?(?:la )?(?:API|acceso|secreta|privada|cifrado)",
    "secreto",
    "credenciales",
    "código de (?:un solo uso|verificación|acceso)",
  ],
  pt: [
    "senhas?",
    "palavras?-passe",
    "chave (?:d[ea] )?(?:API|acesso|secreta|privada|criptografia)",
    "segredo",
    "credenciais",
    "código de (?:uso único|verificação|acesso)",
  ],
  ja: [
    "パスワード",
    "パスフレーズ",
    "(?:API|アクセス|シークレット|暗号化) ?キー",
    "秘密鍵",
    "シークレット",
    "トークン",
    "暗証番号",
    "(?:認証|確認|ワンタイム) ?(?:コード|情報)",
  ],
  ko: ["비밀번호", "암호", "토큰"],
  ru: ["парол[ьяеи]м?", "токен", "ключ API"],
  pl: ["hasło", "klucz API"],
  nl: ["wachtwoord", "API-sleutel"],
  it: ["parola(?: d['’]ordine)?(?! chiave)", "chiave API"],
  nordic: ["lösenord", "adgangskode", "passord", "salasana"],
  "cs, tr, id, vi": ["heslo", "[sş]ifre", "kata sandi", "mật khẩu"],
  "ar, fa, hi": ["كلمة (?:المرور|السر)", "رمز عبور", "पासवर्ड"],
  zh: ["密[码碼]", "口令", "(?:API )?[密金][钥鑰]", "令牌|權杖", "凭[据证]|憑證", "(?:验证|驗證|校验)[码碼]"],
};

/**
 * Matches a name of a secret as a word of its own, also as the last part of a longer name: `WIFI_PASSWORD`,
 * `wifi-password`.
 */
const name = new RegExp(
  `(?<![\\p{L}\\d])(?:${Object.values(names).flat().join("|")})(?![\\p{Ll}\\d_]|-\\p{L})|` +
    `(?:${["ja", "zh", "ko"].flatMap((language) => names[language] ?? []).join("|")})`,
  "giu",
);
const codeName = /PIN|OTP|code|コード|暗証番号|[码碼]$|código/i;

/** Longest distance from a name to its value, in characters. */
const maxChars = 160;
const maxWords = 8;

/**
 * Matches a word: visible ASCII characters, or letters of other scripts, up to a quote, bracket, comma or similar sign.
 */
const part = /[^\s"'`<>()[\]{},;«»“”„|│\u0080-\uffff]+|\p{L}+|[|│：「（]/gu;
const tag = /<\/?\w[^<>]{0,60}>/g;
/** Matches words and signs that may stand between a name and its value. */
const link =
  /^(?:[:=|│：「（]|:?=>?|->|&str|is|was|are|to|from|as|with|ist|war|lautet|auf|est|était|à|es|era|a|é|foi|como|è|jest|это|is:|ist:|.*[はを是为為成는은].*)$/i;
/** Matches words and signs right before a value that the sentence states. */
const stating = /^(?:[:=「（]|is|was|ist|war|lautet|est|es|era|é|è|jest|это|is:|ist:|.*[はを是为為는은])$/i;
/** Matches known words that contain digits. */
const knownWord = /^(?:argon2\w*|sha-?\d+|md5|base\d+|utf-?\d+|oauth2?|pbkdf2|[a-z]{1,4}\d{1,2}[a-z]?|v?\d[\d.]*)$/i;

/** Matches the recovery phrase of a wallet or an account: 12 to 24 words, introduced by `seed phrase` or the like. */
const phrase =
  /((?:\b|_)(?:(?:seed|recovery|mnemonic|backup)[ _-]phrase\s{0,2}(?:is|[:=])?|(?:mnemonic|seed)\s{0,2}[:=])\s{0,2}["'`]?)(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}/gi;

/** Matches a word before its name: `use … as the password`, `用 … 作为密码`. */
const named =
  /((?:\b(?:use|using|enter|set|try|type|nimm|nutze|verwende|utilise[rz]?|usa|usar|utiliza)\s(?:please\s|bitte\s)?|用\s?)["'`]?)([^\s"'`]{8,128})(?=["'`]?\s?(?:as\s(?:the|a|an|my|your|its)\s(?:\w{1,16}\s){0,2}(?:pass|secret|token|(?:api|access)[ -]key)|(?:als|comme|como)\s(?:\p{L}{1,12}\s){0,2}(?:pass|kennwort|mot de|contraseña|clave|senha)|作[为為](?:密[码碼]|口令)))/giu;

/**
 * Masks a value that looks random after the name of a secret in the same sentence or row, or alone on the next line, and
 * recovery phrases.
 */
export function maskSentences(original: string): string {
  const text = original
    .replace(phrase, `$1${secretPlaceholder}`)
    .replace(named, (whole, lead: string, value: string) =>
      looksRandom(value, { isCode: false, isNext: false, isStated: true }) ? lead + secretPlaceholder : whole,
    );
  let masked = "";
  let copiedTo = 0;
  for (const found of text.matchAll(name)) {
    const end = found.index + found[0].length;
    const isMasked = text.slice(found.index - 1, end + 1) === secretPlaceholder;
    const value = isMasked || end < copiedTo ? undefined : findValue(text.slice(end, end + maxChars), found[0]);
    if (!value) continue;
    masked += text.slice(copiedTo, end + value.start) + secretPlaceholder;
    copiedTo = end + value.end;
  }
  return masked + text.slice(copiedTo);
}

function findValue(rest: string, found: string): { readonly start: number; readonly end: number } | undefined {
  const line = (/^(?:[^\r\n:]{0,99}:\s{1,9}\S+(?=\s*$|\r?\n)|[^\r\n]*)/.exec(rest)?.[0] ?? "").replace(tag, (whole) =>
    " ".repeat(whole.length),
  );
  let isLinked = false;
  let isStated = false;
  let words = 0;
  for (const { 0: word, index } of line.matchAll(part)) {
    const ends = /[.!?]$/.test(word);
    // Without punctuation at its end, and without a user name and colon at its start
    const bare = word.replace(/[.,:!?*_]+$/, "");
    const { length: start } = /^(?:[A-Za-z][\w.-]*:(?!\/)|[*_=:]+)/.exec(bare)?.[0] ?? "";
    const value = bare.slice(start);
    const isCall = /[([]/.test(line[index + word.length] ?? "");
    const isHash = !isLinked && /^[0-9a-f]{7,12}$/.test(value);
    if (
      (isLinked || words === 0) &&
      !isCall &&
      !isHash &&
      looksRandom(value, { isCode: codeName.test(found), isNext: words <= 1, isStated })
    )
      return { start: index + start, end: index + start + value.length };
    if (word === secretPlaceholder.slice(1, -1) || ends || words >= maxWords) return undefined;
    isStated = stating.test(word);
    if (link.test(word) || word.endsWith(":") || !/[\p{L}\d]/u.test(word)) isLinked = true;
    else words += 1;
  }
  return undefined;
}

/** Tells if a word mixes letters and digits at random. False for paths, dates and names in code. */
function looksRandom(
  value: string,
  { isCode, isNext, isStated }: { readonly isCode: boolean; readonly isNext: boolean; readonly isStated: boolean },
): boolean {
  if (isCode && /^\d{4,10}$/.test(value)) return !/^(?:19|20)\d\d$/.test(value);
  if (harmless.test(value)) return false;
  if (/^[A-Za-z]+$/.test(value)) return isRandomLetters(value);
  if (value.length < 6 || !/[A-Za-z]/.test(value) || !/\d/.test(value)) return false;
  if (knownWord.test(value) || /^[-$%/~@.?]|[/\\]|::|:\/\/|\.\w{1,5}$|\(|=./.test(value)) return false;
  if (isStated && value.length >= 8 && /[A-Z#!@&+]/.test(value)) return true;
  if (/^[A-Za-z]+(?:[_.-][A-Za-z]+)*[_.-]?\d{0,4}$/.test(value)) return isNext && /^[A-Za-z]{4,}\d{1,4}$/.test(value);
  if (/^(?:[a-z]+|\d+)(?:[_-](?:[a-z]+|\d+|[a-z]+\d{1,2}|[a-z\d]{5}))+$/i.test(value)) return false;
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return false;
  return countRuns(value) >= 4 || value.length >= 16;
}
