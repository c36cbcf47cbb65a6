import { otherModels } from "./credits.ts";
import { stepsOf } from "./period.ts";
import type { Plot, RankPlot, TimePlot } from "./plot.ts";
import { headOf, type Ranking } from "./ranking.ts";
import type { UsageReport } from "./report.ts";
import { type Series, sum } from "./series.ts";
import { counted, dayText, numberText, shareText, spanText } from "./format.ts";

const clientTitles: Readonly<Record<string, string>> = {
  "terminal-ui": "Terminal",
  web: "Web",
  "non-interactive-cli": "Headless",
};
const mostBars = 8;
const nothing = "None in this period.";

/** All plots that a report's parts allow, in the order they are read. */
export function plotsOf(report: UsageReport): Plot[] {
  return [
    ...creditPlots(report),
    ...activityPlots(report),
    ...productivityPlots(report),
    ...toolPlots(report),
    ...smallPlots(report),
  ];
}

function creditPlots({ credits, days }: UsageReport): Plot[] {
  if (credits === undefined) return [];
  const series = credits.modelsByDay.map((one) => ({
    ...one,
    note: `${numberText(one.total)} (${shareText(one.total, credits.total)})`,
    isRest: one.name === otherModels,
  }));
  const head = { id: "credits", title: "Credits by model and day", part: "credits", unit: "credits" } as const;
  const about = most(credits.byDay, days, "credits");
  return [overDays({ ...head, about, kind: "stacked" }, series, days)];
}

function activityPlots({ activity, days }: UsageReport): Plot[] {
  if (activity === undefined) return [];
  const average = (total: number): string => numberText(Math.round(total / Math.max(1, days.length)));
  const series = activity.byClient.map((one) => ({
    ...one,
    name: clientTitles[one.name] ?? one.name,
    note: `${average(one.total)} a day`,
  }));
  const head = { id: "clients", title: "Active users by client", part: "activity", unit: "users" } as const;
  const isLong = stepsOf(days).length < days.length;
  const about = "Somebody who works with several clients counts in each of them.";
  const means = isLong ? `${about} A week’s mark is the average of its days.` : about;
  const said = series.every(({ total }) => total === 0) ? nothing : means;
  // One day makes no line.
  return [overDays({ ...head, about: said, kind: days.length === 1 ? "grouped" : "lines" }, series, days, mean)];
}

function productivityPlots({ productivity, days }: UsageReport): Plot[] {
  if (productivity === undefined) return [];
  const { commits, pullRequests } = productivity;
  const series = [
    { ...commits, name: "Commits", note: numberText(commits.total) },
    { ...pullRequests, name: "Pull requests", note: numberText(pullRequests.total) },
  ];
  const files = `${counted(productivity.filesEdited, "files")} edited, ${numberText(productivity.filesCreated)} created.`;
  const about = commits.total === 0 && pullRequests.total === 0 ? `No commit, no pull request. ${files}` : files;
  const head = { id: "git", title: "Commits and pull requests", part: "productivity", unit: "" } as const;
  return [overDays({ ...head, about, kind: "grouped" }, series, days)];
}

function toolPlots({ toolUse, days }: UsageReport): Plot[] {
  if (toolUse === undefined) return [];
  const { autonomy, tools, hooks } = toolUse;
  const calls = sum(autonomy.map(({ total }) => total));
  const series = autonomy.map((one) => ({ ...one, note: shareText(one.total, calls) }));
  const means = "Share of tool calls by autonomy level, from hardly any confirmation to one for each action.";
  const about = calls === 0 ? nothing : means;
  const head = { id: "autonomy", title: "Autonomy", part: "toolUse", unit: "tool calls" } as const;
  return [
    overDays({ ...head, about, kind: "shares" }, series, days),
    ranked("tools", "Tools", "toolUse", "calls", tools),
    ranked("hooks", "Hooks", "toolUse", "runs", hooks),
  ];
}

/** Of these only those with something in them: nothing is lost by the others. */
function smallPlots({ toolUse, productivity }: UsageReport): Plot[] {
  const plots = [
    productivity && ranked("languages", "Files by language", "productivity", "files", productivity.languages),
    toolUse && ranked("mcp", "MCP servers", "toolUse", "calls", toolUse.mcpServers),
    toolUse && ranked("skills", "Skills", "toolUse", "uses", toolUse.skills),
    toolUse && ranked("commands", "Slash commands", "toolUse", "uses", toolUse.slashCommands),
  ];
  return plots.filter((plot) => plot !== undefined && plot.total > 0) as RankPlot[];
}

type Named = Series & { readonly note: string; readonly isRest?: boolean };

function overDays(
  head: Omit<TimePlot, "labels" | "ticks" | "series">,
  series: readonly Named[],
  days: readonly string[],
  together: (values: readonly number[]) => number = sum,
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
      values: steps.map(({ start, end }) => together(values.slice(start, end))),
      isRest,
    })),
  };
}

function mean(values: readonly number[]): number {
  return sum(values) / Math.max(1, values.length);
}

function ranked(id: string, title: string, part: RankPlot["part"], unit: string, ranking: Ranking): RankPlot {
  const { total, top, rest } = headOf(ranking, mostBars);
  const bars = top.map(({ name, count }) => ({ name, value: count }));
  const others = { name: `${rest.names} more`, value: rest.count, isRest: true };
  const about = total === 0 ? nothing : `${counted(total, unit)} in all.`;
  return { id, title, part, unit, kind: "ranking", about, total, bars: rest.names === 0 ? bars : [...bars, others] };
}

function most({ total, values }: Series, days: readonly string[], unit: string): string {
  const highest = values.reduce((best, value, n) => (value > (values[best] ?? 0) ? n : best), 0);
  if (total === 0) return nothing;
  return `Most on ${dayText(days[highest] ?? "")}: ${counted(values[highest] ?? 0, unit)}.`;
}
