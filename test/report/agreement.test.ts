import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collect } from "../../src/report/collect.ts";
import { figuresOf } from "../../src/report/figures.ts";
import { gapsOf, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { daysOf, type Period } from "../../src/report/period.ts";
import { isComplete, type UsageReport } from "../../src/report/report.ts";
import { tablesOf } from "../../src/report/tables.ts";
import { clientOf, noonMs } from "../world/service/client.ts";
import { type Sandbox, startSandbox } from "../world/service/server.ts";
import { type Change, forbidden, period, type Reply, startFront } from "./front.ts";
import { type DaysOfParts, expectedFigures } from "./generated.ts";

/** Of the whole year; the faults are the same with fewer. */
const users = 250;
const fewUsers = 100;
const days = daysOf(period);
const before: Period = { startDate: "2026-04-16", endDate: "2026-05-15" };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noonMs, sizes: { users: fewUsers } });
});
afterAll(() => sandbox.close());

const sameDays = (own: readonly string[]): DaysOfParts => ({
  credits: own,
  activity: own,
  toolUse: own,
  productivity: own,
  people: own,
});

/** Fails unless every figure is the expected one, and so is its line in the CSV. */
function expectFigures(report: UsageReport, expected: Readonly<Record<string, number | undefined>>): void {
  const figures = figuresOf(report);
  expect(figures.map(({ id }) => id)).toEqual(Object.keys(expected));
  const table = tablesOf(report).find(({ name }) => name === "figures");
  const cells = new Map(table?.rows.map(([id, value]) => [id, value]));
  for (const { id, value } of figures) {
    expect(cells.get(id), id).toBe(value);
    expectNear(value, expected[id], id);
  }
}

/** Sums are exact; quotients may differ in their last digits. */
function expectNear(value: number | undefined, expected: number | undefined, name: string): void {
  if (value === undefined || expected === undefined || Number.isInteger(expected)) expect(value, name).toBe(expected);
  else expect(Math.abs(value / expected - 1), name).toBeLessThan(1e-9);
}

test("every figure of thirty days is the sum of what the users did, and so is the one of the period before", async () => {
  const report = await collect(clientOf(sandbox), period, { nowMs: noonMs });
  expectFigures(report, expectedFigures(fewUsers, sameDays(days)));
  const expected = expectedFigures(fewUsers, sameDays(daysOf(before)));
  for (const { id, value, previous, change } of figuresOf(report)) {
    if (id === "idle_seats" || id === "active_share") expect(previous).toBeUndefined();
    else {
      expectNear(previous, expected[id], id);
      expectNear(change, (value ?? 0) / (expected[id] ?? 0) - 1, id);
    }
  }
  expect(gapsOf(report)).toEqual([]);
});

test("every figure of a whole year is the sum of what the users did", { timeout: 300_000 }, async () => {
  const year = { startDate: "2026-01-14", endDate: "2027-01-13" };
  const nowMs = Date.UTC(2027, 0, 14, 12);
  const later = await startSandbox({ now: () => nowMs, sizes: { users } });
  const report = await collect(clientOf(later, { now: () => nowMs }), year, { nowMs });
  await later.close();
  expect(report.days).toHaveLength(365);
  expectFigures(report, expectedFigures(users, sameDays(report.days)));
  expect([isComplete(report), report.previous]).toEqual([true, undefined]);
});

/** Rows of some days are left out of the replies. */
const without =
  (isDropped: (day: string) => boolean): Change =>
  ({ data, meta }) => ({ data: data.filter(({ date }) => !isDropped(date)), meta });
const dropped = [
  "2026-05-20",
  "2026-05-21",
  "2026-05-22",
  "2026-05-30",
  "2026-06-05",
  "2026-06-06",
  "2026-06-09",
  "2026-06-14",
];
const dropEight = without((day) => dropped.includes(day));
const kept = days.filter((day) => !dropped.includes(day));
const breakRow: Change = ({ data, meta }) => ({
  data: data.map((row) => (row.date === "2026-06-02" ? { ...row, billable_tokens: "many" } : row)),
  meta,
});
/** The service answers for the last 22 of 30 days, and says so. */
const firstAnswered = "2026-05-24";
const clamp: Change = ({ data, meta }: Reply) => {
  const isClamped = (day: unknown): boolean => String(day) >= period.startDate && String(day) < firstAnswered;
  const start_date = isClamped(meta["start_date"]) ? firstAnswered : meta["start_date"];
  return { data: data.filter(({ date }) => !isClamped(date)), meta: { ...meta, start_date } };
};
const everywhere = (change: Change) =>
  Object.fromEntries(["tokens", "activity", "tools", "productivity", "users"].map((path) => [path, change]));

describe("every figure is over what is there, and says what is missing:", () => {
  test.each([
    [
      "8 of 30 days are dropped",
      everywhere(dropEight),
      sameDays(kept),
      /^Credits and tokens: no data for 8 of 30 days \(20–22 May, 30 May, 5–6 Jun, 9 Jun, 14 Jun\)$/,
      ["credits", "22 of 30 days"],
    ],
    [
      "only credits lack 8 days",
      { tokens: dropEight },
      { ...sameDays(days), credits: kept },
      /^Credits and tokens: no data for 8 of 30 days/,
      ["credits_per_session", "22 of 30 days"],
    ],
    [
      "an endpoint is refused",
      { productivity: forbidden },
      { ...sameDays(days), productivity: [] },
      /^Commits and pull requests: missing: .* answered 403/,
      ["commits", "no data"],
    ],
    [
      "a row is broken",
      { tokens: breakRow },
      { ...sameDays(days), credits: days.filter((day) => day !== "2026-06-02") },
      /^Credits and tokens: 1 row could not be read, and is not counted$/,
      ["credits", "29 of 30 days"],
    ],
    [
      "the span is clamped",
      everywhere(clamp),
      sameDays(days.filter((day) => day >= firstAnswered)),
      /^Credits and tokens: the service answered for 24 May 2026 to 14 Jun 2026 only$|^Commits/,
      ["sessions", "22 of 30 days"],
    ],
  ] as const)("%s", async (_, answers, parts, sentence, [figure, gap]) => {
    const baseUrl = await startFront(sandbox, answers);
    const report = await collect(clientOf({ ...sandbox, baseUrl }), period, { nowMs: noonMs });
    expectFigures(report, expectedFigures(fewUsers, parts));
    expect(isComplete(report)).toBe(false);
    const sentences = gapsOf(report).map(gapText);
    expect(sentences).toContainEqual(expect.stringMatching(sentence));
    expect(figuresOf(report).find(({ id }) => id === figure)?.gap).toBe(gap);
    const page = renderPage(report);
    expect(page).toContain("This report is not complete");
    expect(page).toMatch(new RegExp(`id="figure-${figure}".*?<span class="gap">${gap}</span>`));
  });
});
