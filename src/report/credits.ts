import type { CreditsByModelRow } from "../service/schemas/credits-row.ts";
import { headOf, type Ranking, rankingOf, shownName } from "./ranking.ts";
import { type Series, seriesOf } from "./series.ts";

/** Standard Credits and tokens of the period. */
export interface Credits {
  readonly total: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly byDay: Series;
  readonly byModel: Ranking;
  /** The most used models, most first, and where there are more of them a last one for all others. */
  readonly modelsByDay: readonly Series[];
}

/** So many models have a colour of their own. */
const ownModels = 6;
export const otherModels = "other models";

/** Adds up `/tokens?group_by=model`: rows of these days. */
export function creditsOf(rows: readonly CreditsByModelRow[], days: readonly string[]): Credits {
  const total = (name: string, measure: (row: CreditsByModelRow) => number) => seriesOf(name, rows, days, measure);
  const byDay = total("credits", (row) => row.billable_tokens);
  const byModel = rankingOf(rows.map((row) => [row.group_key, row.billable_tokens]));
  return {
    total: byDay.total,
    inputTokens: total("input", (row) => row.input_tokens).total,
    outputTokens: total("output", (row) => row.output_tokens).total,
    byDay,
    byModel,
    modelsByDay: modelsByDay(rows, days, byModel),
  };
}

function modelsByDay(rows: readonly CreditsByModelRow[], days: readonly string[], byModel: Ranking): Series[] {
  const { top, rest } = headOf(byModel, ownModels);
  const place = new Map(top.map(({ name }, n) => [name, n]));
  const parts: CreditsByModelRow[][] = top.map(() => []);
  const others: CreditsByModelRow[] = [];
  for (const row of rows) (parts[place.get(shownName(row.group_key)) ?? -1] ?? others).push(row);
  const series = (name: string, part: readonly CreditsByModelRow[]) =>
    seriesOf(name, part, days, (row) => row.billable_tokens);
  const own = top.map(({ name }, n) => series(name, parts[n] ?? []));
  return rest.names === 0 ? own : [...own, series(otherModels, others)];
}
