import { isDeepStrictEqual } from "node:util";
import type { Client } from "../service/client.ts";
import type { ControlChange } from "../service/schemas/control-change.ts";
import type { CallOptions } from "../service/transport.ts";
import type { Fetched } from "./coverage.ts";
import { fetchList } from "./lists.ts";
import type { Period } from "./period.ts";
import { shownName } from "./ranking.ts";

/** Change of the organization-wide settings. Values are left out, because they can contain secrets. */
export interface ControlMark {
  readonly revision: number;
  /** Day of the change, `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** E-mail address, name or id of the user who made the change; empty if names are not shown. */
  readonly by: string;
  /** Names of the changed settings; empty if they are unknown. */
  readonly settings: readonly string[];
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
  return { content: { changes: isNamed ? marks : marks.map((mark) => ({ ...mark, by: "" })) }, coverage };
}

/** Lists the settings that each revision changed, oldest revision first. The first known revision has an empty list. */
export function compareRevisions(rows: readonly ControlChange[]): ControlMark[] {
  const sorted = rows.toSorted((a, b) => a.revision - b.revision);
  return sorted.map(({ revision, settings, user, updatedAt }, index) => {
    const before = sorted[index - 1]?.settings;
    const names = before === undefined ? [] : [...new Set([...Object.keys(before), ...Object.keys(settings)])];
    return {
      revision,
      day: readDay(updatedAt),
      by: shownName(user.email || user.name || user.id),
      settings: names.filter((name) => !isDeepStrictEqual(settings[name], before?.[name])).map(shownName),
    };
  });
}

/**
 * Reads the UTC day of a date-time. An unreadable date-time becomes 9999-12-31, which does not end the reading of the
 * list.
 */
function readDay(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? "9999-12-31" : new Date(ms).toISOString().slice(0, 10);
}
