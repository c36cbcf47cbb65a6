import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../../core/json-value.ts";
import type { ControlChange } from "../../../../service/schemas/control-change.ts";
import type { ReadinessReport } from "../../../../service/schemas/readiness-report.ts";
import { cleanLine } from "../../../../text/clean.ts";
import { cutToCells } from "../../../columns.ts";
import { jsonLine } from "./json.ts";
import { isSecretName, maskSecrets } from "./mask-settings.ts";

/** What a table says below a row. @param below the row after it, if the page has one */
export type RowDetails = (row: never, below?: never) => string[];

/** Details by operation. */
const details: Readonly<Record<string, RowDetails>> = {
  "readiness.reports": failingCriteria,
  "enterpriseControls.history": changes,
};

/** The details of an operation's rows; undefined for an operation whose rows have none. */
export function detailsOf(name: string): ((row: object, below?: object) => string[]) | undefined {
  return details[name] as ((row: object, below?: object) => string[]) | undefined;
}

/** The criteria that not all sub-applications pass, and why, those that most fail first. */
function failingCriteria({ report }: ReadinessReport): string[] {
  const failing = Object.entries(report).filter(([, { numerator, denominator }]) => numerator < denominator);
  failing.sort(([, a], [, b]) => a.numerator / a.denominator - b.numerator / b.denominator);
  return failing.map(([id, { numerator, denominator, rationale }]) =>
    cleanLine(`${id} ${numerator} of ${denominator}: ${rationale}`),
  );
}

/** Most cells of a value of a setting. */
const maxValueCells = 60;

/** Every setting that differs from the previous revision, with the old value and the new. Secrets are masked. */
function changes({ settings }: ControlChange, below?: ControlChange): string[] {
  return below === undefined ? [] : changesIn(below.settings, settings, "", false);
}

function changesIn(from: unknown, to: unknown, path: string, isSecret: boolean): string[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isObject(from) && isObject(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) => {
      const inner = path === "" ? name : `${path}.${name}`;
      return changesIn(from[name], to[name], inner, isSecret || isSecretName(name));
    });
  }
  return [`${cleanLine(path)}: ${valueText(from, isSecret)} → ${valueText(to, isSecret)}`];
}

function valueText(value: unknown, isSecret: boolean): string {
  return value === undefined ? "(none)" : cutToCells(jsonLine(maskSecrets(value, isSecret)), maxValueCells);
}
