import type * as z from "zod";

const typeWords: Readonly<Record<string, string>> = {
  string: 'must be a text in quotes, such as "value"',
  number: "must be a number, without quotes, such as 0.5",
  int: "must be a whole number, without quotes, such as 5",
  boolean: "must be true or false, without quotes",
  array: 'must be a list in brackets, such as ["value"]',
  tuple: 'must be a list in brackets, such as ["value"]',
  object: 'must be an object in braces, such as { "name": "value" }',
  record: 'must be an object in braces, such as { "name": "value" }',
};
const units: Readonly<Record<string, string>> = { string: "characters", array: "items" };

/**
 * Describes in plain words why a schema rejects a value. Passed to `safeParse` as its error map, because the schema
 * library's own messages are hard to read. A schema's own message takes precedence.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeWords[issue.expected] ?? `must be of type ${issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      if (units[issue.origin] && issue.minimum === 1) return "must not be empty";
      return describeBound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return `${describeBound(issue.origin, "", issue.maximum)} at most`;
    case "unrecognized_keys":
      return `has unknown settings: ${issue.keys.join(", ")}`;
    default:
      return "has the wrong form";
  }
}

/** Describes a bound: `must be at least 1`, `must have 20 items`. */
function describeBound(origin: string, words: string, bound: number | bigint): string {
  const unit = units[origin];
  const verb = unit === undefined ? "be" : "have";
  return ["must", verb, words, String(bound), unit].filter(Boolean).join(" ");
}
