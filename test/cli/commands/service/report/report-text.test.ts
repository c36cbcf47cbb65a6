import fc from "fast-check";
import picocolors from "picocolors";
import { expect, test } from "vitest";
import { cellsOf } from "../../../../../src/cli/columns.ts";
import { reportText } from "../../../../../src/cli/commands/service/report/report-text.ts";
import { collect } from "../../../../../src/report/collect.ts";
import { coverageOf } from "../../../../../src/report/coverage.ts";
import { activityOf, creditsOf, toolUseOf } from "../../../../../src/report/parts.ts";
import { daysOf } from "../../../../../src/report/period.ts";
import { activityRows, creditsRows, days, emptyReport, toolRows } from "../../../../report/rows.ts";
import { clientOf, noonMs, openSandbox } from "../../../../world/service/client.ts";

const colors = picocolors.createColors(false);
async function sandboxReport(startDate: string) {
  return collect(clientOf(await openSandbox({ users: 40 })), { startDate, endDate: "2026-06-14" }, { nowMs: noonMs });
}

test("a report fits into 80 columns", async () => {
  const text = reportText(await sandboxReport("2026-06-01"), { columns: 80, isAscii: false, colors });
  const shown = text
    .split("\n\n")
    .filter((_, n) => [0, 1, 3, 6, 7, 8].includes(n))
    .join("\n\n");
  expect(`\n${shown}\n`).toBe(`
Usage 1 Jun 2026 to 14 Jun 2026  org_sandbox · 14 days, UTC
compared with 18 May 2026 to 31 May 2026

  Credits        47,760,702  +16.9% from 40,839,564  3,411,479 a day
  Active users           40  ±0.0% from 40  of 40 users
  Sessions              927  +15.3% from 804  25,291 messages
  Tool calls         15,801  +17.2% from 13,486  1,361 hook runs
  Commits               810  +10.2% from 735  58 a day
  Pull requests         160  +5.3% from 152  11 a day

Adoption
  Active of all users  100.0%
  Idle seats                0
  Active on a day          22  +9.9% from 20
  Active in a week         40  ±0.0% from 40
  Active in a month        40  ±0.0% from 40
  With MCP on a day      6.14  −14.9% from 7.21
  On the web on a day      11  +15.8% from 9.5

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
  Terminal  █▇▇▇▆▁▂▆▆▇▇▆▁▂  17 a day
  Web       ▇█▅▇▆▁▁▅▇▇▇▇▁▃  11 a day
  Headless  ▇▆▆▆▆ ▁█▃█▇▄▂▃  5 a day
`);
});

test("for a terminal without Unicode a report is ASCII, and no line is too long", async () => {
  const text = reportText(await sandboxReport("2026-05-16"), { columns: 48, isAscii: true, colors });
  expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  expect(text).toContain("Read");
  expect(text).toMatch(/ #{5,}$/m);
});

test("where there is little room a remark has its own line, and no number is cut", async () => {
  const report = { ...(await sandboxReport("2026-05-16")), price: { perCredit: 1.5, currency: "EUR" } };
  const text = reportText(report, { columns: 50, isAscii: false, colors });
  expect(text).toMatch(/^Credits by model and day\n {2}Peak on 1[01] Jun: [\d,]+ credits\.\n/m);
  expect(text.split("\n").filter((line) => line.includes("…"))).toEqual([]);
  expect(text).toMatch(/^ {2}Cost per session +€[\d,.]+ {2}[−+±][\d.]+%$/m);
});

test("no line is longer than the terminal is wide, whatever the names and numbers", () => {
  const long = daysOf({ startDate: "2026-01-14", endDate: "2026-06-14" });
  const styles = fc.record({
    columns: fc.integer({ min: 40, max: 100 }),
    isAscii: fc.boolean(),
    colors: fc.constant(colors),
  });
  fc.assert(
    fc.property(
      creditsRows,
      toolRows,
      activityRows,
      styles,
      fc.boolean(),
      (credits, tools, activity, style, isLong) => {
        const own = isLong ? [...long] : days;
        const report = {
          ...emptyReport,
          days: own,
          credits: creditsOf(credits, own),
          toolUse: toolUseOf(tools, own),
          activity: activityOf(activity, own),
        };
        const lines = reportText(report, style).split("\n");
        expect(lines.filter((line) => cellsOf(line) > style.columns)).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

test("missing parts are named", () => {
  const coverage = {
    credits: coverageOf({ absentDays: ["2026-06-02"] }),
    people: coverageOf({ failure: { reason: "403" } }),
  };
  const text = reportText({ ...emptyReport, coverage }, { columns: 80, isAscii: false, colors });
  expect(text).toContain("missing  Credits and tokens (2 of 3 days), Users (no data)");
});

test("a report has colours only where they are enabled", async () => {
  const report = await sandboxReport("2026-06-01");
  const style = { columns: 80, isAscii: false };
  const coloured = reportText(report, { ...style, colors: picocolors.createColors(true) });
  const plain = reportText(report, { ...style, colors });
  expect(plain).not.toContain("\u001b");
  expect(coloured).toContain("\u001b[36m");
  expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
});
