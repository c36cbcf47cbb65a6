import { showPath } from "../text/jsonc.ts";
import type { RawFinding } from "./check.ts";

/** Variants of a notifier, as in its declaration. */
type Variants = readonly (readonly string[])[];
type Settings = Readonly<Record<string, unknown>>;

/** Finds the variants with at least one setting in an entry. */
export function startedVariants(variants: Variants, settings: Settings): Variants {
  return variants.filter((keys) => keys.some((key) => settings[key] !== undefined));
}

/** Formats the settings of each variant: `url`, or `server`, `token` and `channel`. */
export function variantsText(variants: Variants): string {
  return variants.map(namesText).join(", or ");
}

/**
 * Finds the error in an entry that has no variant, settings of several variants, or an incomplete variant.
 * @param at path of the entry in the file
 */
export function variantFindings(variants: Variants, settings: Settings, at: RawFinding["path"]): RawFinding[] {
  const started = startedVariants(variants, settings);
  const [first = [], ...others] = started.length > 0 ? started : variants;
  if (started.length > 1) {
    const message = "has settings for two ways of sending, but only one can be used";
    return [{ level: "error", path: at, message, hint: `Keep ${variantsText(variants)}.` }];
  }
  const instead = others.length > 0 ? `, or instead ${variantsText(others)}` : "";
  const missing = first.filter((key) => settings[key] === undefined);
  const reported = started.length === 0 ? missing.slice(0, 1) : missing;
  return reported.map((key) => {
    return { level: "error", path: [...at, key], message: `${showPath([...at, key])} is missing${instead}` };
  });
}

function namesText(keys: readonly string[]): string {
  const names = keys.map((key) => `\`${key}\``);
  const [last = "", ...before] = names.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`;
}
