import fc from "fast-check";
import { expect, test } from "vitest";
import { summarizeActivity, summarizeCredits } from "../../src/report/parts.ts";
import { listDays } from "../../src/report/period.ts";
import { buildPlots, type Plot, type TimePlot } from "../../src/report/plots.ts";
import type { UsageReport } from "../../src/report/report.ts";
import {
  activityRows,
  creditsRow,
  creditsRows,
  days,
  emptyReport,
  productivityRows,
  sumBy,
  summarizeRows,
  toolRows,
  userRows,
} from "./rows.ts";

const rowsOfParts = { credits: creditsRows, activity: activityRows, tools: toolRows };
const reports: fc.Arbitrary<UsageReport> = fc
  .record({ ...rowsOfParts, productivity: productivityRows, users: userRows })
  .map(summarizeRows);

const plotNamed = (plots: readonly Plot[], id: string): Plot | undefined => plots.find((plot) => plot.id === id);
const sumOfPlot = (plot: Plot | undefined): number => {
  if (plot === undefined) return 0;
  if (plot.kind === "ranking") return sumBy(plot.bars, ({ value }) => value);
  return sumBy(plot.series, ({ values }) => sumBy(values, (value) => value ?? 0));
};

test("the values of the plots add up to the report's totals", () => {
  const property = fc.property(reports, (report) => {
    const plots = buildPlots(report);
    expect(sumOfPlot(plotNamed(plots, "credits"))).toBe(report.credits?.total);
    expect(sumOfPlot(plotNamed(plots, "tools"))).toBe(report.toolUse?.tools.total);
    expect(sumOfPlot(plotNamed(plots, "hooks"))).toBe(report.toolUse?.hooks.total);
    const { commits, pullRequests } = report.productivity ?? { commits: { total: 0 }, pullRequests: { total: 0 } };
    expect(sumOfPlot(plotNamed(plots, "git"))).toBe(commits.total + pullRequests.total);
    expect(sumOfPlot(plotNamed(plots, "clients"))).toBe(sumBy(report.activity?.byClient ?? [], ({ total }) => total));
    for (const plot of plots) {
      if (plot.kind !== "ranking")
        for (const { values } of plot.series) expect(values).toHaveLength(plot.labels.length);
    }
  });
  fc.assert(property, { numRuns: 100 });
});

test("a long period is plotted by weeks, without losing a value", () => {
  const long = listDays({ startDate: "2026-02-01", endDate: "2026-06-01" });
  const rows = long.map((date, index) => creditsRow(date, "m", index));
  const credits = summarizeCredits(rows, long);
  const [plot] = buildPlots({ ...emptyReport, days: long, credits });
  expect(plot).toMatchObject({ title: "Credits by model and week" });
  expect(plot?.kind === "stacked" && plot.labels.slice(0, 2)).toEqual(["1 Feb (1 of 7 days)", "2–8 Feb"]);
  expect(sumOfPlot(plot)).toBe(credits.total);
});

test("active users are averaged by week in a long period, and are bars for a single day", () => {
  const row = { daily_active_users: 0, weekly_active_users: 0, monthly_active_users: 0, sessions: 0, messages: 0 };
  const rows = (own: readonly string[]) =>
    own.map((date, index) => ({ ...row, date, user_messages: 0, daily_active_users_by_client: { web: index } }));
  const long = listDays({ startDate: "2026-02-02", endDate: "2026-06-01" });
  const [plot] = buildPlots({ ...emptyReport, days: long, activity: summarizeActivity(rows(long), long) });
  expect(plot?.kind === "lines" && plot.series[0]?.values.slice(0, 2)).toEqual([3, 10]);
  const day = [days[0]];
  const single = { ...emptyReport, days: day, activity: summarizeActivity(rows(day), day) };
  expect(buildPlots(single)[0]?.kind).toBe("grouped");
});

test("a missing part has no plot, and the others stay", () => {
  const [report] = fc.sample(reports, { numRuns: 1, seed: 4 }) as [UsageReport];
  const { credits: _, ...rest } = report;
  const others = buildPlots(report).filter(({ id }) => id !== "credits" && id !== "tiers");
  expect(buildPlots(rest).map(({ id }) => id)).toEqual(others.map(({ id }) => id));
  expect(buildPlots(emptyReport)).toEqual([]);
});

test("plots without data say so", () => {
  const { people: _, ...parts } = summarizeRows({});
  const plots = buildPlots(parts);
  const none = plots.filter(({ about }) => about === "None in this period.");
  expect(none.map(({ id }) => id).join(" ")).toBe("credits clients adoption reach autonomy ratio tools hooks");
  expect(plotNamed(plots, "git")?.about).toBe("No commits or pull requests. 0 files edited, 0 created.");
});

test("a week with missing days is partial, as is one that the period cuts", () => {
  const long = listDays({ startDate: "2026-02-02", endDate: "2026-06-02" });
  const there = long.filter((day) => day !== "2026-02-11" && (day < "2026-02-16" || day > "2026-02-22"));
  const rows = there.map((day) => creditsRow(day, "m", 1));
  const credits = summarizeCredits(rows, long);
  const [plot] = buildPlots({ ...emptyReport, days: long, credits }) as [TimePlot];
  expect(plot.labels.slice(0, 3)).toEqual(["2–8 Feb", "9–15 Feb (6 of 7 days)", "16–22 Feb (0 of 7 days)"]);
  expect(plot.isPartial.slice(0, 4)).toEqual([false, true, true, false]);
  expect(plot.series[0]?.values.slice(0, 3)).toEqual([7, 6, null]);
  expect([plot.labels.at(-1), plot.isPartial.at(-1)]).toEqual(["1–2 Jun (2 of 7 days)", true]);
});
