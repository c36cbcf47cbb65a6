import { expect, test } from "vitest";
import { computeFigures } from "../../src/report/figures.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import type { PartName, UsageReport } from "../../src/report/report.ts";
import { collectPlain, type Fault, type Faults, fiveDays, type Row } from "./plain-service.ts";

/**
 * Every two kinds of faults, in two parts and in one: the report's figures are those that this test adds up from the
 * rows that were served.
 */

type DailyPath = "tokens" | "tools" | "activity" | "productivity" | "users";
const partNames: Readonly<Record<DailyPath, PartName>> = {
  ...({ tokens: "credits", tools: "toolUse", activity: "activity" } as const),
  ...({ productivity: "productivity", users: "people" } as const),
};
const paths = Object.keys(partNames) as DailyPath[];
const allDays = ["2026-06-10", "2026-06-11", "2026-06-12", "2026-06-13", "2026-06-14"];

type Change = (rows: Row[]) => Row[];
const isOn = (row: Row, day: string): boolean => row["date"] === day;
const numbers = (row: Row, value: unknown): Row =>
  Object.fromEntries(Object.entries(row).map(([name, old]) => [name, typeof old === "number" ? value : old]));

const second = (rows: readonly Row[]) => rows.filter((row) => isOn(row, "2026-06-11"));
const repeatChanged: Change = (rows) => [...second(rows).map((row) => numbers(row, 7)), ...rows];
const breakFourth = (row: Row) => (isOn(row, "2026-06-13") ? numbers(row, "x") : row);

/** Faults that change rows, and what the report says of them. */
const changes: Readonly<Record<string, { readonly change: Change; readonly says: RegExp }>> = {
  duplicates: { change: (rows) => [...rows, ...second(rows)], says: /rows? came twice/ },
  "changed duplicates": { change: repeatChanged, says: /with other content, of which the last counts/ },
  gaps: { change: (rows) => rows.filter((row) => !isOn(row, "2026-06-12")), says: /no data for \d of 5 days/ },
  "broken rows": { change: (rows) => rows.map(breakFourth), says: /could not be read/ },
};
const clampedDay = "2026-06-11";
const clamp = { says: /the service only has data for 11 Jun 2026 to 14 Jun 2026/ };
const refusal = { fault: { status: 403, body: { title: "Forbidden", detail: "No." } }, says: /missing: / };
const kinds = [...Object.keys(changes), "clamps", "refusals"];

/** Combines two kinds into one fault of a path. */
function combine(...names: readonly string[]): Fault {
  if (names.includes("refusals")) return refusal.fault;
  const change: Change = (rows) => names.reduce((rest, name) => changes[name]?.change(rest) ?? rest, rows);
  return names.includes("clamps") ? { firstDay: clampedDay, change } : change;
}

function findWords(name: string): RegExp {
  return name === "refusals" ? refusal.says : name === "clamps" ? clamp.says : (changes[name]?.says ?? /^$/);
}

type Served = { readonly [Name in DailyPath]?: Row[] };

/** Records the rows of the report's period that a server with these faults sends. */
function record(faults: Faults): { readonly faults: Faults; readonly served: Served } {
  const served: { [Name in DailyPath]?: Row[] } = {};
  const recorded = paths.map((path) => {
    const fault = faults[path];
    if (typeof fault === "object" && "status" in fault) return [path, fault];
    const { change = (rows: Row[]) => rows, ...others } =
      typeof fault === "function" ? { change: fault } : (fault ?? {});
    const watch: Change = (rows) => {
      const changed = change(rows);
      if (rows.some(({ date }) => String(date) >= fiveDays.startDate)) served[path] = changed;
      return changed;
    };
    return [path, "firstDay" in others ? { ...others, change: watch } : watch];
  });
  return { faults: { ...faults, ...Object.fromEntries(recorded) }, served };
}

/** Returns the readable rows of a part: the last row of each day and user. */
function readRows(served: Served, path: DailyPath): Row[] {
  const readable = (served[path] ?? []).filter((row) => !Object.values(row).includes("x"));
  return [...new Map(readable.map((row) => [`${row["date"]} ${row["user_id"] ?? ""}`, row])).values()];
}

const add = (rows: readonly Row[], field: string): number => rows.reduce((sum, row) => sum + Number(row[field]), 0);
const divide = (a: number, b: number): number | undefined => (b === 0 ? undefined : a / b);

/** Computes figures from the rows served. */
function expectFigures(served: Served): Record<string, number | undefined> {
  const rows = Object.fromEntries(paths.map((path) => [path, readRows(served, path)])) as Record<DailyPath, Row[]>;
  const total = (path: DailyPath, field: string) => (rows[path].length === 0 ? undefined : add(rows[path], field));
  const common = (path: DailyPath, other: DailyPath): Row[] =>
    rows[path].filter(({ date }) => rows[other].some((row) => row["date"] === date));
  const quotient = (a: readonly [DailyPath, string], b: readonly [DailyPath, string]) =>
    divide(add(common(a[0], b[0]), a[1]), add(common(b[0], a[0]), b[1]));
  const users = (list: readonly Row[]): number => new Set(list.map((row) => row["user_id"])).size;
  const billed = "billable_tokens";
  return {
    credits: total("tokens", "billable_tokens"),
    sessions: total("activity", "sessions"),
    tool_calls: total("tools", "tool_calls"),
    commits: total("productivity", "git_commits"),
    pull_requests: total("productivity", "git_prs_created"),
    input_tokens: total("tokens", "input_tokens"),
    active_users: rows.users.length === 0 ? undefined : users(rows.users),
    daily_active_users: divide(total("activity", "daily_active_users") ?? 0, rows.activity.length),
    credits_per_active_user: divide(add(common("tokens", "users"), billed), users(common("users", "tokens"))),
    credits_per_session: quotient(["tokens", "billable_tokens"], ["activity", "sessions"]),
    credits_per_pull_request: quotient(["tokens", "billable_tokens"], ["productivity", "git_prs_created"]),
    autonomy_avg: quotient(["tools", "tool_calls"], ["activity", "user_messages"]),
    tool_calls_per_session: quotient(["tools", "tool_calls"], ["activity", "sessions"]),
    prompts_per_session: quotient(["activity", "user_messages"], ["activity", "sessions"]),
  };
}

const pairs = kinds.flatMap((first, n) => kinds.slice(n).map((second) => [first, second] as const));

/**
 * Lists the faults of a pair: one in each of two parts, in either order, and both in one. The parts change from pair to
 * pair.
 */
function listFaults(first: string, second: string): [string, Faults][] {
  const n = pairs.findIndex(([a, b]) => a === first && b === second);
  const [path, other] = [0, 1 + (n % (paths.length - 1))].map((skip) => paths[(n + skip) % paths.length] as DailyPath);
  if (path === undefined || other === undefined) throw new Error("there are no parts");
  return [
    [`${path} and ${other}`, { [path]: combine(first), [other]: combine(second) }],
    [`${other} and ${path}`, { [other]: combine(first), [path]: combine(second) }],
    [`both in ${path}`, { [path]: combine(first, second) }],
    ["both in users", { users: combine(first, second) }],
  ];
}

/** Finds figures that differ from the rows served. */
function findWrongFigures(report: UsageReport, served: Served): unknown[] {
  const figures = new Map(computeFigures(report).map(({ id, value }) => [id, value]));
  return Object.entries(expectFigures(served)).flatMap(([id, expected]) => {
    const value = figures.get(id);
    const difference = Math.abs((value ?? Number.NaN) - (expected ?? Number.NaN));
    const isEqual = expected === undefined ? value === undefined : difference < 1e-9 * Math.max(1, expected);
    return isEqual ? [] : [[id, value, expected]];
  });
}

/** Finds parts with faults that pass as complete, or whose absent days are not those without a row. */
function findWrongCoverage({ coverage }: UsageReport, served: Served, given: Faults): unknown[] {
  return (Object.keys(given) as DailyPath[]).flatMap((path) => {
    const { isComplete = true, absentDays = [], failure } = coverage[partNames[path]] ?? {};
    const absent = allDays.filter((day) => !readRows(served, path).some((row) => isOn(row, day)));
    const hasDays = failure !== undefined || absentDays.join() === absent.join();
    return isComplete || !hasDays ? [[path, isComplete, absentDays, absent]] : [];
  });
}

/** Finds kinds of faults that the report's gaps do not mention. A refusal leaves nothing else to mention. */
function findUnsaid(report: UsageReport, names: readonly string[]): unknown[] {
  const gaps = findGaps(report).filter(({ isBefore }) => !isBefore);
  const said = gaps.map(gapText).join("; ");
  return names.flatMap((name) => (findWords(name).test(said) ? [] : [[name, said]]));
}

test.each(pairs)(
  "%s with %s give the figures of the rows that were served, and are reported",
  async (first, second) => {
    const wrong: unknown[] = [];
    for (const [where, given] of listFaults(first, second)) {
      const { faults, served } = record(given);
      const report = await collectPlain(faults);
      const isRefused = where.startsWith("both") && [first, second].includes("refusals");
      wrong.push(
        ...findWrongFigures(report, served).map((entry) => [where, entry]),
        ...findWrongCoverage(report, served, given).map((entry) => [where, entry]),
        ...findUnsaid(report, isRefused ? ["refusals"] : [first, second]).map((entry) => [where, entry]),
      );
    }
    expect(wrong).toEqual([]);
  },
);
