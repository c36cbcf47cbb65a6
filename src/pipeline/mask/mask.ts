import { secretPlaceholder } from "../../core/secret.ts";

/** What looks like a credential. Each form is one that its issuer documents, so that ordinary text is left alone. */
const forms: readonly RegExp[] = [
  // PEM: https://www.rfc-editor.org/rfc/rfc7468
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // JSON Web Tokens: https://www.rfc-editor.org/rfc/rfc7519
  /(?<![\w-])eyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}(?:\.[\w-]{0,4096})?/g,
  // GitHub: https://github.blog/engineering/behind-githubs-new-authentication-token-formats/
  /(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/g,
  // GitLab: https://docs.gitlab.com/security/tokens/#token-prefixes
  /(?<![\w-])gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas)-[\w.-]{16,}/g,
  // Anthropic, OpenAI, Stripe and others of their manner
  /(?<![\w-])sk-(?=[\w-]{0,256}\d)[\w-]{20,}|(?<!\w)[sr]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  // Slack: https://docs.slack.dev/authentication/tokens
  /(?<![\w-])(?:xox[a-z]|xapp)-[\w-]{10,}/g,
  // AWS: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  // Google: https://cloud.google.com/docs/authentication/api-keys
  /(?<![\w-])AIza[\w-]{35}/g,
  // npm: https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/ · Factory · Hugging Face
  /(?<!\w)(?:npm|hf)_[A-Za-z0-9]{20,}|(?<![\w-])fk-[\w-]{20,}/g,
  // Telegram: https://core.telegram.org/bots/features#botfather
  /\b\d{8,10}:[A-Za-z0-9_-]{35}\b/g,
  // Standard Webhooks
  /\bwhsec_[A-Za-z0-9+/]{20,}={0,2}/g,
];

/** Where the rest of an address is a credential: incoming webhooks and bots. */
const webhookPlaces: readonly RegExp[] = [
  /hooks\.slack\.com|(?:\w{1,32}\.)?discord(?:app)?\.com\/api|api\.telegram\.org|chat\.googleapis\.com\/v1\/spaces/,
  // Teams: the older connectors, and Workflows by their old and new hosts
  /[\w.-]{1,200}\.(?:webhook\.office\.com|logic\.azure\.com(?::\d{1,5})?|api\.powerplatform\.com(?::\d{1,5})?)/,
  /open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook|oapi\.dingtalk\.com\/robot/,
];
/** The host stays, so that one sees what it was. */
const webhookPath = new RegExp(
  `(https://(?:${webhookPlaces.map(({ source }) => source).join("|")})/)[^\\s"'<>)]+`,
  "g",
);
/** A password in an address: `scheme://user:password@`. */
const addressPassword = /\b([a-z][a-z0-9+.-]{0,32}:\/\/[^\s/:@]{0,256}):[^\s/@]{1,256}@/gi;
/** `Authorization: Bearer …`, and `Basic …`. */
const authorization = /\b((?:bearer|basic)\s+)[A-Za-z0-9+/._~-]{16,}={0,2}/gi;
/** `password=…`, `API_KEY: "…"`: a telling name, a sign of assignment, a value of 6 characters or more. */
const assignment =
  /(?<![\w-])([\w-]{0,64}(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s{0,4}(?:=|:)\s{0,4}["']?)(?!\[secret\])[^\s"'`,;]{6,}/gi;

/**
 * A text with everything in it that looks like a credential replaced by `[secret]`. A net with holes: it knows forms,
 * not meanings.
 */
export function mask(text: string): string {
  const named = [webhookPath, authorization, assignment].reduce(
    (masked, form) => masked.replace(form, `$1${secretPlaceholder}`),
    forms.reduce((masked, form) => masked.replace(form, secretPlaceholder), text),
  );
  return named.replace(addressPassword, `$1:${secretPlaceholder}@`);
}
