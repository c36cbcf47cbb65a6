import { showPath } from "../text/jsonc.ts";
import type { RawFinding } from "./check.ts";

/** The ways to send that a notifier has, as `variants` of its declaration. */
type Variants = readonly (readonly string[])[];
type Settings = Readonly<Record<string, unknown>>;

/** Those of the variants of which an entry has at least one setting. */
export function begunVariants(variants: Variants, settings: Settings): Variants {
  return variants.filter((keys) => keys.some((key) => settings[key] !== undefined));
}

/** The settings of each variant, as people read them: `url`, or `server`, `token` and `channel`. */
export function variantsText(variants: Variants): string {
  return variants.map(namesText).join(", or ");
}

/**
 * The error in an entry that has none of its notifier's variants, settings of several, or a part of one.
 * @param at path of the entry in the file
 */
export function variantFindings(variants: Variants, settings: Settings, at: RawFinding["path"]): RawFinding[] {
  const begun = begunVariants(variants, settings);
  const [first = [], ...others] = begun.length > 0 ? begun : variants;
  if (begun.length > 1) {
    const message = "has settings of two ways to send, and only one can be used";
    return [{ level: "error", path: at, message, hint: `Keep ${variantsText(variants)}.` }];
  }
  const instead = others.length > 0 ? `, or instead ${variantsText(others)}` : "";
  const missing = first.filter((key) => settings[key] === undefined);
  const reported = begun.length === 0 ? missing.slice(0, 1) : missing;
  return reported.map((key) => {
    return { level: "error", path: [...at, key], message: `${showPath([...at, key])} is missing${instead}` };
  });
}

function namesText(keys: readonly string[]): string {
  const names = keys.map((key) => `\`${key}\``);
  const [last = "", ...before] = names.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`;
}
