import { numberText } from "./format.ts";
import type { PartName, PeriodUsage } from "./report.ts";
import { sum } from "./series.ts";

/** Two sums of the service that should be equal and differ. */
export interface Disagreement {
  /** Ids of the figures made from the first sum. */
  readonly figures: readonly string[];
  /** Part and plots made from the second sum. */
  readonly part: PartName;
  readonly plots: readonly string[];
  /** Unit, in the plural. */
  readonly unit: string;
  /** Name of the items of the second sum. */
  readonly items: string;
  readonly total: number;
  readonly itemsTotal: number;
}

/** Greatest difference that needs no note, as a share of the greater sum. */
const maxDifference = 0.005;

type Subject = Omit<Disagreement, "total" | "itemsTotal">;
const modelSums: Subject = {
  figures: ["credits"],
  part: "credits",
  plots: ["credits", "tiers"],
  unit: "credits",
  items: "models",
};
const toolSums: Subject = {
  figures: ["tool_calls"],
  part: "toolUse",
  plots: ["tools"],
  unit: "tool calls",
  items: "tools",
};

/** Lists the sums over users that should equal a total: unit, figure made from the total, and both by day. */
function pairUserSums({ credits, activity, toolUse, productivity, people }: PeriodUsage) {
  const days = people?.byDay;
  return [
    ["credits", "credits", credits?.byDay, days?.credits],
    ["sessions", "sessions", activity?.sessions, days?.sessions],
    ["messages", "sessions", activity?.messages, days?.messages],
    ["tool calls", "tool_calls", toolUse?.calls, days?.toolCalls],
    ["commits", "commits", productivity?.commits, days?.commits],
    ["pull requests", "pull_requests", productivity?.pullRequests, days?.pullRequests],
  ] as const;
}

/** Finds the sums of users, models and tools that differ from the totals of the same days by more than 0.5%. */
export function findDisagreements(usage: PeriodUsage): Disagreement[] {
  const { credits, toolUse } = usage;
  const byUser = pairUserSums(usage).flatMap(([unit, figure, { values = [] } = {}, own = []]): Disagreement[] => {
    const common = own.flatMap((value, index) => (value === null || (values[index] ?? null) === null ? [] : [index]));
    const total = sum(common.map((index) => values[index] ?? 0));
    const itemsTotal = sum(common.map((index) => own[index] ?? 0));
    return [{ figures: [figure], part: "people", plots: [], unit, items: "users", total, itemsTotal }];
  });
  const all = [
    ...byUser,
    ...(credits ? [{ ...modelSums, total: credits.total, itemsTotal: credits.byModel.total }] : []),
    ...(toolUse ? [{ ...toolSums, total: toolUse.calls.total, itemsTotal: toolUse.tools.total }] : []),
  ];
  return all.filter(differs);
}

function differs({ total, itemsTotal }: Disagreement): boolean {
  return Math.abs(total - itemsTotal) > maxDifference * Math.max(Math.abs(total), Math.abs(itemsTotal));
}

/** Formats a disagreement as a sentence without full stop. */
export function describeDisagreement({ unit, items, total, itemsTotal }: Disagreement): string {
  return `${unit} of all ${items} add up to ${numberText(itemsTotal)}, but the total is ${numberText(total)}`;
}

/** Formats the notes at a figure made from the total; users and models with the same sum share a note. */
export function formatTotalNotes(usage: PeriodUsage, figure: string): string[] {
  const sums = new Map<string, string[]>();
  for (const { figures, items, unit, itemsTotal } of findDisagreements(usage)) {
    if (!figures.includes(figure)) continue;
    const text = `${numberText(itemsTotal)} ${unit}`;
    sums.set(text, [...(sums.get(text) ?? []), items]);
  }
  return [...sums].map(([text, items]) => `sum of ${items.join(" and ")}: ${text}`);
}

/** Formats the notes at a list or plot of the items. */
export function formatItemNotes(usage: PeriodUsage, isShown: (disagreement: Disagreement) => boolean): string[] {
  return findDisagreements(usage)
    .filter(isShown)
    .map(({ unit, total }) => `total: ${numberText(total)} ${unit}`);
}
