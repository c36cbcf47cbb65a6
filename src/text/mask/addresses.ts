import { secretPlaceholder } from "../secret-placeholder.ts";

/** Hosts whose addresses are credentials: incoming webhooks and bots. The host stays, to name the service. */
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
/** Incoming webhook. An address with an ellipsis is an example. */
const webhook = new RegExp(`(https://(?:${webhookHosts.join("|")})/)(?![^\\s"'\`]*…)[^\\s"'\`<>)\\\\]+`, "g");

/** `scheme://user:password@host`. A password may contain an `@`: the last one before the path counts. */
const password = /\b([a-z][a-z0-9+.-]{0,32}:\/\/[^\s/:@"'<>]{0,256}):(?!\/\/)[^\s/"'<>]{1,512}@/gi;

/** `https://token@host`: a token in place of a user name. */
const tokenAsUser = /\b(https?:\/\/)(?=[\w-]{0,64}\d)[\w-]{20,512}@/gi;

/** Parameters that give access to anyone: signatures, keys, tokens. */
const parameter =
  /([?&;](?:x-(?:amz|goog)-(?:signature|security-token|credential)|signature|sig|s?key|api[_-]?key|auth|[\w-]{0,32}token|[\w-]{0,32}secret|pass(?:word|wd)?|pwd|code|jwt|hmac|assertion|session_?id)=)(?!\[secret\]|[$<{])[^\s&#"'<>\\]{6,}/gi;

/** Any parameter. A quote inside the value does not end it: `encodeURIComponent` does not encode single quotes. */
const anyParameter = /([?&][\w.[\]-]{1,64}=)((?:[^\s&#"'<>]|'(?=[\w%&]))+)/g;
const shortestEncoded = 8;

/**
 * Masks credentials in addresses: passwords, signatures, the paths of incoming webhooks. If `holdsSecret` is true for a
 * parameter's decoded value, the whole value is masked, because positions differ between the two forms.
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
