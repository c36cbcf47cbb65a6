import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { reportText } from "../../src/cli/commands/service/report/report-text.ts";
import { Directory } from "../../src/report/directory.ts";
import { computeFigures } from "../../src/report/figures.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { buildPlots } from "../../src/report/plots.ts";
import { isComplete, type PartName, type UsageReport } from "../../src/report/report.ts";
import { buildRowKey, UniqueRows } from "../../src/report/requests.ts";
import { buildSummary } from "../../src/report/summary.ts";
import { buildTables } from "../../src/report/tables.ts";
import { useCliHome } from "../world/cli-home.ts";
import { readHtmlText } from "../world/html-text.ts";
import { collectPlain, type Faults, fiveDays, type Row, readFigure, runPlain } from "./plain-service.ts";

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

/** Multiplies a number of every row. */
const scale = (field: string, factor: number) => (rows: Row[]) =>
  rows.map((row) => ({ ...row, [field]: Number(row[field]) * factor }));

test("credits of users that differ from the total are noted at both, and in the notice", async () => {
  const report = await collectPlain({ users: scale("billable_tokens", 0.5) });
  expect(readFigure(report, "credits")?.gap).toBe("sum of users: 15,000 credits");
  expect(renderPage(report)).toContain('Top users <span class="gap">total: 30,000 credits</span>');
  const text = "Users: credits of all users add up to 15,000, but the total is 30,000";
  expect(findGaps(report).map(gapText)).toContain(text);
  expect(isComplete(report)).toBe(true);
});

test("every figure per unit is made from the same credits", async () => {
  const [report, plain] = [await collectPlain({ users: scale("billable_tokens", 0.5) }), await collectPlain()];
  const readUnits = (shown: UsageReport) =>
    computeFigures(shown).flatMap(({ id, value }) =>
      id.startsWith("credits_per_") ? [`${id.slice(12)} ${value}`] : [],
    );
  expect(readUnits(plain)).toEqual(["active_user 10000", "session 500", "pull_request 2000"]);
  expect(readUnits(report)).toEqual(readUnits(plain));
});

test("credits of models are shown although the total is 0, and noted at both", async () => {
  const report = await collectPlain({ tokens: scale("billable_tokens", 0) });
  const page = renderPage(report);
  expect(readFigure(report, "credits")?.gap).toBe("sum of users and models: 30,000 credits");
  expect(page).toContain('Credits by model and day <span class="gap">total: 0 credits</span>');
  expect(page).toContain("Peak on 10 Jun: 6,000 credits.");
  expect(page).toContain("<bdi>large</bdi> <span>30,000 (100.0%)</span>");
});

test.each<[string, Faults, string, string]>([
  ["sessions", { users: scale("sessions", 2) }, "sessions", "sum of users: 120 sessions"],
  ["messages", { activity: scale("messages", 2) }, "sessions", "sum of users: 600 messages"],
  ["commits", { users: scale("git_commits", 0) }, "commits", "sum of users: 0 commits"],
  ["pull requests", { productivity: scale("git_prs_created", 3) }, "pull_requests", "sum of users: 15 pull requests"],
  ["tool calls", { tools: scale("tool_calls", 2) }, "tool_calls", "sum of users and tools: 1,380 tool calls"],
])("%s that differ are noted", async (_, faults, id, note) => {
  expect(readFigure(await collectPlain(faults), id)?.gap).toBe(note);
});

test("a difference of up to 0.5% is not noted", async () => {
  const noted: number[] = [];
  for (const factor of [1, 0.9951, 1.0049, 0.994, 1.006])
    if (readFigure(await collectPlain({ users: scale("billable_tokens", factor) }), "credits")?.gap !== "")
      noted.push(factor);
  expect(noted).toEqual([0.994, 1.006]);
});

test("days that only one of the two has are left out of the comparison", async () => {
  const later = (rows: Row[]): Row[] => rows.filter((row) => String(row["date"]) > "2026-06-11");
  expect(readFigure(await collectPlain({ users: later }), "credits")?.gap).toBe("");
  expect(readFigure(await collectPlain({ tokens: later }), "credits")?.gap).toBe("3 of 5 days");
});

const home = useCliHome();

test("sums that differ are reported on standard error; the exit code stays 0, because no data is missing", async () => {
  const { exitCode, stderr } = await runPlain(home, { users: scale("billable_tokens", 0.5) }, "--json");
  expect(exitCode).toBe(0);
  expect(stderr).toContain("beckon: Users: credits of all users add up to 15,000, but the total is 30,000");
});

const on =
  (day: string, changes: Row) =>
  (rows: Row[]): Row[] =>
    rows.map((row) => (row["date"] === day ? { ...row, ...changes } : row));

describe("the cache share", () => {
  const excess = { cache_read_tokens: 5000 };
  test.each<[string, (rows: Row[]) => Row[], number | undefined]>([
    ["counts reads as part of the input", (rows) => rows, 0.6],
    ["counts reads beside the input if they exceed it every day", cache(12_000, 1000), 12_000 / 13_000],
    ["counts reads beside the input if they exceed it on a day", on("2026-06-12", excess), 7400 / 12_400],
    ["is 100% if everything comes from the cache", cache(500, 0), 1],
    ["is unknown without input", cache(0, 0), undefined],
  ])("%s", async (_, tokens, share) => {
    const figure = readFigure(await collectPlain({ tokens }), "cache_share");
    if (share === undefined) expect(figure?.value).toBeUndefined();
    else expect(figure?.value).toBeCloseTo(share, 10);
  });

  test("is computed alike for both periods that are compared", async () => {
    const figure = readFigure(await collectPlain({ tokens: on("2026-06-06", excess) }), "cache_share");
    expect(figure?.value).toBeCloseTo(3000 / 8000, 10);
    expect(figure?.previous).toBeCloseTo(7400 / 12_400, 10);
  });
});

function cache(cache_read_tokens: number, input_tokens: number) {
  return (rows: Row[]): Row[] => rows.map((row) => ({ ...row, cache_read_tokens, input_tokens }));
}

test("calls and prompts per prompt and session are quotients of sums, over the days that have both", async () => {
  const quiet = on("2026-06-11", { sessions: 1, user_messages: 1 });
  const report = await collectPlain({ activity: (rows) => quiet(rows).filter((row) => row["date"] !== "2026-06-14") });
  const calls = 4 * 240 + 3 * (10 + 11 + 12 + 13);
  expect(readFigure(report, "autonomy_avg")).toMatchObject({ gap: "4 of 5 days" });
  expect(readFigure(report, "autonomy_avg")?.value).toBeCloseTo(calls / 91, 10);
  expect(readFigure(report, "tool_calls_per_session")?.value).toBeCloseTo(calls / 37, 10);
  expect(readFigure(report, "prompts_per_session")?.value).toBeCloseTo(91 / 37, 10);
});

test("the median and 90th percentile are means of days, as their definitions and the plot say", async () => {
  const report = await collectPlain();
  expect(readFigure(report, "autonomy_p50")).toMatchObject({
    title: "Tool calls per prompt: median",
    value: 5,
    definition: expect.stringContaining("averaged over the days"),
  });
  expect(readFigure(report, "autonomy_p90")?.definition).toContain("averaged over the days");
  expect(renderPage(report)).toContain("<bdi>daily median</bdi> <span>5.00</span>");
});

test("no two cards of the page have the same title", async () => {
  const titles = [...renderPage(await collectPlain()).matchAll(/<h2 [^>]*>([^<]*)/g)].map(([, title]) => title);
  expect(titles).toContain("Autonomy levels");
  expect(new Set(titles).size).toBe(titles.length);
});
