import { describe, expect, test } from "vitest";
import { computeFigures } from "../../src/report/figures.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { isComplete, type PartName } from "../../src/report/report.ts";
import { buildTables } from "../../src/report/tables.ts";
import { buildRowKey, UniqueRows } from "../../src/report/unique-rows.ts";
import { useCliHome } from "../world/cli-home.ts";
import { collectPlain, type Faults, nowMs, type Row, startPlainService } from "./plain-service.ts";

const last = (rows: readonly Row[]): Row => rows.at(-1) ?? {};
const repeatLast = (rows: Row[]): Row[] => [...rows, last(rows)];
/** Repeats the last row, whose first copy gets other numbers. */
const repeatChanged = (rows: Row[]): Row[] => {
  const changed = Object.entries(last(rows)).map(([name, value]) => [name, typeof value === "number" ? 1 : value]);
  return [Object.fromEntries(changed), ...rows];
};

const paths = {
  credits: "tokens",
  activity: "activity",
  toolUse: "tools",
  productivity: "productivity",
  people: "users",
  seats: "organization/users",
} as const satisfies Partial<Record<PartName, keyof Faults>>;
const parts = Object.entries(paths) as [keyof typeof paths, keyof Faults][];

test("a report without repeated rows is complete", async () => {
  const report = await collectPlain();
  expect([findGaps(report), isComplete(report)]).toEqual([[], true]);
});

describe.each(parts)("of %s", (part, path) => {
  test("a row that comes twice is counted once, and reported", async () => {
    const [report, plain] = [await collectPlain({ [path]: repeatLast }), await collectPlain()];
    expect(report[part]).toEqual(plain[part]);
    expect(report.coverage[part]).toMatchObject({ isComplete: false, repeatedRows: 1, changedRows: 0 });
    expect(findGaps(report).filter(({ isBefore }) => !isBefore)).toMatchObject([
      { part, text: "1 row came twice and is counted once" },
    ]);
  });

  test("of a row that comes again with other content, the last content counts", async () => {
    const change =
      path === "organization/users" ? (rows: Row[]) => [{ ...last(rows), email: "old@b.c" }, ...rows] : repeatChanged;
    const [report, plain] = [await collectPlain({ [path]: change }), await collectPlain()];
    if (part !== "seats") expect(report[part]).toEqual(plain[part]);
    else expect(report.seats).toMatchObject({ users: 4, idle: 1, idleSeats: [{ name: "idle@example.com" }] });
    expect(report.coverage[part]).toMatchObject({ isComplete: false, repeatedRows: 1, changedRows: 1 });
    const text = "1 row came twice and is counted once; 1 with other content, of which the last counts";
    expect(findGaps(report)).toContainEqual({ part, isBefore: false, text });
  });
});

test("a user whose rows all come twice keeps the place in the list of users", async () => {
  const twice = (rows: Row[]): Row[] => [...rows, ...rows.filter((row) => row["user_id"] === "u2")];
  const report = await collectPlain({ users: twice });
  expect(report.people?.top.map(({ name, credits }) => [name, credits])).toEqual([
    ["u3@example.com", 15_000],
    ["u2@example.com", 10_000],
    ["u1@example.com", 5000],
  ]);
  expect(report.people?.totals.credits).toBe(report.credits?.total);
});

test("the figure, the page and the CSV file say how many rows came twice", async () => {
  const report = await collectPlain({ tokens: (rows) => [...rows, ...rows.slice(0, 3)] });
  expect(computeFigures(report)[0]).toMatchObject({ id: "credits", value: 30_000, gap: "3 rows came twice" });
  expect(gapText(findGaps(report)[0] as ReturnType<typeof findGaps>[0])).toBe(
    "Credits and tokens: 3 rows came twice and are counted once",
  );
  expect(renderPage(report)).toContain("<bdi>3 rows came twice and are counted once</bdi>");
  const table = buildTables(report).find(({ name }) => name === "coverage");
  expect(table?.rows[0]?.[table.head.indexOf("repeated_rows")]).toBe(3);
});

describe("the command", () => {
  const home = useCliHome();

  test.each(parts)("ends with exit code 1 if a row of %s comes twice", async (_, path) => {
    const BECKON_BASE_URL = await startPlainService({ [path]: repeatLast });
    const environment = { ...home.environment, env: { ...home.env, BECKON_BASE_URL, BECKON_API_KEY: "key" } };
    const args = ["service", "report", "--since", "5d", "--json"];
    const { exitCode, stderr } = await home.run(args, { environment, now: () => nowMs });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(": 1 row came twice and is counted once")]);
  });
});

test("rows of a day with different groups or users are different rows", () => {
  const date = "2026-06-01";
  const rows = [
    { date, group_key: "large" },
    { date, group_key: "small" },
    { date, user_id: "u1" },
    { date, user_id: "", user_email: "a@b.c" },
    { date, user_id: "", user_email: "d@b.c" },
    { date },
  ];
  expect(new Set(rows.map(buildRowKey)).size).toBe(rows.length);
  const unique = new UniqueRows<object>();
  for (const row of [...rows, { group_key: "large", date }]) unique.put(buildRowKey(row), row);
  expect([unique.list(), unique.repeats()]).toEqual([rows, { repeatedRows: 1, changedRows: 0 }]);
});
