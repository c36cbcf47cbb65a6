import { secretPlaceholder } from "../secret-placeholder.ts";
import { maskAddresses } from "./addresses.ts";
import { maskCommandLines } from "./command-lines.ts";
import { maskHeaders } from "./headers.ts";
import { maskNamedValues } from "./named-values.ts";
import { tokenStart } from "./patterns.ts";
import { maskPublicForms } from "./public-rules.ts";
import { maskSentences } from "./sentences.ts";
import { type TokenForm, tokenForms } from "./token-forms.ts";

/** Maximum number of characters that one rule is compared with at a time, except for private keys. */
const maxPartChars = 64 * 1024;

/**
 * Replaces everything in a text that looks like a credential with `[secret]`. Recognizes tokens by their issuers'
 * formats, and values by the name, header, option or address before them. Cannot find every credential. Idempotent;
 * takes linear time: a long text is masked in parts, which end with a line or a word.
 */
export function mask(text: string): string {
  if (text.length <= maxPartChars) return maskPart(text);
  const keyless = maskPrivateKeys(text);
  let masked = "";
  for (let at = 0; at < keyless.length; ) {
    const next = keyless.slice(at, at + maxPartChars);
    const end = at + maxPartChars < keyless.length ? next.lastIndexOf("\n") + 1 || next.lastIndexOf(" ") + 1 : 0;
    masked += maskPart(end > 0 ? next.slice(0, end) : next);
    at += end || maxPartChars;
  }
  return masked;
}

function maskPart(text: string): string {
  if (!secretHint.test(text) && maskTokens(text) === text && maskPublicForms(text) === text) return text;
  return [
    maskPrivateKeys,
    maskPlainAndEncodedAddresses,
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
 * masking.
 */
const secretHint =
  /pass|pwd|secret|token|credential|key|auth|bearer|basic|cookie|signature|identified|:\/\/|[?&;][\w.[\]-]{1,64}=|\s-[upkabwPNAX]|\.psk|add_user|-p\S|\/user:|--(?:proxy-)?user|sudo|vault|snyk|obscure|code|PIN|OTP|\bpw\b|phrase|(?:log|sign)[a-z]*[ -]?in|kennw|geheim|schlüssel|daten|clé|jeton|identifiant|contrase|clave|credencia|código|senha|chave|segredo|hasło|wachtw|sleutel|parola|chiave|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/i;

/**
 * Masks PEM and PGP blocks, complete or cut off, with literal or escaped line ends.
 * https://www.rfc-editor.org/rfc/rfc7468
 */
function maskPrivateKeys(text: string): string {
  if (!text.includes("PRIVATE KEY")) return text;
  return text.replace(
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    secretPlaceholder,
  );
}

/** Masks credentials in addresses. Also applies all rules to the decoded values of their parameters. */
function maskPlainAndEncodedAddresses(text: string): string {
  return maskAddresses(text, (decoded) => mask(decoded) !== decoded);
}

/** Compiled patterns. Each is compiled when a text first contains its keyword: compiling all takes milliseconds. */
const compiledForms = new Map<TokenForm, RegExp>();

function maskTokens(text: string): string {
  if (!longRun.test(text)) return text;
  return tokenForms.reduce((masked, form) => {
    const isLikely = form.pattern.ignoreCase || masked.includes(form.keyword);
    return isLikely ? masked.replace(compiled(form), secretPlaceholder) : masked;
  }, text);
}

function compiled(form: TokenForm): RegExp {
  const { source, flags } = form.pattern;
  const pattern = compiledForms.get(form) ?? new RegExp(tokenStart + source, `g${flags}`);
  compiledForms.set(form, pattern);
  return pattern;
}
