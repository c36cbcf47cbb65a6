import { counted, dayText, numberText, perDayText, shareText, spanText } from "./format.ts";
import { otherModels } from "./parts.ts";
import { stepsOf } from "./period.ts";
import type { Plot, RankPlot, TimePlot } from "./plot.ts";
import { headOf, type Ranking } from "./ranking.ts";
import type { ReportParts, UsageReport } from "./report.ts";
import { type Series, sum } from "./series.ts";

const clientTitles: Readonly<Record<string, string>> = {
  "terminal-ui": "Terminal",
  web: "Web",
  "non-interactive-cli": "Headless",
};
const maxBars = 8;
/** The sentence for a plot or table without data. */
export const noneInPeriod = "None in this period.";

/** All plots for the parts that the report has, in reading order. */
export function plotsOf({ credits, activity, productivity, toolUse, days }: UsageReport): Plot[] {
  const rankings = [
    productivity && ranked("languages", "Files by language", "files", productivity.languages),
    toolUse && ranked("mcp", "MCP servers", "calls", toolUse.mcpServers),
    toolUse && ranked("skills", "Skills", "uses", toolUse.skills),
    toolUse && ranked("commands", "Slash commands", "uses", toolUse.slashCommands),
  ];
  const plots = [
    credits && creditsPlot(credits, days),
    activity && clientsPlot(activity, days),
    productivity && commitsPlot(productivity, days),
    toolUse && autonomyPlot(toolUse, days),
    toolUse && ranked("tools", "Tools", "calls", toolUse.tools),
    toolUse && ranked("hooks", "Hooks", "runs", toolUse.hooks),
    ...rankings.filter((plot) => plot !== undefined && plot.total > 0), // these are left out when they are empty
  ];
  return plots.filter((plot) => plot !== undefined);
}

function creditsPlot({ modelsByDay, total, byDay }: ReportParts["credits"], days: readonly string[]): TimePlot {
  const series = modelsByDay.map((one) => ({
    ...one,
    note: `${numberText(one.total)} (${shareText(one.total, total)})`,
    isRest: one.name === otherModels,
  }));
  const head = { id: "credits", title: "Credits by model and day", unit: "credits" };
  return overDays({ ...head, about: peakText(byDay, days, "credits"), kind: "stacked" }, series, days);
}

function clientsPlot({ byClient }: ReportParts["activity"], days: readonly string[]): TimePlot {
  const series = byClient.map((one) => ({
    ...one,
    name: clientTitles[one.name] ?? one.name,
    note: perDayText(one.total, days),
  }));
  const head = { id: "clients", title: "Active users by client", unit: "users" };
  const isLong = stepsOf(days).length < days.length;
  const explanation = "A user of several clients counts in each of them.";
  const means = isLong ? `${explanation} Weeks show the average of their days.` : explanation;
  const about = series.every(({ total }) => total === 0) ? noneInPeriod : means;
  // A single day makes no line.
  return overDays({ ...head, about, kind: days.length === 1 ? "grouped" : "lines" }, series, days, mean);
}

function commitsPlot(productivity: ReportParts["productivity"], days: readonly string[]): TimePlot {
  const { commits, pullRequests } = productivity;
  const series = [
    { ...commits, name: "Commits", note: numberText(commits.total) },
    { ...pullRequests, name: "Pull requests", note: numberText(pullRequests.total) },
  ];
  const files = `${counted(productivity.filesEdited, "files")} edited, ${numberText(productivity.filesCreated)} created.`;
  const about = commits.total === 0 && pullRequests.total === 0 ? `No commits or pull requests. ${files}` : files;
  return overDays({ id: "git", title: "Commits and pull requests", unit: "", about, kind: "grouped" }, series, days);
}

function autonomyPlot({ autonomy }: ReportParts["toolUse"], days: readonly string[]): TimePlot {
  const calls = sum(autonomy.map(({ total }) => total));
  const series = autonomy.map((one) => ({ ...one, note: shareText(one.total, calls) }));
  const means = "Share of tool calls by autonomy level, from the fewest confirmations to one for every action.";
  const about = calls === 0 ? noneInPeriod : means;
  return overDays({ id: "autonomy", title: "Autonomy", unit: "tool calls", about, kind: "shares" }, series, days);
}

type Named = Series & { readonly note: string; readonly isRest?: boolean };

function overDays(
  head: Omit<TimePlot, "labels" | "ticks" | "series">,
  series: readonly Named[],
  days: readonly string[],
  combine: (values: readonly number[]) => number = sum,
): TimePlot {
  const steps = stepsOf(days);
  const dayAt = (n: number): string => days[n] ?? "";
  return {
    ...head,
    title: steps.length < days.length ? head.title.replace(/day$/, "week") : head.title,
    labels: steps.map(({ start, end }) => spanText(dayAt(start), dayAt(end - 1))),
    ticks: steps.map(({ start }) => dayText(dayAt(start))),
    series: series.map(({ name, note, values, isRest = false }) => ({
      name,
      note,
      values: steps.map(({ start, end }) => combine(values.slice(start, end))),
      isRest,
    })),
  };
}

function mean(values: readonly number[]): number {
  return sum(values) / Math.max(1, values.length);
}

function ranked(id: string, title: string, unit: string, ranking: Ranking): RankPlot {
  const { total, top, rest } = headOf(ranking, maxBars);
  const bars = top.map(({ name, count }) => ({ name, value: count }));
  const others = { name: `${rest.names} more`, value: rest.count, isRest: true };
  const about = total === 0 ? noneInPeriod : `${counted(total, unit)} in total.`;
  return { id, title, unit, kind: "ranking", about, total, bars: rest.names === 0 ? bars : [...bars, others] };
}

function peakText({ total, values }: Series, days: readonly string[], unit: string): string {
  const highest = values.reduce((best, value, n) => (value > (values[best] ?? 0) ? n : best), 0);
  if (total === 0) return noneInPeriod;
  return `Peak on ${dayText(days[highest] ?? "")}: ${counted(values[highest] ?? 0, unit)}.`;
}
