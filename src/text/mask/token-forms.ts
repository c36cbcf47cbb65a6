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
  form("GitHub, fine-grained, Docker Hub", "_", /(?:github_pat|dckr_(?:pat|oat))_[\w-]{20,}/),
  form("GitLab", "gl", /gl(?:pat|dt|rt|cbt|ptt|ft|ffct|imt|agent|soat|oas|rtr|wt)-[\w.-]{16,}/),
  form("GitLab runner registration", "GR1348941", /GR1348941[\w-]{16,}/),
  form("Bitbucket, Atlassian", "AT", /AT(?:ATT3|BB|CTT3)[\w=-]{20,}/),
  form("OpenAI, Anthropic, DeepSeek, OpenRouter and others", "sk-", /sk-(?=[\w-]{0,256}\d)[\w-]{20,}/),
  form("Stripe webhook, Standard Webhooks", "whsec_", /whsec_[A-Za-z0-9+/]{20,}={0,2}/),
  form("Slack", "-", /(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w%+/=-]{10,}/),
  form("AWS key id", "A", /(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])/),
  form("AWS Bedrock", "ABSK", /ABSK[A-Za-z0-9+/]{60,}={0,2}/),
  form("Google OAuth token, Doppler, Vault", ".", /(?:ya29|dp\.(?:pt|st|ct|sa|scim|audit)|hv[bsr])\.[\w.-]{20,}/),
  form("Google OAuth refresh token", "1//0", /1\/\/0[\w-]{30,}/),
  form("Google OAuth client, Factory, Tavily", "-", /(?:GOCSPX|fk|tvly)-[\w-]{20,}/),
  form(
    "npm and others",
    "_",
    /(?:npm|hf|api_org|r8|gsk|nfp|rnd|ntn|ph[cx]|vc[apkri]|lin_(?:api|oauth)|pn[ub]|cf(?:u|a|ut|at)t?)_[A-Za-z0-9]{20,}/,
  ),
  form("PyPI", "pypi-", /pypi-AgE[\w-]{40,}/),
  form("RubyGems and others", "_", /(?:rubygems|CLOJARS|do[opr]_v1|bk[ua]a|sk|rdme|napi|sq[upa])_[a-z0-9]{32,}/i),
  form("NuGet", "oy2", /oy2[a-z0-9]{43}(?![a-z0-9])/),
  form("crates.io", "cio", /cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/),
  form("Artifactory", "", /(?:AKCp|cmVmd)[A-Za-z0-9]{50,}/),
  form("Perplexity and others", "-", /(?:pplx|xai|nvapi|CFPAT|tk-us|HRKU|fio-u)-(?=[\w=-]{0,64}\d)[\w=-]{30,}/),
  form("LangSmith", "lsv2_", /lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}/),
  form("1Password", "A3-", /A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}/),
  form("1Password service account", "ops_", /ops_eyJ[A-Za-z0-9+/_-]{40,}={0,3}/),
  form("age", "AGE-SECRET-KEY-1", /AGE-SECRET-KEY-1[A-Z0-9]{40,}/),
  form("Airtable", "pat", /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/),
  form("Alibaba Cloud", "LTAI", /LTAI[A-Za-z0-9]{16,}/),
  form("Asana", "/1", /[0-2]\/1\d{15,}[:/][a-f0-9]{32}/),
  form("Cloudflare Origin CA", "v1.0-", /v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/),
  form("Defined Networking", "dnkey-", /dnkey-[\w=-]{26}-[\w=-]{40,}/),
  form("Discord bot", ".", /[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,}/),
  form("Dropbox", "sl.", /sl\.[\w-]{100,}/),
  form("Figma and others", "_", /(?:figd|tfp|pscale_(?:tkn|oauth|pw)|sntry[su]|duffel_(?:test|live))_[\w+/=.-]{30,}/),
  form("Dynatrace", "dt0", /dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{40,}/i),
  form("Facebook, Square", "EAA", /EAA(?:A[\w-]{56,}|[A-Z][A-Za-z0-9]{80,})/),
  form("Flutterwave", "FLWSECK", /FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?/),
  form("Fly.io", "f", /(?:fo1_[\w-]{40,}|fm[12][ar]?_[A-Za-z0-9+/]{80,}={0,3})/),
  form("HubSpot", "pat-", /pat-(?:na|eu)\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/),
  form("Intra42", "s-s4t2", /s-s4t2(?:ud|af)-[a-f0-9]{40,}/),
  form("Mailchimp", "-us", /[a-f0-9]{32}-us\d{1,2}(?!\w)/),
  form("Mailgun, Firecrawl", "-", /(?:key|fc)-[a-f0-9]{32}(?![a-f0-9])/),
  form("Mapbox", "sk.", /sk\.[A-Za-z0-9]{60,}\.[\w-]{20,}/),
  form("New Relic", "NR", /NR(?:AK|II|JS|RA|IQ)-[A-Za-z0-9-]{19,}/),
  form("Notion, older", "secret_", /secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/),
  form("Octopus Deploy", "API-", /API-[A-Z0-9]{25,}/),
  form("Okta", "00", /00[A-Za-z][\w-]{39}(?![\w-])/),
  form("Resend", "re_", /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}/),
  form("SendGrid", "SG.", /SG\.[\w=-]{16,}\.[\w=-]{16,}/),
  form("Shopify", "shp", /shp(?:at|ca|pa|ss|tka)_[a-f0-9]{32}/i),
  form("Sourcegraph", "sg", /sg[pd]_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}/i),
  form("Square", "sq0", /sq0(?:atp|csp|idp)-[\w-]{22,}/),
  form("Supabase", "sb", /sb(?:p_[a-f0-9]{40}|_secret_[\w-]{20,})/),
  form("Tailscale", "tskey-", /tskey-[a-z]+-[\w-]{16,}/),
  form("Telegram", ":", /\d{8,10}:[\w-]{35}(?![\w-])/),
  form("Terraform Cloud", ".atlasv1.", /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}/),
  form("Yandex", "t1.", /t1\.[\w-]+={0,2}\.[\w-]{86}={0,2}/),
  form("Yandex API", "AQVN", /AQVN[\w-]{35,}/),
  form("CircleCI", "CCIP", /CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40}/),
  form("Pinecone", "pcsk_", /pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,}/),
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
