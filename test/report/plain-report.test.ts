import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { reportText } from "../../src/cli/commands/service/report/report-text.ts";
import { Directory } from "../../src/report/directory.ts";
import { computeFigures } from "../../src/report/figures.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { buildPlots } from "../../src/report/plots.ts";
import { isComplete, type PartName } from "../../src/report/report.ts";
import { buildRowKey, UniqueRows } from "../../src/report/requests.ts";
import { buildSummary } from "../../src/report/summary.ts";
import { buildTables } from "../../src/report/tables.ts";
import { readHtmlText } from "../world/html-text.ts";
import { collectPlain, type Faults, fiveDays, type Row, readFigure } from "./plain-service.ts";

const none = (): Row[] => [];
const isBefore = (row: Row, day: string): boolean => String(row["date"]) < day;
const nobody = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, daily_active_users: 0 }));
const partlyQuiet = (rows: Row[]): Row[] => [...nobody(rows.slice(0, 2)), ...rows.slice(2)];
const otherDays = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, date: "2026-03-01" }));
const unreadable = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, sessions: "many" }));

describe("idle users", () => {
  test.each<[string, Faults]>([
    ["there are no rows at all", { users: none, tokens: none, tools: none, activity: none, productivity: none }],
    ["there are no rows of users", { users: none }],
    ["all rows are for other days", { users: otherDays }],
    ["no row of users can be read", { users: unreadable }],
    ["the request for users is refused", { users: { status: 403, body: {} } }],
    ["only some days without rows are known to have no activity", { users: none, activity: partlyQuiet }],
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
    const report = await collectPlain({ users: (rows) => rows.filter((row) => isBefore(row, "2026-06-13")) });
    expect(report.seats).toMatchObject({ idle: 1, idleSeats: [{ name: "idle@example.com" }] });
    expect(readFigure(report, "idle_seats")).toMatchObject({ value: 1, gap: "3 of 5 days" });
    expect(findGaps(report).map(gapText)).toContain("Seats: idle users were idle on the 3 days with data");
  });
});

describe("a user without an e-mail address", () => {
  test.each([null, "", " \u202e"])("is named by the id if the address is %j", async (user_email) => {
    const anonymous = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, user_email }));
    const seats = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, email: user_email, lastSignInAt: "" }));
    const report = await collectPlain({ users: anonymous, "organization/users": seats });
    expect(report.people?.top.map(({ name }) => name)).toEqual(["u3", "u2", "u1"]);
    expect(report.seats?.idleSeats).toEqual([{ name: "idle", lastSignIn: "" }]);
  });

  test("keeps the address of an earlier row", async () => {
    const later = (rows: Row[]): Row[] =>
      rows.map((row) => (isBefore(row, "2026-06-12") ? row : { ...row, user_email: "" }));
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

describe.each(parts)("of %s", (part, path) => {
  test("a row that comes twice is counted once, and reported", async () => {
    const [report, plain] = [await collectPlain({ [path]: repeatLast }), await collectPlain()];
    expect(report[part]).toEqual(plain[part]);
    expect(report.coverage[part]).toMatchObject({ isComplete: false, repeatedRows: 1, changedRows: 0 });
    const text = "1 row came twice and is counted once";
    expect(findGaps(report).filter(({ isBefore }) => !isBefore)).toMatchObject([{ part, text }]);
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
  const top = report.people?.top.map(({ name, credits }) => `${name} ${credits}`);
  expect(top).toEqual(["u3@example.com 15000", "u2@example.com 10000", "u1@example.com 5000"]);
  expect(report.people?.totals.credits).toBe(report.credits?.total);
});

test("the figure, the page and the CSV file say how many rows came twice", async () => {
  const report = await collectPlain({ tokens: (rows) => [...rows, ...rows.slice(0, 3)] });
  expect(computeFigures(report)[0]).toMatchObject({ id: "credits", value: 30_000, gap: "3 rows came twice" });
  expect(findGaps(report).map(gapText)[0]).toBe("Credits and tokens: 3 rows came twice and are counted once");
  expect(renderPage(report)).toContain("<bdi>3 rows came twice and are counted once</bdi>");
  const table = buildTables(report).find(({ name }) => name === "coverage");
  expect(table?.rows[0]?.[table.head.indexOf("repeated_rows")]).toBe(3);
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

describe("people", () => {
  const teams = new Map([["shop", ["u1@example.com", "u3@example.com"]]]);
  const renamed = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, id: `org_${row["id"]}` }));
  const without = (...ids: readonly string[]) => {
    const strip = (row: Row) => (ids.includes(String(row["user_id"])) ? { ...row, user_email: null } : row);
    return { users: (rows: Row[]): Row[] => rows.map(strip) };
  };

  test("are found by id if a row has no address, in teams, top users, and among those who changed", async () => {
    const fewer = (row: Row): Row => (isBefore(row, "2026-06-10") ? { ...row, billable_tokens: 1 } : row);
    const users = (rows: Row[]): Row[] => without("u1", "u3").users(rows).map(fewer);
    const report = await collectPlain({ users }, undefined, { teams });
    expect(report.teams).toMatchObject({
      teams: [{ name: "shop", members: 2, active: 2, credits: 20_000, creditsPerDay: 4000, creditsPerDayBefore: 2 }],
      withoutTeam: { users: 1 },
      unknown: 0,
    });
    const names = ["u3@example.com", "u2@example.com", "u1@example.com"];
    expect(report.people?.top.map(({ name }) => name)).toEqual(names);
    expect(report.movement?.risers.map(({ name }) => name)).toEqual(names);
  });

  test("are found by address if the ids differ", async () => {
    const report = await collectPlain({ "organization/users": renamed }, undefined, { teams });
    const idleSeats = [{ name: "idle@example.com", lastSignIn: "" }];
    expect(report.seats).toEqual({ users: 4, idle: 1, idleSeats, former: 0 });
    expect(findGaps(report)).toEqual([]);
  });

  test("who may be one of the idle ones make the number an upper bound", async () => {
    const report = await collectPlain({ "organization/users": renamed, ...without("u1") });
    expect(report.seats).toMatchObject({ users: 4, idle: 2, former: 0 });
    expect(buildSummary(report).sentence).toContain("up to 2 of 4 seats idle");
    expect(readFigure(report, "active_users")).toMatchObject({ value: 3, note: "2 of 4 users" });
    expect(readFigure(report, "idle_seats")?.gap).toBe("1 active user without a seat");
    expect([isComplete(report), findGaps(report).map(gapText)[0]]).toEqual([
      false,
      "Seats: 1 active user has neither an id nor an address of the organization’s users, so an idle one may be active",
    ]);
  });

  test("leave idle seats unknown if none of them is among the organization's users", async () => {
    const report = await collectPlain({ "organization/users": renamed, ...without("u1", "u2", "u3") });
    expect(report.seats).toEqual({ users: 4, idleSeats: [] });
    expect(readFigure(report, "active_users")).toMatchObject({ value: 3, note: "" });
    for (const id of ["idle_seats", "active_share"]) expect(readFigure(report, id)?.text).toBe("–");
    expect([isComplete(report), buildSummary(report).sentence]).toEqual([false, expect.not.stringContaining("seats")]);
  });

  test("who have left are counted apart, and cost no completeness", async () => {
    const report = await collectPlain({ "organization/users": (rows) => rows.slice(2) });
    expect(report.seats).toMatchObject({ users: 2, idle: 1, former: 2 });
    expect(readFigure(report, "active_users")).toMatchObject({ value: 3, note: "1 of 2 users, 2 former" });
    expect(readFigure(report, "active_share")?.value).toBe(0.5);
    expect(findGaps(report)).toEqual([]);
  });

  test("without addresses stay apart, as do two of the organization's users with the same address", async () => {
    const shared = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, email: "team@example.com" }));
    for (const address of [null, "", "unknown"]) {
      const users = (rows: Row[]): Row[] => rows.map((row) => ({ ...row, user_email: address }));
      const report = await collectPlain({ users, "organization/users": shared });
      expect([report.people?.users, report.seats?.idle]).toEqual([3, 1]);
    }
  });

  test("of the previous period give their address to rows without one, if the list of users is refused", async () => {
    const users = (rows: Row[]): Row[] =>
      rows.map((row) => (isBefore(row, "2026-06-10") ? row : { ...row, user_email: null }));
    const refused = { status: 403, body: {} };
    const report = await collectPlain({ users, "organization/users": refused }, undefined, { teams });
    expect(report.teams?.teams[0]).toMatchObject({ active: 2, credits: 20_000 });
  });

  test("have one key for each id and address of a row, and never two of the organization's users", () => {
    const id = fc.constantFrom("", "a", "b", "c", "x@y.z");
    const email = fc.constantFrom("", "a@y.z", "b@y.z", "X@y.z");
    const seat = fc.record({ id: fc.constantFrom("a", "b", "s"), email });
    const seats = fc.uniqueArray(seat, { selector: (drawn) => drawn.id });
    const labels = fc.array(fc.record({ id, addresses: fc.array(email, { maxLength: 2 }) }), { maxLength: 6 });
    const property = fc.property(seats, labels, (users, rows) => {
      const directory = new Directory(users, rows);
      expect(new Set(users.map((user) => directory.findKey(user.id))).size).toBe(users.length);
      for (const row of rows) {
        const keys = row.addresses.filter(Boolean).map((address) => directory.findKey("", address));
        const known = new Set([...(row.id === "" ? [] : [directory.findKey(row.id)]), ...keys]);
        expect([...known].filter((key) => !directory.isCurrent(key)).length).toBeLessThanOrEqual(1);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});
