import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { countCells } from "../../../../../src/cli/columns.ts";
import { writeReportFile } from "../../../../../src/cli/commands/service/report/report-file.ts";
import { reportText } from "../../../../../src/cli/commands/service/report/report-text.ts";
import { parseBudget, parseSections } from "../../../../../src/cli/commands/service/report/run-report.ts";
import { parseTeams, readTeamFile } from "../../../../../src/cli/commands/service/report/team-file.ts";
import type { CliContext } from "../../../../../src/cli/context.ts";
import { keys } from "../../../../../src/fake-service/access.ts";
import { collect } from "../../../../../src/report/collect.ts";
import { buildCoverage } from "../../../../../src/report/coverage.ts";
import { summarizeActivity, summarizeCredits, summarizeToolUse } from "../../../../../src/report/parts.ts";
import { listDays } from "../../../../../src/report/period.ts";
import { type Change, forbidden, type Reply, startFront } from "../../../../report/front.ts";
import { activityRows, creditsRows, days, emptyReport, sumBy, toolRows } from "../../../../report/rows.ts";
import { useCliHome } from "../../../../world/cli-home.ts";
import { freshFolder, useFolder } from "../../../../world/fresh-folder.ts";
import { readHtmlText } from "../../../../world/html-text.ts";
import { all, makeClient, noonMs, openSandbox } from "../../../../world/service/client.ts";
import { createTerminal, sharedServiceHome } from "../../../../world/service-home.ts";

describe("report", () => {
  const home = useCliHome();
  const world = sharedServiceHome({ users: 30 });
  const at = (...path: string[]) => join(home.project, ...path);

  /** Runs `beckon service report …` with a manager's key. */
  function run(line: string | readonly string[], env: NodeJS.ProcessEnv = {}, changes: Partial<CliContext> = {}) {
    const all = { ...home.env, LANG: "C.UTF-8", BECKON_BASE_URL: world.sandbox.baseUrl, BECKON_API_KEY: keys.manager };
    const environment = { ...home.environment, env: { ...all, ...env } };
    const args = typeof line === "string" ? line.split(" ").filter(Boolean) : line;
    return home.run(["service", "report", ...args], { environment, now: () => noonMs, ...changes });
  }

  test("without options the report shows the last thirty days", async () => {
    const { exitCode, stdout, stderr } = await run("");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage 16 May 2026 to 14 Jun 2026 {2}org_sandbox · 30 days, UTC\n/);
    expect(stdout).toContain("█");
  });

  test("a terminal without UTF-8 gets ASCII, and a narrow one short lines", async () => {
    const { stdout } = await run("--since 30d", { LANG: "", LC_ALL: "C" }, { terminal: createTerminal(48) });
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
    expect(stdout).toContain("Read");
    expect(stdout).toMatch(/ #{5,}$/m);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(48);
  });

  test("--json prints the numbers of the requested days", async () => {
    const report = JSON.parse((await run("--json --since 2026-06-01 --until 2026-06-03")).stdout);
    expect(report.days).toEqual(["2026-06-01", "2026-06-02", "2026-06-03"]);
    const span = { startDate: "2026-06-01", endDate: "2026-06-03" };
    const rows = await all(makeClient(world.sandbox).analytics.users(span));
    expect(report.credits.total).toBe(sumBy(rows, (row) => row.billable_tokens));
  });

  test("--out writes a page and prints its path, --out - writes it to standard output", async () => {
    const whole = expect.stringMatching(/^<!doctype html>.*<\/html>\n$/s);
    const stderr = `Wrote ${at("report.html")}\n`;
    expect(await run("--out report.html")).toEqual({ exitCode: 0, stdout: "", stderr });
    expect(readFileSync(at("report.html"), "utf8")).toEqual(whole);
    expect(statSync(at("report.html")).mode & 0o777).toBe(0o600);
    expect(readdirSync(home.project)).toEqual(["report.html"]);
    expect(await run("--out -")).toEqual({ exitCode: 0, stdout: whole, stderr: "" });
  });

  test("a file that cannot be written is reported, in a wrong folder before any request", async () => {
    expect((await run("--out no/report.html")).stderr).toMatch(/the folder .*no does not exist\n {2}\S/);
    expect((await run("--out .")).stderr).toMatch(/is a folder\n {2}\S/);
    expect(world.sandbox.seen).toEqual([]);
    home.write(at("file"), "");
    expect((await run("--out file/report.html")).stderr).toMatch(/file is not a folder\n {2}\S/);
    expect((await run(`--out ${"x".repeat(300)}`)).stderr).toMatch(/file name is too long\n {2}\S/);
    expect(readdirSync(home.project)).toEqual(["file"]);
  });

  test("a span that begins before the data says that it is cut", async () => {
    const stderr = "The data begins on 2026-01-14, so --since 400d starts there.\n";
    const stdout = expect.stringMatching(/^Usage 14 Jan 2026 to 1 Feb 2026 /);
    expect(await run("--since 400d --until 2026-02-01")).toEqual({ exitCode: 0, stdout, stderr });
  });

  test("--csv also writes the numbers, readable by their owner alone", async () => {
    const { exitCode, stdout, stderr } = await run("--csv numbers --json --top 3 --no-names");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `Wrote CSV files to ${at("numbers")}\n` });
    const read = (name: string) => readFileSync(at("numbers", name), "utf8").trimEnd().split("\r\n");
    const report = JSON.parse(stdout);
    const daily = ["by-model", "coverage", "days", "figures", "idle-seats", "rankings", "users"];
    const tables = [...daily, "movement", "settings", "user-changes"].sort();
    expect(readdirSync(at("numbers")).sort()).toEqual(tables.map((name) => `${name}.csv`));
    const figure = `^credits,${report.credits.total},\\d+,-?[\\d.]+,value,,Standard Credits`;
    expect(read("figures.csv")[1]).toMatch(new RegExp(figure));
    expect(read("days.csv")).toHaveLength(31);
    const users = ["user", "User 1", "User 2", "User 3", "(27 others)"];
    expect(read("users.csv").map((line) => line.split(",")[0])).toEqual(users);
    expect(statSync(at("numbers")).mode & 0o777).toBe(0o700);
    expect(statSync(at("numbers", "users.csv")).mode & 0o777).toBe(0o600);
  });

  test("the price of a credit gives the cost", async () => {
    const { stdout } = await run("--price 0.5EUR --json");
    expect(JSON.parse(stdout).price).toEqual({ perCredit: 0.5, currency: "EUR" });
    expect((await run(["--price", "EUR 0.5"])).stdout).toMatch(/Cost +€[\d,.]+ .*\n/);
    const stderr = expect.stringContaining("--price must be an amount above 0");
    expect(await run("--price cheap")).toMatchObject({ exitCode: 2, stderr });
    const asked = expect.stringContaining("--price needs a currency");
    expect(await run("--price 0.5")).toMatchObject({ exitCode: 2, stderr: asked });
  });

  test("the terminal shows progress while users are requested, and Ctrl-C ends it", async () => {
    const errorTerminal = createTerminal(80);
    await run("", {}, { errorTerminal });
    expect(errorTerminal.written).toMatch(/900 rows of user data …\r\u001b\[2K$/);
    const stopped = await run("", {}, { interruption: () => AbortSignal.abort() });
    expect(stopped).toEqual({ exitCode: 130, stdout: "", stderr: "Stopped.\n" });
  });

  test.each([
    ["every part fails", "--out report.html --csv no", keys.member, 1],
    ["the CSV path is a file", "--out report.html --csv report.html", keys.owner, 1],
    ["the folder around the CSV folder does not exist", "--csv no/numbers", keys.owner, 1],
    ["the key is wrong", "--out report.html", "wrong", 1],
    ["the period ends today", "--out report.html --until today", keys.owner, 2],
    ["the folder does not exist", "--out no/report.html", keys.owner, 1],
    ["both page and JSON are requested", "--out report.html --json", keys.owner, 2],
  ])("nothing is written if %s", async (_, line, BECKON_API_KEY, exitCode) => {
    home.write(at("report.html"), "old");
    expect(await run(line, { BECKON_API_KEY })).toMatchObject({ exitCode, stdout: "" });
    expect(readFileSync(at("report.html"), "utf8")).toBe("old");
    expect(existsSync(at("no"))).toBe(false);
  });
});

describe("report file", () => {
  const at = useFolder();

  test("an existing file is replaced, and keeps its mode", async () => {
    const path = at("report.html");
    writeFileSync(path, "old");
    chmodSync(path, 0o644);
    const before = statSync(path).ino;
    await writeReportFile(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(statSync(path).ino).not.toBe(before);
  });

  test("a link stays a link", async () => {
    mkdirSync(at("www"));
    writeFileSync(at("www", "report.html"), "old");
    symlinkSync(join("www", "report.html"), at("link.html"));
    await writeReportFile(at("link.html"), "new");
    expect(lstatSync(at("link.html")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("www", "report.html"), "utf8")).toBe("new");
  });

  test("a device is written to", async () => {
    await writeReportFile("/dev/null", "page");
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });
});

const colors = picocolors.createColors(false);
async function sandboxReport(startDate: string) {
  return collect(makeClient(await openSandbox({ users: 40 })), { startDate, endDate: "2026-06-14" }, { nowMs: noonMs });
}

test("a report fits into 80 columns", async () => {
  const text = reportText(await sandboxReport("2026-06-01"), { columns: 80, isAscii: false, colors });
  const parts = text.split("\n\n");
  const shown = [0, 1, 2, 4, 7, 8, 9].map((n) => parts[n]).join("\n\n");
  expect(`\n${shown}\n`).toBe(`
Usage 1 Jun 2026 to 14 Jun 2026  org_sandbox · 14 days, UTC
compared with 18 May 2026 to 31 May 2026

Credits +16.9%, all seats used, pull requests +5.3%; credits per pull request
+11.1%.

  Credits        47,760,702  +16.9% from 40,839,564  3,411,479 a day
  Active users           40  ±0.0% from 40  of 40 users
  Sessions              927  +15.3% from 804  25,291 messages
  Tool calls         15,801  +17.2% from 13,486  1,361 hook runs
  Commits               810  +10.2% from 735  58 a day
  Pull requests         160  +5.3% from 152  11 a day

Adoption
  Active share of users         100.0%
  Idle seats                         0
  Daily active users                22  +9.9% from 20
  Active in the last 7 days         40  ±0.0% from 40
  Active in the last 30 days        40  ±0.0% from 40
  Used MCP (daily average)        6.14  −14.9% from 7.21
  Used the web (daily average)      11  +15.8% from 9.5

Credits by model and day  Peak on 10 Jun: 5,790,276 credits.
  5.79M    ▄▄                      ██ ▅▅
        ▇▇ ██    ██ ▄▄          ▁▁ ██ ██ ▄▄
        ██ ██ ██ ██ ██       ██ ██ ██ ██ ██
        ██ ██ ██ ██ ██       ██ ██ ██ ██ ██ ▁▁ ▂▂
      0 ██ ██ ██ ██ ██ ▂▂ ▅▅ ██ ██ ██ ██ ██ ██ ██
        1 Jun                               14 Jun

  model-large   18,031,095  37.8%  ████████████████████████████████████████
  model-small   16,454,682  34.5%  ████████████████████████████████████▌
  model-medium  13,274,925  27.8%  █████████████████████████████▌

Active users by client
  Terminal  █▇▇▇▆▁▂▆▆▇▇▆▁▂  average 17
  Web       ▇█▅▇▆▁▁▅▇▇▇▇▁▃  average 11
  Headless  ▇▆▆▆▆ ▁█▃█▇▄▂▃  average 5
`);
});

test("in a narrow terminal a remark has its own line, and no number is cut", async () => {
  const report = { ...(await sandboxReport("2026-05-16")), price: { perCredit: 1.5, currency: "EUR" } };
  const text = reportText(report, { columns: 50, isAscii: false, colors });
  expect(text).toMatch(/^Credits by model and day\n {2}Peak on 1[01] Jun: [\d,]+ credits\.\n/m);
  expect(text.split("\n").filter((line) => line.includes("…"))).toEqual([]);
  expect(text).toMatch(/^ {2}Cost per session +€[\d,.]+ {2}[−+±][\d.]+%$/m);
});

test("no line is wider than the terminal, whatever the names and numbers", () => {
  const long = listDays({ startDate: "2026-01-14", endDate: "2026-06-14" });
  const columns = fc.integer({ min: 40, max: 100 });
  const styles = fc.record({ columns, isAscii: fc.boolean(), colors: fc.constant(colors) });

  fc.assert(
    fc.property(
      creditsRows,
      toolRows,
      activityRows,
      styles,
      fc.boolean(),
      (credits, tools, activity, style, isLong) => {
        const own = isLong ? [...long] : days;
        const parts = { credits: summarizeCredits(credits, own), toolUse: summarizeToolUse(tools, own) };
        const report = { ...emptyReport, days: own, ...parts, activity: summarizeActivity(activity, own) };
        const lines = reportText(report, style).split("\n");
        expect(lines.filter((line) => countCells(line) > style.columns)).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

test("missing parts are named", () => {
  const people = buildCoverage({ failure: { reason: "403" } });
  const coverage = { credits: buildCoverage({ absentDays: ["2026-06-02"] }), people };
  const text = reportText({ ...emptyReport, coverage }, { columns: 80, isAscii: false, colors });
  expect(text).toContain("missing  Credits and tokens (2 of 3 days), Users (no data)");
});

test("a report has colours only if they are enabled", async () => {
  const report = await sandboxReport("2026-06-01");
  const style = { columns: 80, isAscii: false };
  const coloured = reportText(report, { ...style, colors: picocolors.createColors(true) });
  const plain = reportText(report, { ...style, colors });
  expect(plain).not.toContain("\u001b");
  expect(coloured).toContain("\u001b[36m");
  expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
});

describe("misbehaving", () => {
  /**
   * A misbehaving service, with a report's exit code, standard error and page. Incomplete data never passes as
   * complete. The period is 5 to 14 June, ten days.
   */

  const world = sharedServiceHome({ users: 4 });

  type Answers = Parameters<typeof startFront>[1];
  const isCurrent = (url: URL): boolean => url.searchParams.get("endDate") === "2026-06-14";

  /** Changes replies for the period of the report; those for the period before stay unchanged. */
  const now =
    (change: (reply: Reply, url: URL) => object): Change =>
    (reply, url) =>
      isCurrent(url) ? change(reply, url) : reply;
  const rows = (change: (data: readonly { date: string }[]) => readonly unknown[]): Change =>
    now(({ data, meta }) => ({ data: change(data), meta }));
  const meta = (change: object): Change => now((reply) => ({ ...reply, meta: { ...reply.meta, ...change } }));
  const thousand = (row: object) => ({ ...row, billable_tokens: 1000 });
  const from = (date: string) =>
    now(({ data, meta }) => ({ data: data.filter((row) => row.date >= date), meta: { ...meta, start_date: date } }));
  const seats = "organization/users";
  const moreSeats = { [seats]: (reply: Reply) => ({ ...reply, pagination: { hasMore: true } }) };
  const moreUsers = { users: meta({ has_more: true, next_cursor: "" }) };

  const nullNames: Change = (reply) => {
    const { users } = reply as unknown as { users: readonly object[] };
    return { ...reply, users: users.map((user) => ({ ...user, email: null, lastSignInAt: null })) };
  };
  /** Makes the reply for the later part of a 60-day period nonsense. */
  const brokenSlice: Change = now(() => ({ data: "?" }));
  /** Expected messages about a part, and the gap that its figure shows. */
  type Row = readonly [what: string, answers: Answers, exitCode: number, says: string, figure: string, shown: RegExp];
  const [credits, activity, users] = ["Credits and tokens", "Activity", "Users"];
  const more = (part: string, why: string) => `${part}: the service did not send everything (${why})`;
  const refused = (body: object): Answers => ({ [seats]: { status: 409, body } });
  const [noCredits, noSeats] = [["credits", /^Credits– no data $/] as const, ["idle_seats", /– no data/] as const];
  const unread = (part: string) => `${part}: 1 row could not be read and is not counted`;
  const detailed = { title: "Busy", detail: "Come again." };
  const other = { why: "Busy.", token: "canary" };
  const shownOther = 'The reply: {"why":"Busy.","token":"[secret]"}';
  const notInRole = "answered 403 Forbidden: Manager or Owner role required";
  const stray = rows((data) => [...data.map(thousand), { ...data[0], date: "2026-05-01" }]);
  const misfit = rows(([row, ...data]) => [{ ...row, by_model: 7 }, ...data.map(thousand)]);
  const misfitUser = rows(([row, ...data]) => [{ ...row, sessions: "x" }, ...data]);
  const nonsense = { status: 200, body: { data: "?" } };
  const notTheApi = "sent a reply that does not match the API, at data: ";
  const lackingTwo = rows((data) => data.slice(2).map(thousand));
  const clamped = meta({ start_date: "2026-06-06" });
  const commits = "Commits and pull requests: the service only has data for 6 Jun 2026 to 14 Jun 2026";
  const week = `${activity}: the service only has data for 8 Jun 2026 to 14 Jun 2026`;
  const twoDays = `${credits}: no data for 2 of 10 days (5–6 Jun)`;
  const oneDay = `${users}: no data for 1 of 10 days (5 Jun)`;
  const strayRow = `${credits}: 1 row for other days is not counted`;
  const table: readonly Row[] = [
    ["nothing", {}, 0, "", "credits", /^Credits3.17 M3,165,429 316,543 a day /],
    ["more users, empty cursor", moreUsers, 1, more(users, "empty cursor"), "active_users", /4 list incomplete/],
    ["more seats and no cursor", moreSeats, 1, more("Seats", "missing cursor"), "idle_seats", /0 list incomplete/],
    ["days absent", { tokens: lackingTwo }, 1, twoDays, "credits", /8,000 8 of 10 days, .* 1,000 a day/],
    ["no rows", { tokens: rows(() => []) }, 1, `${credits}: no data for 10 of 10 days (5–14 Jun)`, ...noCredits],
    ["a span clamped", { activity: from("2026-06-08") }, 1, week, "sessions", /40 7 of 10 days/],
    ["rows, but a clamped meta", { productivity: clamped }, 1, commits, "commits", /43 not all days/],
    ["users of fewer days", { users: from("2026-06-06") }, 1, oneDay, "active_users", /4 9 of 10 days/],
    ["a row for another day", { tokens: stray }, 0, strayRow, "credits", /^Credits10,000 .* 1,000 a day /],
    ["null in an optional field", { [seats]: nullNames }, 0, "", "idle_seats", /^Idle seats0 $/],
    ["an unfitting row", { tokens: misfit }, 1, unread(credits), "credits", /9,000 9 of 10 days, .* 1,000 a day/],
    ["a user's row that does not fit", { users: misfitUser }, 1, unread(users), "active_users", /4 without 1 row/],
    ["a reply that does not fit", { tools: nonsense }, 1, notTheApi, "tool_calls", /^Tool calls– no data $/],
    ["a refused request", { tokens: forbidden }, 1, notInRole, ...noCredits],
    ["a refused request for users", { users: forbidden }, 1, notInRole, "active_users", /– no data/],
    ["a slice of a long span that does not fit", { tokens: brokenSlice }, 1, `${credits}: missing: `, ...noCredits],
    ["{title, detail}", refused(detailed), 1, "answered 409 Busy: Come again", ...noSeats],
    ["another shape", refused(other), 1, "answered 409", ...noSeats],
    ["another shape, which is shown", refused(other), 1, shownOther, ...noSeats],
    ["a status of 5xx", { tokens: { status: 502, body: {} } }, 1, "answered 502", ...noCredits],
  ];

  test.each(table)("%s", async (what, answers, exitCode, says, figure, shown) => {
    const origin = await startFront(world.sandbox, answers);
    const since = what.includes("slice") ? "60d" : "10d";
    const result = await world.run(`report --since ${since} --out -`, {}, { BECKON_BASE_URL: origin });
    const [, notice = ""] = /<aside[^>]*>(.*?)<\/aside>/s.exec(result.stdout) ?? [];
    const [, tile = ""] = new RegExp(`id="figure-${figure}">(.*?)</div>`, "s").exec(result.stdout) ?? [];
    const [title, page] = [/<h2>(.*?)<\/h2>/.exec(notice)?.[1] ?? "", readHtmlText(notice)];
    const heading = exitCode === 1 ? "This report is incomplete" : says && "About this report";
    expect([result.exitCode, title]).toEqual([exitCode, heading]);
    expect(readHtmlText(tile.replaceAll("</dd>", " ")).replace(/\s+/g, " ")).toMatch(shown);
    expect(result.stderr).toMatch(says === "" ? /^$/ : /^beckon: /);
    // Standard error has the details of a failed request, the page says the same in plain words.
    const shownSays = /missing:/.test(page) ? "missing: the " : says;
    expect([result.stderr, page]).toEqual([expect.stringContaining(says), expect.stringContaining(shownSays)]);
    expect(page).not.toMatch(/\.\./);
    for (const secret of ["canary", keys.owner]) expect(`${result.stdout}${result.stderr}`).not.toContain(secret);
  });
});

describe("--team", () => {
  const shop = new Map([
    ["shop", ["ada@example.com", "bob@example.com"]],
    ["core", ["cy@example.com"]],
  ]);

  test.each([
    ["CSV with a header", "team,email\nshop,Ada@example.com\nshop, bob@example.com\ncore,cy@example.com\n"],
    ["CSV with another header", "Team,address\nshop,Ada@example.com\nshop, bob@example.com\ncore,cy@example.com\n"],
    ["CSV without a header", "shop,ada@example.com\nshop,bob@example.com\ncore,cy@example.com"],
    [
      "CSV with CRLF, a byte order mark, blank lines and comments",
      "\ufeffTeam,Email\r\n\r\n# the shop\r\nshop,ada@example.com\r\nshop,bob@example.com\r\ncore,cy@example.com\r\n",
    ],
    [
      "CSV with quotes and a repeated line",
      '"shop","ada@example.com"\nshop,ada@example.com\nshop,bob@example.com\ncore,cy@example.com\n',
    ],
    ["JSON lists by team", '{"shop": ["ada@example.com", "BOB@example.com"], "core": ["cy@example.com"]}'],
    [
      "a JSON list of objects",
      '[{"team":"shop","email":"ada@example.com"},{"team":"shop","email":"bob@example.com"},{"team":"core","email":"cy@example.com"}]',
    ],
  ])("%s is read", (_, text) => {
    expect(parseTeams(text, "teams")).toEqual(shop);
  });

  test("a team's name may contain a comma in quotes", () => {
    expect([...parseTeams('"tools, platform",a@b.c', "teams").keys()]).toEqual(["tools, platform"]);
  });

  test.each([
    ["no address", "shop,ada@example.com\nshop,bob", "teams, line 2: not a team and an e-mail address"],
    ["no team", ",ada@example.com", "teams, line 1: not a team and an e-mail address"],
    ["three columns", "shop,ada@example.com,x", "teams, line 1: not a team"],
    ["an open quote", 'shop,"ada@example.com', "teams is not CSV: "],
    ["an address in two teams", "shop,a@b.c\n\ncore,A@b.c", "teams, line 3: a@b.c is also in shop"],
    ["broken JSON", '{"shop": [', "teams is not valid JSON"],
    ["a team without a list", '{"shop": "a@b.c"}', "teams, shop: not a list of addresses"],
    ["an address that is no text", '{"shop": [7]}', "teams, shop, address 1: not a team"],
    ["an item that is no object", "[null]", "teams, item 1: not a team"],
    ["nothing", "team,email\n", "teams has no teams"],
  ])("a file with %s is refused, with the place and the forms", (_, text, says) => {
    expect(() => parseTeams(text, "teams")).toThrow(says);
  });

  test("a file that is missing or a folder is named", async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, "teams"));
    writeFileSync(join(folder, "good.csv"), "shop,a@b.c");
    await expect(readTeamFile(join(folder, "no.csv"))).rejects.toThrow("no.csv does not exist");
    await expect(readTeamFile(join(folder, "teams"))).rejects.toThrow("teams is a folder");
    expect(await readTeamFile(join(folder, "good.csv"))).toEqual(new Map([["shop", ["a@b.c"]]]));
  });
});

const euro = { perCredit: 0.01, currency: "EUR" };

describe("--budget", () => {
  test.each([
    ["credits", "3000000", undefined, 3_000_000],
    ["credits beside a price", "3000000", euro, 3_000_000],
    ["money at the price", "30000EUR", euro, 3_000_000],
    ["money with the currency in front, in small letters", "eur 30000", euro, 3_000_000],
  ])("takes %s", (_, text, price, credits) => {
    expect(parseBudget(text, price)).toEqual({ credits });
  });

  test.each([
    ["money without a price", "30000EUR", undefined, "--budget in money needs a price"],
    ["another currency than the price", "30000USD", euro, "--budget is in USD, and --price in EUR"],
    ["0", "0", undefined, "--budget must be an amount above 0"],
    ["a word", "lots", undefined, "--budget must be an amount above 0"],
    ["a negative amount", "-5", undefined, "--budget must be an amount above 0"],
  ])("refuses %s", (_, text, price, says) => {
    expect(() => parseBudget(text, price)).toThrow(says);
  });
});

describe("--sections", () => {
  test.each([
    ["the settings without the address of the web application", undefined, false, ["settings"]],
    ["readiness as well with it", undefined, true, ["readiness", "settings"]],
    ["none", "none", true, []],
    ["those named", "sessions, settings", true, ["sessions", "settings"]],
  ])("are %s", (_, text, hasAppUrl, expected) => {
    expect(parseSections(text, hasAppUrl)).toEqual(expected);
  });

  test.each(["people", "", "sessions,"])("%j is refused, with the names there are", (text) => {
    expect(() => parseSections(text, true)).toThrow("--sections does not know");
  });
});
