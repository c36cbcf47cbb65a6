import { expect, test } from "vitest";
import { computeFigures } from "../../src/report/figures.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { isComplete, type UsageReport } from "../../src/report/report.ts";
import { useCliHome } from "../world/cli-home.ts";
import { collectPlain, type Faults, type Row, runPlain } from "./plain-service.ts";

/** Multiplies a number of every row. */
const scale = (field: string, factor: number) => (rows: Row[]) =>
  rows.map((row) => ({ ...row, [field]: Number(row[field]) * factor }));
const readGap = (report: UsageReport, id: string) => computeFigures(report).find((figure) => figure.id === id)?.gap;

test("credits of users that differ from the total are noted at both, and in the notice", async () => {
  const report = await collectPlain({ users: scale("billable_tokens", 0.5) });
  expect(readGap(report, "credits")).toBe("sum of users: 15,000 credits");
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
  expect(readGap(report, "credits")).toBe("sum of users and models: 30,000 credits");
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
  expect(readGap(await collectPlain(faults), id)).toBe(note);
});

test("a difference of up to 0.5% is not noted", async () => {
  const noted: number[] = [];
  for (const factor of [1, 0.9951, 1.0049, 0.994, 1.006])
    if (readGap(await collectPlain({ users: scale("billable_tokens", factor) }), "credits") !== "") noted.push(factor);
  expect(noted).toEqual([0.994, 1.006]);
});

test("days that only one of the two has are left out of the comparison", async () => {
  const later = (rows: Row[]): Row[] => rows.filter((row) => String(row["date"]) > "2026-06-11");
  expect(readGap(await collectPlain({ users: later }), "credits")).toBe("");
  expect(readGap(await collectPlain({ tokens: later }), "credits")).toBe("3 of 5 days");
});

const home = useCliHome();

test("sums that differ are reported on standard error; the exit code stays 0, because no data is missing", async () => {
  const { exitCode, stderr } = await runPlain(home, { users: scale("billable_tokens", 0.5) }, "--json");
  expect(exitCode).toBe(0);
  expect(stderr).toContain("beckon: Users: credits of all users add up to 15,000, but the total is 30,000");
});
