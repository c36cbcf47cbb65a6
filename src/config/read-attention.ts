import { quietSchema } from "./attention-table.ts";
import { check, isJsonObject, type Report } from "./check.ts";

/**
 * The `attention` block without the quiet hours that are wrong: each is disabled alone, with a finding. Everything else in
 * it is left to its schema.
 */
export function readQuietHours(value: unknown, report: Report): unknown {
  const quiet = isJsonObject(value) ? value["quiet"] : undefined;
  if (!isJsonObject(value) || !Array.isArray(quiet)) return value;
  const valid = quiet.flatMap((entry: unknown, index) => {
    const { input, findings } = check(quietSchema, entry, ["attention", "quiet", index]);
    report(...findings);
    return input === undefined ? [] : [input];
  });
  return { ...value, quiet: valid };
}
