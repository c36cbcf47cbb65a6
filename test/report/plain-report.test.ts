import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { reportText } from "../../src/cli/commands/service/report/report-text.ts";
import { computeFigures } from "../../src/report/figures.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { buildPlots } from "../../src/report/plots.ts";
import { isComplete, type PartName } from "../../src/report/report.ts";
import { buildTables } from "../../src/report/tables.ts";
import { buildRowKey, UniqueRows } from "../../src/report/unique-rows.ts";
import { useCliHome } from "../world/cli-home.ts";
import { readHtmlText } from "../world/html-text.ts";
import { collectPlain, type Faults, fiveDays, type Row, readFigure, runPlain } from "./plain-service.ts";

const none = (): Row[] => [];
const before = (row: Row, day: string): boolean => String(row["date"]) < day;
const nobody = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, daily_active_users: 0 }));
const otherDays = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, date: "2026-03-01" }));
const unreadable = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, sessions: "many" }));

describe("idle users", () => {
  test.each<[string, Faults]>([
    ["there are no rows at all", { users: none, tokens: none, tools: none, activity: none, productivity: none }],
    ["there are no rows of users", { users: none }],
    ["all rows are for other days", { users: otherDays }],
    ["no row of users can be read", { users: unreadable }],
    ["the request for users is refused", { users: { status: 403, body: {} } }],
    [
      "only some days without rows are known to have no activity",
      { users: none, activity: (rows) => [...nobody(rows.slice(0, 2)), ...rows.slice(2)] },
    ],
  ])("are unknown if %s", async (_, faults) => {
    const report = await collectPlain(faults);
    expect(report.seats).toEqual({ users: 4, idleSeats: [] });
    for (const id of ["idle_seats", "active_share"]) expect(readFigure(report, id)?.text).toBe("–");
    expect(readHtmlText(renderPage(report))).not.toMatch(/Active share of users0|Idle seats\d/);
    expect(JSON.stringify(report)).not.toContain("idle@example.com");
  });

  test("are all users if the service reports no activity on any day", async () => {
    const report = await collectPlain({ users: none, activity: nobody });
    expect(report.seats).toMatchObject({ users: 4, idle: 4 });
    expect(readFigure(report, "active_share")).toMatchObject({ value: 0, gap: "" });
  });

  test("are idle on the days with data, and the report says so", async () => {
    const report = await collectPlain({ users: (rows) => rows.filter((row) => before(row, "2026-06-13")) });
    expect(report.seats).toMatchObject({ idle: 1, idleSeats: [{ name: "idle@example.com" }] });
    expect(readFigure(report, "idle_seats")).toMatchObject({ value: 1, gap: "3 of 5 days" });
    expect(findGaps(report).map(gapText)).toContain("Seats: idle users were idle on the 3 days with data");
  });
});

describe("a user without an e-mail address", () => {
  test.each([
    ["null", null],
    ["empty", ""],
    ["blank", " \u202e"],
  ])("is named by the id if the address is %s", async (_, user_email) => {
    const anonymous = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, user_email }));
    const seats = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, email: user_email, lastSignInAt: "" }));
    const report = await collectPlain({ users: anonymous, "organization/users": seats });
    expect(report.people?.top.map(({ name }) => name)).toEqual(["u3", "u2", "u1"]);
    expect(report.seats?.idleSeats).toEqual([{ name: "idle", lastSignIn: "" }]);
  });

  test("keeps the address of an earlier row", async () => {
    const later = (rows: Row[]): Row[] =>
      rows.map((row) => (before(row, "2026-06-12") ? row : { ...row, user_email: "" }));
    const report = await collectPlain({ users: later });
    expect(report.people?.top[0]?.name).toBe("u3@example.com");
  });
});

test("users without ids are distinguished by their addresses", async () => {
  const anonymous = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, user_id: "" }));
  const seats = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, id: "" }));
  const report = await collectPlain({ users: anonymous, "organization/users": seats });
  expect(report.people).toMatchObject({ users: 3, totals: { credits: 30_000 } });
  expect(report.seats).toMatchObject({ users: 4, idle: 1, idleSeats: [{ name: "idle@example.com" }] });
  expect(findGaps(report)).toEqual([]);
});

const day = { startDate: "2026-06-14", endDate: "2026-06-14" };

test("a report of one day has no averages a day, no peak and no chart of a single mark", async () => {
  const report = await collectPlain({}, day);
  const page = renderPage(report);
  const text = reportText(report, { columns: 80, isAscii: false, colors: picocolors.createColors(false) });
  for (const shown of [readHtmlText(page), text]) expect(shown).not.toMatch(/\d a day|[Pp]eak|by model and day/);
  expect(computeFigures(report)[0]).toMatchObject({ id: "credits", value: 6000, note: "" });
  const overDays = buildPlots(report).filter(({ kind }) => kind !== "ranking");
  for (const { id } of overDays) {
    const [card = ""] = new RegExp(`<section[^>]* id="${id}".*?</section>`, "s").exec(page) ?? [];
    expect(card, id).toMatch(/class="legend".*<table/s);
    expect(card, id).not.toContain('role="img"');
  }
  expect(page).toContain('role="img"');
});

test("a report of several days has them", async () => {
  const page = readHtmlText(renderPage(await collectPlain({}, fiveDays)));
  expect(page).toMatch(/6,000 a day/);
  expect(page).toMatch(/Peak on 10 Jun: 6,000 credits\./);
});

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
    const { exitCode, stderr } = await runPlain(home, { [path]: repeatLast }, "--json");
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
