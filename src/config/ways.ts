import { showPath } from "../text/jsonc.ts";
import type { RawFinding } from "./check.ts";

/** The ways to send that a notifier has, as `ways` of its declaration. */
type Ways = readonly (readonly string[])[];
type Settings = Readonly<Record<string, unknown>>;

/** Those of the ways of which an entry has at least one setting. */
export function begunWays(ways: Ways, settings: Settings): Ways {
  return ways.filter((way) => way.some((key) => settings[key] !== undefined));
}

/** The settings of each way, as people read them: `url`, or `server`, `token` and `channel`. */
export function waysText(ways: Ways): string {
  return ways.map(namesText).join(", or ");
}

/**
 * The error in an entry that has none of its notifier's ways, settings of several, or a part of one.
 * @param at path of the entry in the file
 */
export function wayFindings(ways: Ways, settings: Settings, at: RawFinding["path"]): RawFinding[] {
  const begun = begunWays(ways, settings);
  const [first = [], ...others] = begun.length > 0 ? begun : ways;
  if (begun.length > 1) {
    const message = "has settings of two ways to send, and only one can be used";
    return [{ level: "error", path: at, message, hint: `Keep ${waysText(ways)}.` }];
  }
  const instead = others.length > 0 ? `, or instead ${waysText(others)}` : "";
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
