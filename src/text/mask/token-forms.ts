import { secretPlaceholder } from "../clean.ts";
import { tokenStart } from "./patterns.ts";
import rules from "./public-rules.json" with { type: "json" };

/**
 * Credentials with a recognizable format, by issuer, in addition to those of the public list. The prefixes and alphabets
 * are those of gitleaks (MIT licence, https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml) and of the
 * issuers' documents. Lengths are lower bounds, because a text may be cut and issuers lengthen their tokens without
 * notice.
 */
export const tokenForms = [
  form("GitHub", "gh", /gh[pousr]_(?:\d{1,12}_)?(?:[A-Za-z0-9]{20,}|eyJ[\w-]{8,})(?:\.[\w-]{10,}){0,2}/),
  form("GitHub, fine-grained", "github_pat_", /github_pat_\w{20,}/),
  form("GitLab", "gl", /gl(?:pat|dt|rt|cbt|ptt|ft|ffct|imt|agent|soat|oas|rtr|wt)-[\w.-]{16,}/),
  form("GitLab runner registration", "GR1348941", /GR1348941[\w-]{16,}/),
  form("Bitbucket, Atlassian", "AT", /AT(?:ATT3|BB|CTT3)[\w=-]{20,}/),
  form("OpenAI, Anthropic, DeepSeek, OpenRouter and others", "sk-", /sk-(?=[\w-]{0,256}\d)[\w-]{20,}/),
  form("Stripe webhook, Standard Webhooks", "whsec_", /whsec_[A-Za-z0-9+/]{20,}={0,2}/),
  form("Slack", "xox", /xox[a-z](?:\.xox[a-z])?-[\w%+/=-]{10,}/),
  form("Slack app", "xapp-", /xapp-[\w-]{10,}/),
  form("AWS key id", "A", /(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])/),
  form("AWS Bedrock", "ABSK", /ABSK[A-Za-z0-9+/]{60,}={0,2}/),
  form("Google OAuth token", "ya29.", /ya29\.[\w.-]{20,}/),
  form("Google OAuth refresh token", "1//0", /1\/\/0[\w-]{30,}/),
  form("Google OAuth client", "GOCSPX-", /GOCSPX-[\w-]{20,}/),
  form("npm", "npm_", /npm_[A-Za-z0-9]{20,}/),
  form("PyPI", "pypi-", /pypi-AgE[\w-]{40,}/),
  form("RubyGems", "rubygems_", /rubygems_[a-f0-9]{32,}/),
  form("NuGet", "oy2", /oy2[a-z0-9]{43}(?![a-z0-9])/),
  form("crates.io", "cio", /cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/),
  form("Clojars", "CLOJARS_", /CLOJARS_[a-z0-9]{40,}/i),
  form("Artifactory", "AKCp", /AKCp[A-Za-z0-9]{50,}/),
  form("Artifactory reference", "cmVmd", /cmVmd[A-Za-z0-9]{50,}/),
  form("Docker Hub", "dckr_", /dckr_(?:pat|oat)_[\w-]{20,}/),
  form("Hugging Face", "hf_", /hf_[A-Za-z0-9]{20,}/),
  form("Hugging Face organization", "api_org_", /api_org_[A-Za-z]{30,}/),
  form("Replicate", "r8_", /r8_[A-Za-z0-9]{30,}/),
  form("Groq", "gsk_", /gsk_[A-Za-z0-9]{30,}/),
  form("Perplexity", "pplx-", /pplx-[A-Za-z0-9]{30,}/),
  form("xAI", "xai-", /xai-[A-Za-z0-9]{40,}/),
  form("Factory", "fk-", /fk-[\w-]{20,}/),
  form("Tavily", "tvly-", /tvly-[\w-]{20,}/),
  form("LangSmith", "lsv2_", /lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}/),
  form("NVIDIA", "nvapi-", /nvapi-[\w-]{40,}/),
  form("1Password", "A3-", /A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}/),
  form("1Password service account", "ops_", /ops_eyJ[A-Za-z0-9+/_-]{40,}={0,3}/),
  form("age", "AGE-SECRET-KEY-1", /AGE-SECRET-KEY-1[A-Z0-9]{40,}/),
  form("Airtable", "pat", /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/),
  form("Alibaba Cloud", "LTAI", /LTAI[A-Za-z0-9]{16,}/),
  form("Asana", "/1", /[0-2]\/1\d{15,}[:/][a-f0-9]{32}/),
  form("Cloudflare Origin CA", "v1.0-", /v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/),
  form("Defined Networking", "dnkey-", /dnkey-[\w=-]{26}-[\w=-]{40,}/),
  form("DigitalOcean", "_v1_", /do[opr]_v1_[a-f0-9]{40,}/),
  form("Discord bot", ".", /[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,}/),
  form("Doppler", "dp.", /dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/),
  form("Dropbox", "sl.", /sl\.[\w-]{100,}/),
  form("Duffel", "duffel_", /duffel_(?:test|live)_[\w=-]{40,}/),
  form("Dynatrace", "dt0", /dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{40,}/i),
  form("Facebook", "EAA", /EAA[A-Z][A-Za-z0-9]{80,}/),
  form("Figma", "figd_", /figd_[\w-]{30,}/),
  form("Flutterwave", "FLWSECK", /FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?/),
  form("Fly.io", "f", /(?:fo1_[\w-]{40,}|fm[12][ar]?_[A-Za-z0-9+/]{80,}={0,3})/),
  form("Frame.io", "fio-u-", /fio-u-[\w=-]{50,}/),
  form("Heroku", "HRKU-", /HRKU-[\w-]{30,}/),
  form("HubSpot", "pat-", /pat-(?:na|eu)\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/),
  form("Intra42", "s-s4t2", /s-s4t2(?:ud|af)-[a-f0-9]{40,}/),
  form("Linear", "lin_", /lin_(?:api|oauth)_[A-Za-z0-9]{30,}/),
  form("Mailchimp", "-us", /[a-f0-9]{32}-us\d{1,2}(?!\w)/),
  form("Mailgun", "key-", /key-[a-f0-9]{32}(?![a-f0-9])/),
  form("Mapbox", "sk.", /sk\.[A-Za-z0-9]{60,}\.[\w-]{20,}/),
  form("Neon", "napi_", /napi_[a-z0-9]{40,}/),
  form("Netlify", "nfp_", /nfp_[A-Za-z0-9]{30,}/),
  form("New Relic", "NR", /NR(?:AK|II|JS|RA|IQ)-[A-Za-z0-9-]{19,}/),
  form("Notion", "ntn_", /ntn_[A-Za-z0-9]{40,}/),
  form("Notion, older", "secret_", /secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/),
  form("Octopus Deploy", "API-", /API-[A-Z0-9]{25,}/),
  form("Okta", "00", /00[A-Za-z][\w-]{39}(?![\w-])/),
  form("PlanetScale", "pscale_", /pscale_(?:tkn|oauth|pw)_[\w=.-]{30,}/),
  form("Prefect", "pn", /pn[ub]_[A-Za-z0-9]{36}/),
  form("PostHog", "ph", /ph[cx]_[A-Za-z0-9]{40,}/),
  form("ReadMe", "rdme_", /rdme_[a-z0-9]{60,}/),
  form("Render", "rnd_", /rnd_[A-Za-z0-9]{20,}/), // https://render.com/docs/api
  form("Resend", "re_", /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/),
  form("Scalingo", "tk-us-", /tk-us-[\w-]{40,}/),
  form("SendGrid", "SG.", /SG\.[\w=-]{16,}\.[\w=-]{16,}/),
  form("Sentry", "sntry", /sntry[su]_[\w+/=-]{40,}/),
  form("Shopify", "shp", /shp(?:at|ca|pa|ss|tka)_[a-f0-9]{32}/i),
  form("SonarQube", "sq", /sq[upa]_[a-f0-9]{40}/),
  form("Sourcegraph", "sg", /sg[pd]_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}/i),
  form("Square", "sq0", /sq0(?:atp|csp|idp)-[\w-]{22,}/),
  form("Square access token", "EAAA", /EAAA[\w-]{56,}/),
  form("Supabase", "sb", /sb(?:p_[a-f0-9]{40}|_secret_[\w-]{20,})/),
  form("Tailscale", "tskey-", /tskey-[a-z]+-[\w-]{16,}/),
  form("Telegram", ":", /\d{8,10}:[\w-]{35}(?![\w-])/),
  form("Terraform Cloud", ".atlasv1.", /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}/),
  form("Typeform", "tfp_", /tfp_[\w.=-]{40,}/),
  form("Vault", "hv", /hv[bsr]\.[\w-]{24,}/),
  form("Vercel", "v", /vc[apkri]_[A-Za-z0-9]{24,}/),
  form("Yandex", "t1.", /t1\.[\w-]+={0,2}\.[\w-]{86}={0,2}/),
  form("Yandex API", "AQVN", /AQVN[\w-]{35,}/),
  form("Cloudflare", "cf", /cf(?:u|a|ut|at)t?_[A-Za-z0-9]{40,}/),
  form("Contentful", "CFPAT-", /CFPAT-[\w-]{40,}/),
  form("Buildkite", "bk", /bk[ua]a_[a-f0-9]{40,}/),
  form("CircleCI", "CCIP", /CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40}/),
  form("ElevenLabs", "sk_", /sk_[a-f0-9]{40,}/),
  form("Pinecone", "pcsk_", /pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,}/),
  form("Firecrawl", "fc-", /fc-[a-f0-9]{32}(?![a-f0-9])/),
  form("LinkedIn", "WPL_AP", /WPL_AP\d\.[\w.=+/-]{16,}/),
  form("Braintree", "access_token$", /access_token\$(?:production|sandbox)\$[a-z0-9]{8,}\$[a-f0-9]{32}/),
  form(
    "Plaid",
    "access-",
    /(?:access|public|link)-(?:production|sandbox|development)-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}/,
  ),
  form(
    "other issuers, by a prefix and a long random part",
    "_",
    // Three words within the part with capitals make a name in code: `Test_ParsesHTTP2FramesAndHeadersOfRequests`.
    /(?!(?:sha|md5|commit|hash|rev|etag|digest|checksum|blob|tree|object)\d*_)[A-Za-z]{2,12}(?:_[A-Za-z0-9]{2,10}){0,3}_(?!(?:[A-Za-z0-9]{0,40}?[A-Z][a-z]{4}){3})(?=[A-Za-z]{0,24}\d)(?=[A-Z0-9]{0,24}[a-z])(?=[a-z0-9]{0,24}[A-Z])[A-Za-z0-9]{32,}/,
  ),
  form("JSON Web Token", "eyJ", /eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/),
];

/**
 * Describes the format of one issuer's credentials.
 * @param keyword text that all of them contain; the pattern is tried only on texts that contain it
 * @param pattern pattern of a whole credential
 */
function form(issuer: string, keyword: string, { source, flags, ignoreCase }: RegExp) {
  return { issuer, keyword, ignoreCase, source: tokenStart + source, flags: `g${flags}` };
}

/** Pattern that is compiled on first use. */
interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** Rule of the public list. It applies to texts that contain one of its keywords, in upper or lower case. */
interface PublicRule extends Pattern {
  readonly keywords: readonly string[];
}

/** Pattern of the public list for the text between a name and its value. */
const sign = "[ \\t\\w.-]{0,20}[\\s'\"]{0,3}(?:=|>|:{1,3}=|\\|\\||:|=>|\\?=|,)[\\x60'\"\\s=]{0,5}";

const forms = rules.forms.map(([keywords = "", source = "", flags = ""]): PublicRule => {
  return { keywords: keywords.split(" "), source: `${tokenStart}(?:${source})`, flags: `g${flags}` };
});

const named = rules.named.map(([keywords = "", names = "", value = ""]): PublicRule => {
  const source = `((?:${names})${sign})(?=[\\w.=-]{0,64}\\d)(?=[\\d.=_-]{0,64}[A-Za-z])(?:${value})(?![\\w-])`;
  return { keywords: keywords.split(" "), source, flags: "gi" };
});

/** Compiled patterns. Each is compiled when a text first contains its keyword: compiling all takes milliseconds. */
const compiled = new Map<Pattern, RegExp>();

/** Masks credentials that the public list recognizes by their format, or by the service's name before them. */
export function maskPublicForms(text: string): string {
  const lower = text.toLowerCase();
  const isLikely = ({ keywords }: PublicRule): boolean => keywords.some((keyword) => lower.includes(keyword));
  const tokens = forms.filter(isLikely).reduce((left, rule) => left.replace(compile(rule), secretPlaceholder), text);
  return named.filter(isLikely).reduce((left, rule) => left.replace(compile(rule), `$1${secretPlaceholder}`), tokens);
}

/** Compiles a pattern on the first call for it. */
export function compile(pattern: Pattern): RegExp {
  const regExp = compiled.get(pattern) ?? new RegExp(pattern.source, pattern.flags);
  compiled.set(pattern, regExp);
  return regExp;
}
