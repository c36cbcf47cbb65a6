import { isDeepStrictEqual } from "node:util";
import { isObject } from "../core/json-value.ts";
import type { CallOptions } from "../service/call-options.ts";
import type { Client } from "../service/client.ts";
import { isSecretName, maskSecrets } from "../service/mask-settings.ts";
import type { ControlChange } from "../service/schemas/objects.ts";
import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import type { Fetched } from "./coverage.ts";
import { spanText } from "./format.ts";
import { buildSteps, type Period } from "./period.ts";
import type { PlotMark } from "./plots.ts";
import { shownName } from "./ranking.ts";
import { fetchList } from "./requests.ts";

/** Change of the organization-wide settings. */
export interface ControlMark {
  readonly revision: number;
  /** Day of the change, `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** E-mail address, name or id of the user who made the change; empty if names are not shown. */
  readonly by: string;
  /** Names of the changed settings; absent for the first known revision, whose changes are unknown. */
  readonly settings?: readonly string[];
  /** Old and new values with secrets masked; absent if names are not shown, because values may name people. */
  readonly changes?: readonly string[];
}

/** Changes of settings in the period, oldest first. */
export interface ControlChanges {
  readonly changes: readonly ControlMark[];
}

/**
 * Requests the changes of settings in a period. Reads the list, newest first, up to the first change before the period.
 * @throws {ServiceError}
 */
export async function fetchControlChanges(
  { enterpriseControls }: Pick<Client, "enterpriseControls">,
  { period, isNamed }: { readonly period: Period; readonly isNamed: boolean },
  call: CallOptions,
): Promise<Fetched<ControlChanges>> {
  const { rows, coverage } = await fetchList(
    {
      list: (options) => enterpriseControls.history({}, options),
      key: ({ revision }) => String(revision),
      trim: (change: ControlChange) => change,
      isLast: ({ updatedAt }) => readDay(updatedAt) < period.startDate,
    },
    call,
  );
  const marks = compareRevisions(rows).filter(({ day }) => day >= period.startDate && day <= period.endDate);
  const unnamed = marks.map(({ changes: _, ...mark }) => ({ ...mark, by: "" }));
  return { content: { changes: isNamed ? marks : unnamed }, coverage };
}

/** Lists the settings that each revision changed, oldest revision first. */
export function compareRevisions(rows: readonly ControlChange[]): ControlMark[] {
  const sorted = rows.toSorted((a, b) => a.revision - b.revision);
  return sorted.map(({ revision, settings, user, updatedAt }, index) => {
    const before = sorted[index - 1]?.settings;
    const mark = { revision, day: readDay(updatedAt), by: shownName(user.email || user.name || user.id) };
    if (before === undefined) return mark;
    const names = [...new Set([...Object.keys(before), ...Object.keys(settings)])];
    const changed = names.filter((name) => !isDeepStrictEqual(settings[name], before[name]));
    return { ...mark, settings: changed.map(shownName), changes: listSettingChanges(before, settings) };
  });
}

/** Maximum number of characters shown of a setting's value. */
const maxValueChars = 60;

/** Lists the settings that differ, each with its old and new value: `mcpPolicy.enabled: true → false`. Masks secrets. */
export function listSettingChanges(from: unknown, to: unknown, path = "", isSecret = false): string[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isObject(from) && isObject(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) => {
      const inner = path === "" ? name : `${path}.${name}`;
      return listSettingChanges(from[name], to[name], inner, isSecret || isSecretName(name));
    });
  }
  return [`${cleanLine(path)}: ${valueText(from, isSecret)} → ${valueText(to, isSecret)}`];
}

function valueText(value: unknown, isSecret: boolean): string {
  if (value === undefined) return "(none)";
  return cut(cleanLine(JSON.stringify(maskSecrets(value, isSecret))), maxValueChars, "graphemes");
}

/**
 * Reads the UTC day of a date-time. An unreadable date-time becomes 9999-12-31, which does not end the reading of the
 * list.
 */
function readDay(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? "9999-12-31" : new Date(ms).toISOString().slice(0, 10);
}

/** Marks the days or weeks in which settings changed. */
export function buildMarks({
  controls,
  days,
}: {
  readonly controls?: ControlChanges;
  readonly days: readonly string[];
}): PlotMark[] {
  const changes = controls?.changes.map((change, index) => ({ ...change, number: index + 1 })) ?? [];
  return buildSteps(days).flatMap(({ start, end }, index) => {
    const own = changes.filter(({ day }) => day >= (days[start] ?? "") && day <= (days[end - 1] ?? ""));
    const [first, last] = [own[0]?.number, own.at(-1)?.number];
    if (first === undefined) return [];
    const names = [...new Set(own.flatMap(({ settings = [] }) => settings))];
    const title = `${spanText(days[start] ?? "", days[end - 1] ?? "")}: settings changed${names.length > 0 ? `, ${names.join(", ")}` : ""}`;
    return [{ index, label: first === last ? `${first}` : `${first}–${last}`, title }];
  });
}
