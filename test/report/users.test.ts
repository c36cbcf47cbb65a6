import { describe, expect, test } from "vitest";
import { computeFigures } from "../../src/report/figures.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import type { UsageReport } from "../../src/report/report.ts";
import { readHtmlText } from "../world/html-text.ts";
import { collectPlain, type Faults, type Row } from "./plain-service.ts";

const readFigure = (report: UsageReport, id: string) => computeFigures(report).find((figure) => figure.id === id);
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
