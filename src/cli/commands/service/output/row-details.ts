import { listSettingChanges } from "../../../../report/control-changes.ts";
import type { ControlChange } from "../../../../service/schemas/control-change.ts";
import type { ReadinessReport } from "../../../../service/schemas/readiness-report.ts";
import { cleanLine } from "../../../../text/clean.ts";

/** Function that returns the lines to print below a row of a table. `nextRow` is the next row on the page, if any. */
export type RowDetails = (row: never, nextRow?: never) => string[];

/** Functions for the lines below a row, by operation. */
const details: Readonly<Record<string, RowDetails>> = {
  "readiness.reports": failingCriteria,
  "enterpriseControls.history": changes,
};

/** Finds the function that lists the lines below each row of an operation's table; undefined if it has none. */
export function findDetails(name: string): ((row: object, nextRow?: object) => string[]) | undefined {
  return details[name] as ((row: object, nextRow?: object) => string[]) | undefined;
}

/** Lists criteria that some sub-applications fail, with reasons. The criterion with the lowest pass rate is first. */
function failingCriteria({ report }: ReadinessReport): string[] {
  const failing = Object.entries(report).filter(([, { numerator, denominator }]) => numerator < denominator);
  failing.sort(([, a], [, b]) => a.numerator / a.denominator - b.numerator / b.denominator);
  return failing.map(([id, { numerator, denominator, rationale }]) =>
    cleanLine(`${id} ${numerator} of ${denominator}: ${rationale}`),
  );
}

/** Lists the changes from the previous revision, with old and new values. Secrets are masked. */
function changes({ settings }: ControlChange, nextRow?: ControlChange): string[] {
  return nextRow === undefined ? [] : listSettingChanges(nextRow.settings, settings);
}
