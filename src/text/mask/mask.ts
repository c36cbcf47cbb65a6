import { clean, secretPlaceholder } from "../clean.ts";
import { maskCommandLines } from "./command-lines.ts";
import { maskNamedValues } from "./named-values.ts";
import { looksLikeSecret, masked, wordStart } from "./patterns.ts";
import { maskSentences } from "./sentences.ts";
import { compile, maskPublicForms, tokenForms } from "./token-forms.ts";

/** Maximum number of characters that one rule is compared with at a time, except for private keys. */
const maxPartChars = 64 * 1024;

/**
 * Replaces everything in a text that looks like a credential with `[secret]`. Recognizes tokens by their issuers'
 * formats, and values by the name, header, option or address before them. Cannot find every credential. Idempotent;
 * takes linear time: a long text is masked in parts, which end with a line or a word.
 */
export function mask(text: string): string {
  const found = maskAtDepth(text, 0);
  if (!/[\u001b\u009b]/.test(text)) return found;
  // Colours within or around a secret would hide it.
  const bare = clean(found);
  const masked = maskAtDepth(bare, 0);
  return masked === bare ? found : masked;
}

/** Maximum number of encoded addresses within each other that are decoded. A parameter with more is masked whole. */
const maxDepth = 3;

/** Masks a text as `mask` does. @param depth number of encoded addresses around it */
function maskAtDepth(text: string, depth: number): string {
  if (text.length <= maxPartChars) return maskPart(text, depth);
  const keyless = maskPrivateKeys(text);
  let masked = "";
  for (let at = 0; at < keyless.length; ) {
    const next = keyless.slice(at, at + maxPartChars);
    const end = at + maxPartChars < keyless.length ? next.lastIndexOf("\n") + 1 || next.lastIndexOf(" ") + 1 : 0;
    masked += maskPart(end > 0 ? next.slice(0, end) : next, depth);
    at += end || maxPartChars;
  }
  return masked;
}

function maskPart(text: string, depth: number): string {
  if (!secretHint.test(text) && maskTokens(text) === text && maskPublicForms(text) === text) return text;
  return [
    maskPrivateKeys,
    (left: string) =>
      maskAddresses(left, (decoded) => depth >= maxDepth || maskAtDepth(decoded, depth + 1) !== decoded),
    maskTokens,
    maskPublicForms,
    maskHeaders,
    maskCommandLines,
    maskNamedValues,
    maskSentences,
  ].reduce((masked, rule) => rule(masked), text);
}

/** Matches a run of characters as long as the shortest token. */
const longRun = /[\w+/=.~:-]{16}/;
/**
 * Matches words and signs that the rules require. Most texts contain none of them and no token, so that nothing needs
 * masking, and a start need not compile the rules, which takes 10 ms.
 */
const secretHint =
  /pass|pwd|secret|token|credential|key|auth|bearer|basic|cookie|jwt|sess|csrf|xsrf|salt|psk|"kty|private-lines|mnemonic|seed|<<<|--cert|net user|bundle|unlock|encrypt_string|alias set|(?:\b|_)(?:pat|ps?w|sid)|signature|identified|:\/\/|[?&;][\w.[\]-]{1,64}=|\s-\w{0,6}[upkabtwEPNAX]|\.psk|add_user|-p\S|\/user:|--(?:proxy-)?user|\/p:|sqlplus|jdbc:|unseal|sudo|cryptsetup|vault|snyk|obscure|code|PIN|OTP|phrase|(?:log|sign)[a-z]*[ -]?in|kennw|geheim|schlüssel|daten|clé|jeton|identifiant|contrase|clave|credencia|código|senha|chave|segredo|hasło|wachtw|sleutel|parola|chiave|lösenord|adgangskode|salasana|heslo|[sş]ifre|kata sandi|mật khẩu|hmac|@(?:tcp|unix)\(|expdp|impdp|sqlldr|[\u0400-\u04ff\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/i;

/** Matches a PEM or PGP block, complete or cut off, with literal or escaped line ends. https://www.rfc-editor.org/rfc/rfc7468 */
const pem =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;
/** Matches the end of a PEM block whose beginning was cut off: up to 65 lines of Base64. */
const pemEnd =
  /(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{16,76}(?:\s|\\[rn]){1,2}){0,64}[A-Za-z0-9+/=]{1,76}(?=(?:\s|\\[rn]){1,2}-----END [A-Z0-9 ]{0,40}PRIVATE KEY)/g;
/** Matches the private part of a PuTTY key. https://the.earth.li/~sgtatham/putty/0.83/htmldoc/AppendixC.html */
const puttyKey = /(Private-Lines: \d{1,3}\s{1,2})[A-Za-z0-9+/=]+(?:\s{1,2}[A-Za-z0-9+/=]+(?=\s|$))*/g;
/** Matches the private members of a JSON Web Key. https://www.rfc-editor.org/rfc/rfc7518#section-6 */
const webKey = /("(?:d|p|q|d[pq]|qi|k)\\?"\s{0,4}:\s{0,4}\\?")[\w-]{16,}/g;

/** Masks private keys as PEM and PGP blocks, PuTTY's files and JSON Web Keys. */
function maskPrivateKeys(text: string): string {
  const others = text.includes('"kty') ? text.replace(webKey, `$1${secretPlaceholder}`) : text;
  const left = others.replace(puttyKey, `$1${secretPlaceholder}`);
  if (!left.includes("PRIVATE KEY")) return left;
  return left.replace(pem, secretPlaceholder).replace(pemEnd, secretPlaceholder);
}

function maskTokens(text: string): string {
  if (!longRun.test(text)) return text;
  return tokenForms.reduce((masked, form) => {
    const isLikely = form.ignoreCase || masked.includes(form.keyword);
    return isLikely ? masked.replace(compile(form), secretPlaceholder) : masked;
  }, text);
}

const bearer = new RegExp(
  // Long words are no token: `basic internationalization`.
  `(${wordStart}(?:[Bb](?:earer|asic)|BEARER|BASIC)\\s+)(?!${masked}|[Yy]our[-_]|YOUR[-_]|x{3}|X{3}|(?:[A-Z]?[a-z]+[/_-])*[A-Z]?[a-z]+(?![A-Za-z0-9+.~=/_-]))[A-Za-z0-9+/._~=-]{16,}`,
  "g",
);

/**
 * Matches `Authorization` headers. The groups are the name, the scheme and the first word of the value; the rest of the
 * value is masked too.
 */
const authorization = new RegExp(
  `(${wordStart}(?:proxy-)?authorization\\\\?["']?\\s{0,4}:\\s{0,4}\\\\?["']?)` +
    "((?:bearer|basic|token|apikey|digest|negotiate|key)\\s+)?" +
    `(?!${masked}|[\`$<{]|your[-_]|x{3}|\\w+=\\\\?")([^\\s"',\\\\]+)[^\\r\\n"'\\\\]*`,
  "gi",
);

const cookie = new RegExp(
  `(${wordStart}(?:set-)?cookie\\\\?["']?\\s{0,4}:\\s{0,4}\\\\?["']?)(?!SameSite|Path|Domain|Expires|Max-Age)(?=[^\\s=;,"']{1,128}=[^;])[^\\r\\n"'\\\\]{6,}`,
  "gi",
);

/** Masks `Authorization` headers by scheme and value, bare `Bearer …` and `Basic …`, and cookies. */
function maskHeaders(text: string): string {
  return text
    .replace(bearer, `$1${secretPlaceholder}`)
    .replace(authorization, (whole, name: string, scheme: string | undefined, value: string) => {
      const isHit = (scheme !== undefined && value.length >= 6) || looksLikeSecret(value, { name });
      return isHit ? `${name}${scheme ?? ""}${secretPlaceholder}` : whole;
    })
    .replace(cookie, `$1${secretPlaceholder}`);
}

/** Hosts whose addresses are credentials: webhooks and bots. Masking keeps the host, which names the service. */
const webhookHosts = [
  "hooks\\.slack\\.com",
  "(?:\\w{1,32}\\.)?discord(?:app)?\\.com/api",
  "api\\.telegram\\.org",
  "chat\\.googleapis\\.com/v1/spaces",
  // Teams: the older connectors, and the old and new hosts of Workflows
  "[\\w.-]{1,200}\\.(?:webhook\\.office\\.com|logic\\.azure\\.com(?::\\d{1,5})?|api\\.powerplatform\\.com(?::\\d{1,5})?)",
  "outlook\\.office\\.com/webhook",
  "open\\.(?:feishu\\.cn|larksuite\\.com)/open-apis/bot",
  "qyapi\\.weixin\\.qq\\.com/cgi-bin/webhook",
  "oapi\\.dingtalk\\.com/robot",
  "maker\\.ifttt\\.com/trigger",
  "hooks\\.zapier\\.com/hooks",
  "hook\\.[\\w.]{0,20}make\\.com",
];

/** Matches the address of an incoming webhook. An address with an ellipsis is only an example, and does not match. */
const webhook = new RegExp(`(https://(?:${webhookHosts.join("|")})/)(?![^\\s"'\`]*…)[^\\s"'\`<>)\\\\]+`, "g");

/**
 * Matches `scheme://user:password@host`, `jdbc:oracle:thin:user/password@host` and `user:password@tcp(host)`. A password
 * may contain an `@`; the last `@` before the path ends it.
 * https://docs.oracle.com/en/database/oracle/oracle-database/19/jjdbc/data-sources-and-URLs.html
 */
const password =
  /\b([a-z][a-z0-9+.-]{0,32}:\/\/[^\s/:@"'<>]{0,256}:|jdbc:oracle:\w{1,8}:[\w$#]{1,64}\/|[\w.-]{1,64}:(?=[^\s/"'<>]{1,128}@(?:tcp|unix)\())(?!\/\/|\[secret\]|(?:\*+|x{3,}|\.{3,})@)[^\s/"'<>]{1,512}@/gi;

/** Matches `https://token@host` and the like, with a token in place of a user name. */
const tokenAsUser = /\b((?:https?|nats|tls):\/\/)(?=[\w-]{0,64}\d)[\w-]{20,512}@/gi;

/** Matches query parameters that give anyone access: signatures, keys and tokens. A short `code` is a country, an error … */
const parameter =
  /([?&;](?:x-(?:amz|goog)-(?:signature|security-token|credential)|signature|sig|s?key(?!=[a-z]+(?:[-_.][a-z]+)*(?:[&#\s"']|$))|api[_-]?key|auth|[\w-]{0,32}token|[\w-]{0,32}secret|pass(?:word|wd)?|pwd|code(?==(?:[^\s&#"']{16}|\d{6}))|jwt|hmac|assertion|session_?id)=)(?!\[secret\]|[$<{])[^\s&#"'<>\\]{6,}/gi;

/**
 * Matches any query parameter. A single quote inside the value does not end the value, because `encodeURIComponent`
 * does not encode single quotes.
 */
const anyParameter = /([?&][\w.[\]-]{1,64}=)((?:[^\s&#"'<>]|'(?=[\w%&]))+)/g;
const shortestEncoded = 8;

/**
 * Masks credentials in addresses: passwords, signatures, and the paths of incoming webhooks. If `holdsSecret` returns
 * true for a parameter's decoded value, masks the whole value, because the secret has another position in the encoded
 * value.
 */
function maskAddresses(text: string, holdsSecret: (decoded: string) => boolean): string {
  if (!/[=@/]/.test(text)) return text;
  return text
    .replace(webhook, `$1${secretPlaceholder}`)
    .replace(password, `$1${secretPlaceholder}@`)
    .replace(tokenAsUser, `$1${secretPlaceholder}@`)
    .replace(parameter, `$1${secretPlaceholder}`)
    .replace(anyParameter, (whole, lead: string, value: string) => {
      // Does not throw for malformed percent-encoding; a plus sign stays one.
      const decoded = new URLSearchParams(`v=${value.replaceAll("+", "%2B")}`).get("v") ?? "";
      const isHit = decoded !== value && decoded.length >= shortestEncoded && holdsSecret(decoded);
      return isHit ? lead + secretPlaceholder : whole;
    });
}
