import type { ProductivityRow } from "../service/schemas/productivity-row.ts";
import { type Ranking, rankingOf } from "./ranking.ts";
import { type Series, seriesOf } from "./series.ts";

/** What came out of it. */
export interface Productivity {
  readonly commits: Series;
  readonly pullRequests: Series;
  readonly filesCreated: number;
  readonly filesEdited: number;
  /** Files by language. */
  readonly languages: Ranking;
}

/** Adds up `/productivity`: rows of these days. */
export function productivityOf(rows: readonly ProductivityRow[], days: readonly string[]): Productivity {
  const series = (name: string, measure: (row: ProductivityRow) => number) => seriesOf(name, rows, days, measure);
  return {
    commits: series("commits", (row) => row.git_commits),
    pullRequests: series("pull requests", (row) => row.git_prs_created),
    filesCreated: series("files created", (row) => row.files_created).total,
    filesEdited: series("files edited", (row) => row.files_edited).total,
    languages: rankingOf(rows.flatMap((row) => row.by_language.map(({ language, count }) => [language, count]))),
  };
}
