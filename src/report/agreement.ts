import { numberText } from "./format.ts";
import type { PartName, PeriodUsage } from "./report.ts";
import { sum } from "./series.ts";

/** Total that the service gives, and a sum over users, models or tools that should equal it but differs. */
export interface Disagreement {
  /** Ids of the figures made from the total. */
  readonly figures: readonly string[];
  /** Part of the report that is made from the items. */
  readonly part: PartName;
  /** Ids of the plots that are made from the items. */
  readonly plots: readonly string[];
  /** Unit of both sums, in the plural. */
  readonly unit: string;
  /** Items that should add up to the total: users, models or tools. */
  readonly items: string;
  readonly total: number;
  readonly itemsTotal: number;
}

/** Greatest difference that needs no note, as a share of the greater sum. */
const maxDifference = 0.005;

/** A total and a sum that should be equal, without their values. */
export type Subject = Omit<Disagreement, "total" | "itemsTotal">;
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

/** Lists each total that a sum over users should equal, with its unit, its figure, and the daily values of both. */
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

/**
 * Finds the sums of users, models and tools that differ from the totals of the same days by more than 0.5%.
 * @param isWanted chooses the sums to compare; default: all
 */
export function findDisagreements(
  usage: PeriodUsage,
  isWanted: (subject: Subject) => boolean = () => true,
): Disagreement[] {
  const { credits, toolUse } = usage;
  const byUser = pairUserSums(usage).flatMap(([unit, figure, { values = [] } = {}, own = []]): Disagreement[] => {
    const subject: Subject = { figures: [figure], part: "people", plots: [], unit, items: "users" };
    if (!isWanted(subject)) return [];
    const common = own.flatMap((value, index) => (value === null || (values[index] ?? null) === null ? [] : [index]));
    const total = sum(common.map((index) => values[index] ?? 0));
    return [{ ...subject, total, itemsTotal: sum(common.map((index) => own[index] ?? 0)) }];
  });
  const byItem = [
    ...(credits ? [{ ...modelSums, total: credits.total, itemsTotal: credits.byModel.total }] : []),
    ...(toolUse ? [{ ...toolSums, total: toolUse.calls.total, itemsTotal: toolUse.tools.total }] : []),
  ];
  return [...byUser, ...byItem.filter(isWanted)].filter(differs);
}

function differs({ total, itemsTotal }: Disagreement): boolean {
  return Math.abs(total - itemsTotal) > maxDifference * Math.max(Math.abs(total), Math.abs(itemsTotal));
}

/** Formats a disagreement as a sentence without full stop. */
export function describeDisagreement({ unit, items, total, itemsTotal }: Disagreement): string {
  return `${unit} of all ${items} add up to ${numberText(itemsTotal)}, but the total is ${numberText(total)}`;
}

/** Formats the notes of a figure whose total differs from a sum. Users and models with the same sum share a note. */
export function formatTotalNotes(usage: PeriodUsage, figure: string): string[] {
  const sums = new Map<string, string[]>();
  const isOwn = ({ figures }: Subject): boolean => figures.includes(figure);
  for (const { items, unit, itemsTotal } of findDisagreements(usage, isOwn)) {
    const text = `${numberText(itemsTotal)} ${unit}`;
    sums.set(text, [...(sums.get(text) ?? []), items]);
  }
  return [...sums].map(([text, items]) => `sum of ${items.join(" and ")}: ${text}`);
}

/** Formats the notes of a list or plot whose items do not add up to the total. */
export function formatItemNotes(usage: PeriodUsage, isShown: (subject: Subject) => boolean): string[] {
  return findDisagreements(usage, isShown).map(({ unit, total }) => `total: ${numberText(total)} ${unit}`);
}
