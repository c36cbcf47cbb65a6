/**
 * Made-up credential of an issuer. Its prefix, alphabet and length are as the issuer documents, but it opens nothing.
 * It is put together from parts, so that no scanner takes this file for a leak.
 */
export interface SecretSample {
  /** Name of the issuer, or of the form. */
  readonly name: string;
  /** Secret part. No run of 8 of its characters may be left after masking. */
  readonly secret: string;
  /** Text with the secret in its usual context; for a token, the token alone. */
  readonly text: string;
}

/** `{length:alphabet}` in a template stands for random characters of that alphabet. */
const alphabets: Readonly<Record<string, string>> = {
  alnum: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  lower: "abcdefghijklmnopqrstuvwxyz0123456789",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  letters: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  small: "abcdefghijklmnopqrstuvwxyz",
  hex: "0123456789abcdef",
  digit: "0123456789",
  url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  base64: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  base32: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
};

const uuid = "{8:hex}-{4:hex}-{4:hex}-{4:hex}-{12:hex}";

/** Tokens whose form alone shows their issuer. */
const tokenTemplates: Readonly<Record<string, string>> = {
  GitHub: "ghp_{36:alnum}",
  "GitHub OAuth": "gho_{36:alnum}",
  "GitHub server": "ghs_{36:alnum}",
  "GitHub fine-grained": "github_pat_{22:alnum}_{59:alnum}",
  GitLab: "glpat-{20:url}",
  "GitLab deploy": "gldt-{20:url}",
  "GitLab job": "glcbt-64_{20:url}",
  "GitLab registration": "GR1348941{20:url}",
  Atlassian: "ATATT3{184:url}={8:upper}",
  Bitbucket: "ATBB{32:alnum}",
  Anthropic: "sk-ant-api03-{93:url}AA",
  OpenAI: "sk-proj-{74:url}T3Blbk0J{74:url}",
  "OpenAI, older": "sk-{20:alnum}T3Blbk1J{20:alnum}",
  OpenRouter: "sk-or-v1-{64:hex}",
  DeepSeek: "sk-{32:hex}",
  Stripe: "sk_live_{24:alnum}",
  "Stripe restricted": "rk_test_{24:alnum}",
  "Stripe webhook": "whsec_{32:alnum}",
  "Slack bot": "xoxb-{12:digit}-{13:digit}-{24:alnum}",
  "Slack user": "xoxp-{12:digit}-{12:digit}-{12:digit}-{32:hex}",
  "Slack app": "xapp-1-A{10:upper}-{13:digit}-{64:hex}",
  "AWS key id": "AKIA{16:base32}",
  "AWS session": "ASIA{16:base32}",
  "Google API": "AIza{35:url}",
  "Google OAuth": "ya29.a0{120:url}",
  "Google OAuth client": "GOCSPX-{28:url}",
  "Azure AD": "{3:alnum}8Q~{34:alnum}",
  npm: "npm_{36:alnum}",
  PyPI: "pypi-AgEIcHlwaS5vcmc{70:url}",
  RubyGems: "rubygems_{48:hex}",
  "crates.io": "cio{32:alnum}",
  "Docker Hub": "dckr_pat_{27:url}",
  "Hugging Face": "hf_{34:alnum}",
  Replicate: "r8_{37:alnum}",
  Groq: "gsk_{52:alnum}",
  Perplexity: "pplx-{48:alnum}",
  xAI: "xai-{80:alnum}",
  Factory: "fk-{40:url}",
  LangSmith: "lsv2_pt_{32:hex}_{10:hex}",
  NVIDIA: "nvapi-{64:url}",
  age: "AGE-SECRET-KEY-1{58:upper}",
  Airtable: "pat{14:alnum}.{64:hex}",
  Alibaba: "LTAI{20:alnum}",
  Databricks: "dapi{32:hex}",
  DigitalOcean: "dop_v1_{64:hex}",
  "Discord bot": "MT{24:alnum}.{6:alnum}.{38:url}",
  Doppler: "dp.pt.{43:alnum}",
  Dynatrace: "dt0c01.{24:upper}.{64:upper}",
  Facebook: "EAAM{120:alnum}",
  Figma: "figd_{40:url}",
  "Fly.io": "fo1_{43:url}",
  Grafana: "glsa_{32:alnum}_{8:hex}",
  Heroku: "HRKU-AA{58:url}",
  HubSpot: `pat-na1-${uuid}`,
  Linear: "lin_api_{40:alnum}",
  Mailchimp: "{32:hex}-us21",
  Mailgun: "key-{32:hex}",
  Neon: "napi_{64:lower}",
  Netlify: "nfp_{36:alnum}",
  "New Relic": "NRAK-{27:upper}",
  Notion: "ntn_{11:digit}{35:alnum}",
  OpenShift: "sha256~{43:url}",
  PlanetScale: "pscale_tkn_{43:url}",
  Postman: "PMAK-{24:hex}-{34:hex}",
  Pulumi: "pul-{40:hex}",
  Resend: "re_{8:alnum}_{24:alnum}",
  SendGrid: "SG.{22:url}.{43:url}",
  Sentry: "sntryu_{64:hex}",
  Shopify: "shpat_{32:hex}",
  SonarQube: "squ_{40:hex}",
  Sourcegraph: "sgp_{40:hex}",
  Square: "sq0atp-{22:url}",
  Supabase: "sbp_{40:hex}",
  Tailscale: "tskey-auth-{16:alnum}-{32:alnum}",
  Telegram: "{10:digit}:AA{33:url}",
  "Terraform Cloud": "{14:alnum}.atlasv1.{67:url}",
  Twilio: "SK{32:hex}",
  Vault: "hvs.{95:url}",
  "JSON Web Token": "eyJhbGciOiJIUzI1NiJ9.eyJ{60:url}.{43:url}",
};

/** Values that only their context marks as secret. `§…§` is the secret. */
const namedTemplates: Readonly<Record<string, string>> = {
  "environment variable": "SECRET_KEY=§{32:alnum}§",
  "short password in the environment": "DB_PASS=§hunter{4:digit}§",
  "words in the environment": "PGPASSWORD=§correcthorse{6:alnum}§",
  "export with quotes": 'export DATADOG_API_KEY="§{32:hex}§"',
  "quoted with spaces": 'password: "§pa ss {8:alnum} w0rd§"',
  "single quotes": "password = '§{12:alnum}!§'",
  passphrase: 'passphrase: "§correct horse {8:alnum} staple§"',
  "with a semicolon": "password=§{6:alnum};{8:alnum}§",
  "with a quote escaped": 'password="§{6:alnum}\\"{8:alnum}§"',
  "connection string": "Server=db;User Id=sa;Password=§{14:alnum}§;Encrypt=True",
  "storage account":
    "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=§{86:base64}==§;EndpointSuffix=core.windows.net",
  "service bus": "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=§{43:base64}=§",
  Markdown: "**Password:** §{12:alnum}!§",
  "Markdown code": "- API key: `§{32:alnum}§`",
  YAML: "  client_secret: §{40:alnum}§",
  "YAML's block form": "password: |\n  §{16:alnum}§\nport: 1",
  TOML: 'auth_token = "§{40:hex}§"',
  "camel case": 'const config = { clientSecret: "§{32:alnum}§" };',
  "snake case in JSON": '{"access_token": "§{40:alnum}§", "expires_in": 3600}',
  "JSON, escaped": '{\\"apiKey\\": \\"§{32:hex}§\\"}',
  "Ruby hash": 'secret_key_base => "§{64:hex}§"',
  "Go assignment": 'apiToken := "§{40:alnum}§"',
  "percent-encoded": "redirect?state=1%26token%3D§{40:alnum}§",
  "Authorization: Bearer": "Authorization: Bearer §{40:alnum}§",
  "Authorization: Basic": "Authorization: Basic §{36:base64}=§",
  "Authorization: Token": "Authorization: Token §{40:hex}§",
  "header of its own": "X-Api-Key: §{32:alnum}§",
  "private token": "PRIVATE-TOKEN: §{20:alnum}§",
  Cookie: "Cookie: sid=§{32:alnum}§; theme=dark",
  "Set-Cookie": "Set-Cookie: session=§{48:url}§; Path=/; HttpOnly",
  "curl -u": "curl -u shop:§{16:alnum}§ https://api.example.com/v1/orders",
  "curl -sSu": "curl -sSu shop:§{16:alnum}§ https://api.example.com/v1/orders",
  "curl --user, quoted": 'curl --user "shop:§{8:alnum} {8:alnum}§" https://api.example.com',
  "an option": "deploy --api-key §{32:alnum}§ --region eu",
  "an option with =": "deploy --token=§{40:hex}§",
  cryptsetup: "echo '§{12:alnum}§' | cryptsetup luksOpen /dev/sdb1 data",
  "mariadb-dump": "docker exec db mariadb-dump -uroot -p§{12:alnum}§ shop",
  WireGuard: "PresharedKey = §{43:base64}=§",
  sshpass: "sshpass -p §{12:alnum}§ ssh root@host",
  "database address": "postgres://shop:§{16:alnum}§@db.example.com:5432/shop",
  "password with @": "mongodb+srv://shop:§{8:alnum}@{8:alnum}§@cluster0.example.net/shop",
  "redis address": "redis://:§{32:hex}§@cache:6379/0",
  "signed address, AWS": "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=§{64:hex}§",
  "signed address, Google": "https://storage.googleapis.com/b/k?X-Goog-Expires=60&X-Goog-Signature=§{64:hex}§",
  "signed address, Azure": "https://x.blob.core.windows.net/c/b?sv=2024-11-04&se=2026-01-01&sr=b&sig=§{43:alnum}%3D§",
  "key in a query": "https://maps.example.com/v1?q=berlin&api_key=§{32:alnum}§&lang=de",
  "Slack webhook": "https://hooks.slack.com/services/§T{8:upper}/B{10:upper}/{24:alnum}§",
  "Discord webhook": "https://discord.com/api/webhooks/§{18:digit}/{68:url}§",
  "Teams webhook": "https://shop.webhook.office.com/webhookb2/§{8:hex}/IncomingWebhook/{32:hex}§",
  "RSA key": "-----BEGIN RSA PRIVATE KEY-----\n§{64:base64}\n{64:base64}§\n-----END RSA PRIVATE KEY-----",
  "key on one line": "-----BEGIN PRIVATE KEY-----\\n§{64:base64}\\n{64:base64}§\\n-----END PRIVATE KEY-----\\n",
  "OpenSSH key, cut off": "-----BEGIN OPENSSH PRIVATE KEY-----\n§{64:base64}\n{30:base64}§",
  "PGP key":
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n§{64:base64}\n{64:base64}\n=abcd§\n-----END PGP PRIVATE KEY BLOCK-----",
};

const tokensEach = 5;
const namedEach = 4;

/** Makes the whole corpus, which is the same at every call. */
export function secretCorpus(): readonly SecretSample[] {
  const random = mulberry32(7);
  const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  const tokens = Object.entries(tokenTemplates).flatMap(([name, template]) =>
    times(tokensEach, () => {
      const secret = fillTemplate(template, random);
      return { name, secret, text: secret };
    }),
  );
  const named = Object.entries(namedTemplates).flatMap(([name, template]) =>
    times(namedEach, () => {
      const [before = "", secret = "", after = ""] = fillTemplate(template, random).split("§");
      return { name, secret, text: before + secret + after };
    }),
  );
  return [...tokens, ...named];
}

/** Number of issuers and shapes in the corpus. */
export const corpusShapes = Object.keys(tokenTemplates).length + Object.keys(namedTemplates).length;

/** Typical texts of agents, each with `text` once. */
export const contexts: Readonly<Record<string, (text: string) => string>> = {
  prose: (text) => `I found ${text} in the settings, shall I use it?`,
  code: (text) => `  client.connect(${JSON.stringify(text)}, { retries: 3 });`,
  "JSON string": (text) => JSON.stringify({ output: `first line\n${text}\nlast line`, ok: true }),
  address: (text) => `open https://example.com/run?cmd=${encodeURIComponent(`x ${text}`)}&next=1`,
  "log line": (text) => `2026-11-22T04:05:06.789Z INFO shop[1234]: request failed after 3 tries: ${text}`,
};

/** True if a masked text still has a run of this many characters of the secret, or the whole of a shorter one. */
export function leaks(masked: string, secret: string, visibleChars: number): boolean {
  const last = Math.max(0, secret.length - visibleChars);
  return Array.from({ length: last + 1 }, (_, at) => secret.slice(at, at + visibleChars)).some((part) =>
    masked.includes(part),
  );
}

/** Fills in the random characters of a template. */
export function fillTemplate(template: string, random: () => number): string {
  return template.replace(/\{(\d+):(\w+)\}/g, (_, length: string, name: string) => {
    const alphabet = alphabets[name] ?? "";
    const pick = () => alphabet[Math.floor(random() * alphabet.length)] ?? "";
    return Array.from({ length: Number(length) }, pick).join("");
  });
}

/** Makes a small random generator, which gives the same numbers everywhere. https://github.com/cprosche/mulberry32 */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
