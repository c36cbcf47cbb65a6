import { secretPlaceholder } from "../secret-placeholder.ts";

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

/** Matches `scheme://user:password@host`. A password may contain an `@`; the last `@` before the path ends it. */
const password = /\b([a-z][a-z0-9+.-]{0,32}:\/\/[^\s/:@"'<>]{0,256}):(?!\/\/)[^\s/"'<>]{1,512}@/gi;

/** Matches `https://token@host`, with a token in place of a user name. */
const tokenAsUser = /\b(https?:\/\/)(?=[\w-]{0,64}\d)[\w-]{20,512}@/gi;

/** Matches query parameters that give anyone access: signatures, keys and tokens. */
const parameter =
  /([?&;](?:x-(?:amz|goog)-(?:signature|security-token|credential)|signature|sig|s?key|api[_-]?key|auth|[\w-]{0,32}token|[\w-]{0,32}secret|pass(?:word|wd)?|pwd|code|jwt|hmac|assertion|session_?id)=)(?!\[secret\]|[$<{])[^\s&#"'<>\\]{6,}/gi;

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
export function maskAddresses(text: string, holdsSecret: (decoded: string) => boolean): string {
  if (!/[=@/]/.test(text)) return text;
  return text
    .replace(webhook, `$1${secretPlaceholder}`)
    .replace(password, `$1:${secretPlaceholder}@`)
    .replace(tokenAsUser, `$1${secretPlaceholder}@`)
    .replace(parameter, `$1${secretPlaceholder}`)
    .replace(anyParameter, (whole, lead: string, value: string) => {
      const decoded = value.includes("%") ? decode(value) : undefined;
      const isHit = decoded !== undefined && decoded.length >= shortestEncoded && holdsSecret(decoded);
      return isHit ? lead + secretPlaceholder : whole;
    });
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined; // malformed percent-encoding
  }
}
