import { buildMarks } from "./control-changes.ts";
import { countText, dayText, meanText, numberText, ratioText, shareText, spanText } from "./format.ts";
import { formatItemsGap } from "./gaps.ts";
import { otherModels } from "./parts.ts";
import { buildSteps, type Step } from "./period.ts";
import { type Ranking, takeTop } from "./ranking.ts";
import type { PartName, PeriodUsage, ReportParts } from "./report.ts";
import type { Section } from "./section.ts";
import { average, computeMean, countDays, type Series, sum } from "./series.ts";

const clientTitles: Readonly<Record<string, string>> = {
  "terminal-ui": "Terminal",
  web: "Web",
  "non-interactive-cli": "Headless",
};
const maxBars = 8;

/** Makes all plots for the parts of a period, in reading order. */
export function buildPlots(usage: PeriodUsage): Plot[] {
  const { credits, activity, productivity, toolUse, days } = usage;
  const users = activity && activityPlots(activity, days);
  const plots: readonly (readonly [PartName, readonly (PlotContent | undefined)[]])[] = [
    ["credits", [credits && creditsPlot(credits, days)]],
    ["activity", [users?.clients]],
    ["productivity", [productivity && commitsPlot(productivity, days)]],
    ["activity", [users?.adoption]],
    ["toolUse", toolUse ? toolPlots(toolUse, days) : []],
    ["credits", [optional("tiers", "Credits by model tier", "credits", credits?.byTier)]],
    [
      "productivity",
      [
        optional("languages", "Files by language", "files", productivity?.languages),
        optional("extensions", "Files by extension", "files", productivity?.extensions),
      ],
    ],
    [
      "toolUse",
      [
        optional("mcp", "MCP servers", "calls", toolUse?.mcpServers),
        optional("skills", "Skills", "uses", toolUse?.skills),
        optional("commands", "Slash commands", "uses", toolUse?.slashCommands),
      ],
    ],
  ];
  return plots.flatMap(([part, contents]) =>
    contents.flatMap((plot): Plot | [] => {
      if (plot === undefined) return [];
      const gap = formatItemsGap(usage, part, ({ plots: ids }) => ids.includes(plot.id));
      return plot.kind === "ranking" ? { ...plot, gap } : { ...plot, gap, marks: buildMarks(usage) };
    }),
  );
}

function activityPlots(activity: ReportParts["activity"], days: readonly string[]) {
  const clients = activity.byClient.map((entry) => ({ ...entry, name: clientTitles[entry.name] ?? entry.name }));
  const byDay = { Daily: activity.activeUsers, "Last 7 days": activity.weeklyActiveUsers };
  const users = rename({ ...byDay, "Last 30 days": activity.monthlyActiveUsers });
  const each = "A user of several clients counts in each.";
  const active = "Users active on each day, and in the 7 and 30 days up to it.";
  return {
    clients: usersPlot({ id: "clients", title: "Active users by client", about: each }, clients, days),
    adoption: usersPlot({ id: "adoption", title: "Active users", about: active }, users, days),
  };
}

function toolPlots(toolUse: ReportParts["toolUse"], days: readonly string[]): PlotContent[] {
  const reach = rename({ "MCP servers": toolUse.mcpUsers, Web: toolUse.webUsers });
  const about = "Users of MCP servers and of the web interface by day.";
  return [
    usersPlot({ id: "reach", title: "Users of MCP and web", about }, reach, days),
    autonomyPlot(toolUse, days),
    ratioPlot(toolUse, days),
    ranked("tools", "Tools", "calls", toolUse.tools),
    ranked("hooks", "Hooks", "runs", toolUse.hooks),
  ];
}

/** Lists series under other names. */
function rename(series: Readonly<Record<string, Series>>): Series[] {
  return Object.entries(series).map(([name, entry]) => ({ ...entry, name }));
}

/** Plots a ranking unless it is empty. */
function optional(id: string, title: string, unit: string, ranking: Ranking | undefined) {
  return ranking && ranking.total > 0 ? ranked(id, title, unit, ranking) : undefined;
}

function creditsPlot(
  { modelsByDay, byModel: { total } }: ReportParts["credits"],
  days: readonly string[],
): Content<TimePlot> {
  const series = modelsByDay.map((entry) => ({
    ...entry,
    note: `${numberText(entry.total)} (${shareText(entry.total, total)})`,
    isRest: entry.name === otherModels,
  }));
  const values = days.map((_, index) => sum(modelsByDay.map((entry) => entry.values[index] ?? 0)));
  const head = { id: "credits", title: "Credits by model and day", unit: "credits" };
  return overDays({ ...head, about: peakText({ total, values }, days, "credits"), kind: "stacked" }, series, days);
}

/** Plots users by day. A user may be active on several days, so weeks and notes show means instead of sums. */
function usersPlot(
  head: Pick<TimePlot, "id" | "title" | "about">,
  series: readonly Series[],
  days: readonly string[],
): Content<TimePlot> {
  const note = (entry: Series): string =>
    days.length === 1 ? numberText(entry.total) : `average ${meanText(entry.total, countDays(entry))}`;
  const noted = series.map((entry) => ({ ...entry, note: note(entry) }));
  return overDays({ ...head, unit: "users", kind: "lines" }, noted, days);
}

/** Plots each day's ratio, and notes the mean of the ratios. The report's figure divides sums, so it may differ. */
function ratioPlot(toolUse: ReportParts["toolUse"], days: readonly string[]): Content<TimePlot> {
  const { autonomyAvg, autonomyP50, autonomyP90 } = toolUse;
  const byDay = { "daily average": autonomyAvg, "daily median": autonomyP50, "daily 90th pct.": autonomyP90 };
  const noted = rename(byDay).map((entry) => ({ ...entry, note: ratioText(computeMean(entry) ?? 0) }));
  const about = "Tool calls per message of a user; next to each name, the mean of its days.";
  return overDays(
    { id: "ratio", title: "Tool calls per prompt", unit: "tool calls", about, kind: "lines" },
    noted,
    days,
  );
}

function commitsPlot(productivity: ReportParts["productivity"], days: readonly string[]): Content<TimePlot> {
  const { commits, pullRequests, filesEdited, filesCreated } = productivity;
  const named = rename({ Commits: commits, "Pull requests": pullRequests });
  const series = named.map((entry) => ({ ...entry, note: numberText(entry.total) }));
  const about = `${countText(filesEdited.total, "files")} edited, ${numberText(filesCreated.total)} created.`;
  const head = { id: "git", title: "Commits and pull requests", unit: "", about, kind: "grouped" } as const;
  const plot = overDays(head, series, days);
  return plot.about === noneInPeriod ? { ...plot, about: `No commits or pull requests. ${about}` } : plot;
}

function autonomyPlot({ autonomy }: ReportParts["toolUse"], days: readonly string[]): Content<TimePlot> {
  const calls = sum(autonomy.map(({ total }) => total));
  const series = autonomy.map((entry) => ({ ...entry, note: shareText(entry.total, calls) }));
  const about = "Share of tool calls by autonomy level, from few confirmations to one for every action.";
  const head = { id: "autonomy", title: "Autonomy levels", unit: "tool calls", about, kind: "shares" } as const;
  return overDays(head, series, days);
}

/** Plots series over days or weeks. A week has the sum of its days, or in a plot of lines their mean. */
function overDays(
  { kind, ...head }: Omit<TimePlot, "gap" | "marks" | "labels" | "ticks" | "isPartial" | "series">,
  series: readonly (Series & { readonly note: string; readonly isRest?: boolean })[],
  days: readonly string[],
): Content<TimePlot> {
  const isLines = kind === "lines";
  const steps = buildSteps(days);
  const valuesIn = ({ values }: Series, { start, end }: Step): number[] =>
    values.slice(start, end).filter((value) => value !== null);
  const dayCounts = steps.map((step) => Math.max(0, ...series.map((entry) => valuesIn(entry, step).length)));
  const dayAt = (index: number): string => days[index] ?? "";
  const isPartial = steps.map(({ length }, index) => length > 1 && (dayCounts[index] ?? 0) < length);
  // Weekends differ, so the mean of a part of a week would look like growth.
  const isLeftOut = isLines && isPartial.includes(false);
  const partial = isLeftOut
    ? "Weeks without data for all seven days are left out."
    : "Pale bars are weeks without data for all seven days.";
  const isEmpty = series.every(({ total }) => total === 0);
  const remarks = [
    isLines && steps.length < days.length && "Weeks show the average of their days.",
    isPartial.includes(true) && partial,
  ];
  return {
    ...head,
    kind: isLines && days.length === 1 ? "grouped" : kind, // a line needs two days
    about: isEmpty ? noneInPeriod : [head.about, ...remarks].filter(Boolean).join(" "),
    title: formatTitle(head.title, steps.length, days.length),
    labels: steps.map(({ start, end, length }, index) => {
      const span = spanText(dayAt(start), dayAt(end - 1));
      return isPartial[index] ? `${span} (${dayCounts[index]} of ${length} days)` : span;
    }),
    ticks: steps.map(({ start }) => dayText(dayAt(start))),
    isPartial,
    series: series.map((entry) => ({
      name: entry.name,
      note: entry.note,
      values: steps.map((step, index) => {
        const values = valuesIn(entry, step);
        return values.length === 0 || (isLeftOut && isPartial[index]) ? null : (isLines ? average : sum)(values);
      }),
      isRest: entry.isRest ?? false,
    })),
  };
}

/**
 * Adapts a title that ends in "day": writes "week" if marks are weeks, and drops "and day" if there is only one day.
 */
function formatTitle(title: string, steps: number, days: number): string {
  if (days === 1) return title.replace(/ and day$/, "");
  return steps < days ? title.replace(/day$/, "week") : title;
}

function ranked(id: string, title: string, unit: string, ranking: Ranking): Content<RankPlot> {
  const { total, top, rest } = takeTop(ranking, maxBars);
  const bars = top.map(({ name, count }) => ({ name, value: count }));
  const others = { name: `${rest.names} more`, value: rest.count, isRest: true };
  const about = total === 0 ? noneInPeriod : `${countText(total, unit)} in total.`;
  return { id, title, unit, kind: "ranking", about, total, bars: rest.names === 0 ? bars : [...bars, others] };
}

function peakText({ total, values }: Pick<Series, "total" | "values">, days: readonly string[], unit: string): string {
  const highest = values.reduce((best: number, value, index) => ((value ?? 0) > (values[best] ?? 0) ? index : best), 0);
  if (days.length === 1) return `${countText(total, unit)}.`;
  return `Peak on ${dayText(days[highest] ?? "")}: ${countText(values[highest] ?? 0, unit)}.`;
}

/** Sentence for a plot or table without data. */
export const noneInPeriod = "None in this period.";

interface PlotHead extends Pick<Section, "title" | "gap"> {
  /** Id of the plot's card on the page. */
  readonly id: string;
  /** Sentence that says what is counted, or what stands out. */
  readonly about: string;
  /** Unit of a value, in the plural. */
  readonly unit: string;
}

/** Series of a plot, such as a model, a client type or an autonomy level. */
export interface PlotSeries {
  readonly name: string;
  /** Total or average of the period, formatted. */
  readonly note: string;
  /** Values for the plot's labels; null if the service has no data. */
  readonly values: readonly (number | null)[];
  /** True for the series that sums up everything without a series of its own. */
  readonly isRest?: boolean;
}

/** Line across a plot at a day or week in which settings changed. */
export interface PlotMark {
  /** Index of the label at which the line is drawn. */
  readonly index: number;
  /** Numbers of the changes in the list of changes: `3`, or `3–5`. */
  readonly label: string;
  readonly title: string;
}

/** Values over days or weeks. */
export interface TimePlot extends PlotHead {
  /** Type of plot. `shares` are stacked bars of equal height: one series for each level, in the order of the levels. */
  readonly kind: "stacked" | "grouped" | "lines" | "shares";
  /** Label of each day or week; a partial week's label has the number of its days with data. */
  readonly labels: readonly string[];
  /** True for each week with data for fewer than seven days. */
  readonly isPartial: readonly boolean[];
  /** Lines for changes of settings. */
  readonly marks: readonly PlotMark[];
  /** Short labels for the axis: the day, or the first day of the week. */
  readonly ticks: readonly string[];
  readonly series: readonly PlotSeries[];
}

/** Values by name, greatest first. */
export interface RankPlot extends PlotHead {
  readonly kind: "ranking";
  readonly bars: readonly { readonly name: string; readonly value: number; readonly isRest?: boolean }[];
  /** Sum over all names, including those without a bar. */
  readonly total: number;
}

/** Plot without its gap and lines, which are added later. */
type Content<Kind extends Plot> = Omit<Kind, "gap" | "marks">;
type PlotContent = Content<TimePlot> | Content<RankPlot>;

/** Content of a plot, which the page and the terminal draw in different ways. */
export type Plot = TimePlot | RankPlot;
