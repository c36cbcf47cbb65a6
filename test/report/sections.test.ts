import { describe, expect, test } from "vitest";
import { toReportJson } from "../../src/cli/commands/service/report/run-report.ts";
import { compareRevisions } from "../../src/report/control-changes.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { buildPlots } from "../../src/report/plots.ts";
import { isComplete, type UsageReport } from "../../src/report/report.ts";
import { formatCell } from "../../src/report/section.ts";
import { buildSections } from "../../src/report/sections.ts";
import { buildSummary } from "../../src/report/summary.ts";
import { buildTables } from "../../src/report/tables.ts";
import { readHtmlText } from "../world/html-text.ts";
import { collectPlain, type Faults, fiveDays, type Row } from "./plain-service.ts";

const refused = { status: 403, body: { title: "Forbidden", detail: "Not your role.", requestId: "req_7" } };
const findSection = (report: UsageReport, id: string) => buildSections(report).find((section) => section.id === id);
const hiding = { listing: { top: 25, isNamed: false } };

/** Returns the cells of a section as text. */
function readRows(report: UsageReport, id: string): string[][] | undefined {
  const section = findSection(report, id);
  const currency = report.price?.currency;
  return section?.rows.map((cells) => section.columns.map((column, n) => formatCell(cells[n], column, currency)));
}

describe("readiness", () => {
  test("lists the latest evaluation of each repository, its worst criteria and the trend", async () => {
    const report = await collectPlain({}, fiveDays, { sections: ["readiness"] });
    expect(readRows(report, "readiness")).toEqual([
      ["git.example.com/shop", "3", "4", "75.0%", "+50.0 points", "12 Jun", "tests_exist 1/2"],
      ["git.example.com/api", "4", "4", "100.0%", "–", "10 Jun", ""],
    ]);
    expect(JSON.stringify(report)).not.toContain("secret");
  });

  test("counts a repository once for all spellings of its address, and has no share without criteria", async () => {
    const row = (repoUrl: string, day: number, report: object): Row => {
      return { reportId: `${repoUrl}${day}`, createdAt: Date.UTC(2026, 5, day), repoUrl, apps: {}, report };
    };
    const [half, none] = [0.5, 0].map((share) => ({ tests: { numerator: 4 * share, denominator: 4, rationale: "" } }));
    const rows = [
      row("git@git.example.com:team/a.git", 12, half ?? {}),
      row("https://user:tok_SECRET@git.example.com/team/a", 11, none ?? {}),
      row("ssh://git@GIT.example.com/team/A.git/", 10, none ?? {}),
      row("https://git.example.com/b", 9, {}),
      row("https://git.example.com/c", 9, none ?? {}),
    ];
    const report = await collectPlain({ "maturity-level-reports": () => rows }, fiveDays, { sections: ["readiness"] });
    expect(readRows(report, "readiness")).toEqual([
      ["git.example.com/c", "0", "4", "0.0%", "–", "9 Jun", "tests 0/4"],
      ["git.example.com/team/a", "2", "4", "50.0%", "+50.0 points", "12 Jun", "tests 2/4"],
      ["git.example.com/b", "–", "–", "–", "–", "9 Jun", ""],
    ]);
    expect(findSection(report, "readiness")?.about).toContain("Together they pass 2 of 8 checks.");
    expect(readRows(report, "criteria")).toEqual([["tests", "2", "2", "25.0%"]]);
    expect(JSON.stringify(report)).not.toContain("SECRET");
  });

  test("is requested only on demand", async () => {
    const report = await collectPlain({ "maturity-level-reports": refused, history: refused, sessions: refused });
    for (const part of ["readiness", "controls", "sessions"]) expect(report).not.toHaveProperty(part);
    expect(findGaps(report)).toEqual([]);
  });
});

test.each([
  ["readiness", "maturity-level-reports", "Readiness"],
  ["settings", "history", "Settings"],
  ["sessions", "sessions", "Sessions"],
] as const)("a section of %s that is refused says why, and the rest stays", async (name, path, title) => {
  const report = await collectPlain({ [path]: refused }, fiveDays, { sections: [name] });
  const says = "the key is not allowed to read these data (403 Forbidden: Not your role) (request req_7)";
  const id = name === "sessions" ? "costly-sessions" : name;
  expect(findSection(report, id)).toMatchObject({ gap: "no data", about: `Missing: ${says}.`, rows: [] });
  expect(readHtmlText(renderPage(report))).toContain(`${title}: missing: ${says}`);
  expect(findGaps(report).map(gapText)[0]).toContain(`${title}: missing: `);
  expect([isComplete(report), report.credits?.total]).toEqual([false, 30_000]);
});

describe("changes of settings", () => {
  test("are listed with old and new values, and marked in the plots over days", async () => {
    const report = await collectPlain({}, fiveDays, { sections: ["settings"] });
    const values = "wikiCloudSync: true → (none); sessionRetentionDays: (none) → 30";
    expect(readRows(report, "settings")).toEqual([
      ["1", "11 Jun", "wikiCloudSync, sessionRetentionDays", values, "u1@example.com", "3"],
      ["2", "13 Jun", "mcpPolicy", "mcpPolicy.enabled: true → false", "u1@example.com", "4"],
    ]);
    for (const plot of buildPlots(report)) {
      if (plot.kind === "ranking") continue;
      expect(plot.marks, plot.id).toEqual([
        { index: 1, label: "1", title: "11 Jun: settings changed, wikiCloudSync, sessionRetentionDays" },
        { index: 3, label: "2", title: "13 Jun: settings changed, mcpPolicy" },
      ]);
    }
    const page = renderPage(report);
    expect(page).toMatch(/<svg role="img" aria-label="Credits by model[^"]*13 Jun: settings changed, mcpPolicy\./);
    expect(page.match(/stroke-dasharray/g)?.length).toBeGreaterThanOrEqual(4);
  });

  test("never show secrets, nor any value if names are hidden", async () => {
    const settings = (apiKey: string) => ({ customModels: [{ id: "m", apiKey }], emails: ["ada@example.com"] });
    const history = (rows: Row[]): Row[] =>
      rows.map((row, n) => ({ ...row, settings: n === 0 ? settings("canary-1") : {} }));
    const report = await collectPlain({ history }, fiveDays, { sections: ["settings"] });
    expect(readRows(report, "settings")?.[1]?.[3]).toContain('customModels: (none) → [{"id":"m","apiKey":"[secret]"}]');
    expect(JSON.stringify(report)).not.toContain("canary");
    const hidden = await collectPlain({ history }, fiveDays, { sections: ["settings"], ...hiding });
    expect(JSON.stringify([hidden, buildSections(hidden)])).not.toMatch(/ada@|canary/);
  });

  test("of a week share a mark", async () => {
    const weeks = { startDate: "2026-04-01", endDate: "2026-06-14" };
    const report = await collectPlain({}, weeks, { sections: ["settings"] });
    const [credits] = buildPlots(report);
    const marks = credits?.kind === "ranking" ? [] : credits?.marks.map(({ label }) => label);
    expect(marks).toEqual(["1", "2", "3–4"]);
  });

  test("end the walk at the first one before the period", async () => {
    const more = (rows: Row[]): Row[] => [...rows, { ...rows.at(-1), revision: "unreadable" }];
    const whole = await collectPlain({ history: more }, fiveDays, { sections: ["settings"] });
    expect(whole.coverage.controls).toMatchObject({ brokenRows: 1, isComplete: false });
    expect(whole.controls?.changes).toHaveLength(2);
  });

  test("of the first revision are unknown, and a time that cannot be read is in no period", () => {
    const user = { id: "u1", email: "", name: "" };
    const rows = [
      { revision: 2, settings: { a: 2 }, user, updatedAt: "soon" },
      { revision: 1, settings: { a: 1 }, user, updatedAt: "2026-06-01T00:00:00Z" },
    ];
    expect(compareRevisions(rows)).toEqual([
      { revision: 1, day: "2026-06-01", by: "u1" },
      { revision: 2, day: "9999-12-31", by: "u1", settings: ["a"], changes: ["a: 1 → 2"] },
    ]);
  });
});

describe("sessions", () => {
  test("are ranked by credits with their child sessions; tags count own credits", async () => {
    const price = { perCredit: 0.5, currency: "EUR" };
    const report = await collectPlain({}, fiveDays, { sections: ["sessions"], price });
    expect(findSection(report, "costly-sessions")?.about).toBe(
      "Of 3 sessions started in the period, with their child sessions. The service gives no credits for 1 of them.",
    );
    expect(readRows(report, "costly-sessions")).toEqual([
      ["Task s2", "900", "€450.00", "14 Jun", "large", "c1", "release, docs"],
      ["Task s1", "100", "€50.00", "10 Jun", "large", "c1", "release"],
    ]);
    expect(readRows(report, "tags")).toEqual([
      ["release", "300", "€150.00"],
      ["docs", "200", "€100.00"],
    ]);
  });

  test("without a start are left out, and the section says so", async () => {
    const undated = (rows: Row[]): Row[] => rows.map(({ createdAt: _, ...row }) => row);
    const report = await collectPlain({ sessions: undated }, fiveDays, { sections: ["sessions"] });
    expect(findSection(report, "costly-sessions")?.about).toContain("4 sessions without a start are left out.");
  });
});

/** Lets u1 start and u3 stop with the period, and gives u2 ten times the credits. */
const shift = (rows: Row[]): Row[] =>
  rows.flatMap((row) => {
    const isNow = String(row["date"]) >= fiveDays.startDate;
    if (row["user_id"] === (isNow ? "u3" : "u1")) return [];
    return [isNow && row["user_id"] === "u2" ? { ...row, billable_tokens: 20_000 } : row];
  });

test("models are compared by day of data, with their cost and those no longer used", async () => {
  const model = (model_id: string, billable_tokens: number) => {
    return { model_id, model_tier: "standard", billable_tokens, input_tokens: 1, output_tokens: 1 };
  };
  const tokens = (rows: Row[]): Row[] =>
    rows.flatMap((row) => {
      const isNow = String(row["date"]) >= fiveDays.startDate;
      const models = isNow ? [model("large", 6000)] : [model("large", 2000), model("old", 4000)];
      return row["date"] === "2026-06-12" ? [] : [{ ...row, by_model: models }];
    });
  const report = await collectPlain({ tokens }, fiveDays, { price: { perCredit: 0.0007, currency: "EUR" } });
  expect(readRows(report, "by-model")).toEqual([
    ["large", "24,000", "€16.80", "100.0%", "+4,000"],
    ["old", "0", "€0.00", "0.0%", "−4,000"],
  ]);
  expect(findSection(report, "by-model")?.gap).toBe("4 of 5 days");
});

test("the page names idle seats, and shows each user's cost", async () => {
  const rows = (all: Row[]): Row[] => [...all, { id: "late", email: "late@example.com", lastSignInAt: "2026-01-01" }];
  const price = { perCredit: 0.0007, currency: "EUR" };
  const report = await collectPlain({ "organization/users": rows }, fiveDays, { price });
  expect(readRows(report, "idle-seats")).toEqual([
    ["idle@example.com", ""],
    ["late@example.com", "2026-01-01"],
  ]);
  const page = readHtmlText(renderPage(report));
  for (const text of ["late@example.com", "€10.50", "€21.00"]) expect(page).toContain(text);
  const table = buildTables(report).find(({ name }) => name === "users");
  expect(table?.rows[0]?.slice(6, 9)).toEqual([5, 10.5, "large"]);
});

test("plots say in words which weeks are partial, and leave them out of means", async () => {
  const report = await collectPlain({}, { startDate: "2026-04-02", endDate: "2026-06-14" });
  for (const plot of buildPlots(report)) {
    if (plot.kind === "ranking") continue;
    const isMean = plot.kind === "lines";
    expect(plot.about, plot.id).toContain(isMean ? "are left out." : "Pale bars are weeks");
    expect(plot.series[0]?.values[0] === null, plot.id).toBe(isMean);
    expect(plot.series[0]?.values[1], plot.id).not.toBeNull();
  }
  for (const plot of buildPlots(await collectPlain({}, { startDate: "2026-04-06", endDate: "2026-06-14" })))
    expect(plot.about).not.toMatch(/left out|Pale/);
});

describe("who changed", () => {
  test("counts new, returning and lost users, and lists risers and fallers by credits a day", async () => {
    const report = await collectPlain({ users: shift });
    expect(report.movement).toMatchObject({ newUsers: 1, returningUsers: 1, lostUsers: 1 });
    expect(readRows(report, "movement")).toEqual([
      ["u2@example.com", "20,000", "2,000", "+18,000"],
      ["u1@example.com", "1,000", "0", "+1,000"],
      ["u3@example.com", "0", "3,000", "−3,000"],
    ]);
  });

  test("shows no names if they are hidden", async () => {
    const report = await collectPlain({ users: shift }, fiveDays, hiding);
    expect(readRows(report, "movement")?.map(([name]) => name)).toEqual(["User 1", "User 2", "User 3"]);
    expect(JSON.stringify(toReportJson(report))).not.toContain("@example.com");
  });

  test.each<[string, Faults]>([
    ["the users are refused", { users: refused }],
    ["the service has no rows of users", { users: () => [] }],
  ])("is left out if %s", async (_, faults) => {
    expect((await collectPlain(faults)).movement).toBeUndefined();
  });

  test("compares days with data, and names the gap", async () => {
    const later = (rows: Row[]): Row[] =>
      rows.filter((row) => String(row["date"]) > "2026-06-12" || String(row["date"]) < "2026-06-10");
    const report = await collectPlain({ users: later });
    expect(findSection(report, "movement")).toMatchObject({ gap: "2 of 5 days", rows: [] });
    expect(findSection(report, "movement")?.about).toMatch(/^Days are missing, so new and lost users are unknown\. /);
    expect(Object.keys(report.movement ?? {})).toEqual(["risers", "fallers"]);
  });
});

describe("teams", () => {
  const members = { shop: ["u1@example.com", "u2@example.com"], core: ["idle@example.com", "ghost@example.com"] };
  const teams = new Map(Object.entries(members));

  test("have the sums of their members, the change, users without a team and unknown addresses", async () => {
    const report = await collectPlain({ users: shift }, fiveDays, { teams });
    expect(readRows(report, "by-team")).toEqual([
      ["shop", "2", "2", "105,000", "100.0%", "+19,000", "30", "720", "15", "10"],
      ["core", "2", "0", "0", "0.0%", "±0", "0", "0", "0", "0"],
      ["No team", "0", "0", "0", "0.0%", "−3,000", "0", "0", "0", "0"],
    ]);
    const plain = await collectPlain({}, fiveDays, { teams });
    expect(findSection(plain, "by-team")?.about).toBe(
      "1 user in no team (u3@example.com). 1 address of the file is unknown to the service (ghost@example.com).",
    );
    const total = plain.people?.totals.credits;
    const parts = [...(plain.teams?.teams ?? []), plain.teams?.withoutTeam].map((team) => team?.credits ?? 0);
    expect(parts.reduce((sum, value) => sum + value, 0)).toBe(total);
  });

  test("show no addresses if names are hidden", async () => {
    const report = await collectPlain({}, fiveDays, { teams, ...hiding });
    const about = "1 user in no team. 1 address of the file is unknown to the service.";
    expect(findSection(report, "by-team")).toMatchObject({ about });
    expect(JSON.stringify(toReportJson(report))).not.toContain("@example.com");
  });

  test("are compared by day if days are missing", async () => {
    const fewer = (rows: Row[]): Row[] => rows.filter((row) => !/0[6789]$/.test(String(row["date"])));
    const report = await collectPlain({ users: fewer }, fiveDays, { teams });
    const [, change] = [0, 5].map((n) => readRows(report, "by-team")?.map((cells) => cells[n]));
    expect(change).toEqual(["±0", "±0", "±0"]);
    expect(report.teams?.teams[0]).toMatchObject({ creditsPerDay: 3000, creditsPerDayBefore: 3000 });
  });

  test("find addresses in any case", async () => {
    const upper = (rows: Row[]): Row[] =>
      rows.map((row) => ({ ...row, user_email: String(row["user_email"]).toUpperCase() }));
    const report = await collectPlain({ users: upper }, fiveDays, { teams });
    expect(report.teams).toMatchObject({ withoutTeam: { users: 1 }, unknown: 1 });
  });
});

describe("budget", () => {
  const budget = { credits: 150_000 };

  test("compares the month so far, and forecasts its end at the mean of the last 28 days", async () => {
    const price = { perCredit: 0.01, currency: "USD" };
    const report = await collectPlain({}, fiveDays, { budget, price });
    expect(report.budget).toMatchObject({ used: 84_000, daily: 6000, dailyDays: 28, forecast: 180_000, absentDays: 0 });
    expect(readRows(report, "budget")).toEqual([
      ["Budget", "150,000", "$1,500.00", "100.0%"],
      ["Used until 14 Jun", "84,000", "$840.00", "56.0%"],
      ["Forecast for 30 Jun", "180,000", "$1,800.00", "120.0%"],
    ]);
    const about = findSection(report, "budget")?.about;
    expect(about).toContain("6,000 credits a day, the month ends 20.0% over the budget.");
    expect(about).toContain("The budget would last until 25 Jun.");
  });

  test("requests only days that the report lacks", async () => {
    const seen: string[] = [];
    const noting = (rows: Row[]): Row[] => {
      seen.push(`${rows[0]?.["date"]} ${rows.at(-1)?.["date"]}`);
      return rows;
    };
    await collectPlain({ tokens: noting }, fiveDays, { budget });
    expect(seen).toEqual(["2026-06-10 2026-06-14", "2026-06-05 2026-06-09", "2026-05-18 2026-06-04"]);
    seen.length = 0;
    const month = { startDate: "2026-05-16", endDate: "2026-06-14" };
    await collectPlain({ tokens: noting }, month, { budget });
    expect(seen).toEqual(["2026-05-16 2026-06-14", "2026-04-16 2026-05-15"]);
  });

  test("counts absent days of the month at the mean, and says so", async () => {
    const gap = (rows: Row[]): Row[] => rows.filter((row) => row["date"] !== "2026-06-12");
    const report = await collectPlain({ tokens: gap }, fiveDays, { budget });
    expect(report.budget).toMatchObject({ used: 78_000, absentDays: 1, dailyDays: 27, forecast: 180_000 });
    expect(findSection(report, "budget")).toMatchObject({ gap: "1 day of the month absent" });
  });

  test("that is used up names the day; one that suffices names none", async () => {
    const small = await collectPlain({}, fiveDays, { budget: { credits: 12_000 } });
    expect(findSection(small, "budget")?.about).toContain("The budget was used up on 2 Jun.");
    const large = await collectPlain({}, fiveDays, { budget: { credits: 360_000 } });
    expect(large.budget?.usedUpOn).toBeUndefined();
    expect(findSection(large, "budget")?.about).toContain("the month ends 50.0% under the budget.");
  });

  test("of a month before the first day with data counts from that day", async () => {
    const first = { startDate: "2026-01-14", endDate: "2026-01-20" };
    const report = await collectPlain({}, first, { budget });
    expect(report.budget).toMatchObject({ used: 42_000, dailyDays: 7, absentDays: 13, forecast: 186_000 });
  });

  test("without credits says why", async () => {
    const report = await collectPlain({ tokens: refused }, fiveDays, { budget });
    expect(findSection(report, "budget")?.about).toContain("Missing: the key is not allowed");
  });
});

describe("the summary", () => {
  test("says in one sentence how credits, seats and pull requests changed", async () => {
    const report = await collectPlain({ tokens: (rows) => rows.map((row) => double(row)) });
    expect(buildSummary(report)).toEqual({
      sentence: "Credits +100.0%, 1 of 4 seats idle, pull requests ±0.0%; credits per pull request +100.0%.",
      remark: "Changes since 5 Jun 2026 to 9 Jun 2026. Some data is missing, as noted.",
    });
  });

  test.each<[string, Faults, string]>([
    ["all users are active", { "organization/users": (rows) => rows.slice(0, 3) }, "all seats used"],
    ["the pull requests are refused", { productivity: refused }, "no data on pull requests"],
    ["no user of the organization is known", { "organization/users": refused }, "Credits ±0.0%, pull requests ±0.0%;"],
  ])("is honest if %s", async (_, faults, says) => {
    expect(buildSummary(await collectPlain(faults)).sentence).toContain(says);
  });

  test("without a period before gives values instead of changes", async () => {
    const first = { startDate: "2026-01-14", endDate: "2026-01-18" };
    expect(buildSummary(await collectPlain({}, first))).toEqual({
      sentence: "Credits 30,000, 1 of 4 seats idle, pull requests 15; credits per pull request 2,000.",
      remark: "There is no period before to compare with.",
    });
  });
});

const double = (row: Row): Row =>
  String(row["date"]) < fiveDays.startDate ? row : { ...row, billable_tokens: Number(row["billable_tokens"]) * 2 };

test("page, JSON and CSV have the same sections and figures", async () => {
  const teams = new Map([["shop", ["u1@example.com"]]]);
  const all = { sections: ["readiness", "settings", "sessions"], budget: { credits: 1000 }, teams } as const;
  const report = await collectPlain({ users: shift }, fiveDays, all);
  const overview = ["budget", "by-model", "by-team", "idle-seats", "movement"];
  const ids = [...overview, "costly-sessions", "tags", "readiness", "criteria", "settings"];
  expect(buildSections(report).map(({ id }) => id)).toEqual(ids);
  expect(buildTables(report).map(({ name }) => name)).toEqual(expect.arrayContaining([...ids, "user-changes"]));
  const page = renderPage(report);
  for (const id of ids) expect(page, id).toContain(`id="${id}"`);
  const json = JSON.parse(JSON.stringify(toReportJson(report)));
  expect(json).toMatchObject(JSON.parse(JSON.stringify(report)));
  const compared = { value: 30_000, previous: 30_000, change: 0, basis: "value" };
  expect(json.figures[0]).toEqual({ id: "credits", ...compared, missing: expect.any(String) });
  expect(json.differences[0].text).toContain("credits of all users add up to");
});
