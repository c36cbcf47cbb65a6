import { secretPlaceholder } from "../secret-placeholder.ts";
import { tokenStart } from "./patterns.ts";
import rules from "./public-rules.json" with { type: "json" };

/** Rule of the public list. It applies to texts that contain one of its keywords, in upper or lower case. */
interface PublicRule {
  readonly keywords: readonly string[];
  readonly source: string;
  readonly flags: string;
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

/**
 * Compiled rules. Each is compiled when a text first contains one of its keywords: compiling all takes milliseconds.
 */
const compiled = new Map<PublicRule, RegExp>();

/** Masks credentials that the public list recognizes by their format, or by the service's name before them. */
export function maskPublicForms(text: string): string {
  const lower = text.toLowerCase();
  const isLikely = ({ keywords }: PublicRule): boolean => keywords.some((keyword) => lower.includes(keyword));
  const tokens = forms.filter(isLikely).reduce((left, rule) => left.replace(compile(rule), secretPlaceholder), text);
  return named.filter(isLikely).reduce((left, rule) => left.replace(compile(rule), `$1${secretPlaceholder}`), tokens);
}

function compile(rule: PublicRule): RegExp {
  const pattern = compiled.get(rule) ?? new RegExp(rule.source, rule.flags);
  compiled.set(rule, pattern);
  return pattern;
}
