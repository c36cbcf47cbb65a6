import { secretPlaceholder } from "../secret-placeholder.ts";
import { maskAddresses } from "./addresses.ts";
import { maskCommandLines } from "./command-lines.ts";
import { maskHeaders } from "./headers.ts";
import { maskNamedValues } from "./named-values.ts";
import { tokenStart } from "./patterns.ts";
import { maskPublicForms } from "./public-rules.ts";
import { maskSentences } from "./sentences.ts";
import { type TokenForm, tokenForms } from "./token-forms.ts";

/**
 * A text with everything in it that looks like a credential replaced by `[secret]`: tokens by their issuer's form,
 * values by the name, header, option or address they stand behind. A net with holes: it knows forms, not meanings.
 * Idempotent; the time it takes is in proportion to the text.
 */
export function mask(text: string): string {
  if (!telling.test(text) && maskTokens(text) === text && maskPublicForms(text) === text) return text;
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

/** A run of characters as long as the shortest token. */
const longRun = /[\w+/=.~:-]{16}/;
/** The words and signs that rules ask for. With neither these nor a token there is nothing to mask: most texts. */
const telling =
  /pass|pwd|secret|token|credential|key|auth|bearer|basic|cookie|signature|identified|:\/\/|[?&;][\w.[\]-]{1,64}=|\s-[upkabwPN]|-p\S|\/user:|--(?:proxy-)?user|sudo|vault|snyk|obscure|code|PIN|OTP|\bpw\b|phrase|(?:log|sign)[a-z]*[ -]?in|kennw|geheim|schlüssel|daten|clé|jeton|identifiant|contrase|clave|credencia|código|senha|chave|segredo|[\u3040-\u30ff\u4e00-\u9fff]/i;

/**
 * PEM and PGP blocks, whole or cut off, with line ends as they are or escaped. https://www.rfc-editor.org/rfc/rfc7468
 */
function maskPrivateKeys(text: string): string {
  if (!text.includes("PRIVATE KEY")) return text;
  return text.replace(
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    secretPlaceholder,
  );
}

/** What an address holds percent-encoded is masked by the same rules. */
function maskPlainAndEncodedAddresses(text: string): string {
  return maskAddresses(text, (decoded) => mask(decoded) !== decoded);
}

/** Compiled when a text first holds their keyword: all of them would cost a worker's start several milliseconds. */
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
