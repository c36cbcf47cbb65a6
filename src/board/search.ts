import { setImmediate as turn } from "node:timers/promises";
import { findLines } from "../journal/find-lines.ts";
import { formatPlace, type JournalLine } from "../journal/journal-line.ts";
import { buildStories, isShown, type Story } from "./story.ts";

/** Filters for the log; empty texts match everything. */
export interface LogQuery {
  /** Words that a line of an event must contain, ignoring case. */
  readonly words: string;
  readonly kind: string;
  readonly project: string;
  readonly agent: string;
}

/** Tells if a query has any filter. */
export function hasCriteria({ words, kind, project, agent }: LogQuery): boolean {
  return [words.trim(), kind, project, agent].some((text) => text !== "");
}

/** Tells if an event matches the kind, project and agent of a query. */
export function matchesQuery(
  { kind, project, agent }: LogQuery,
  story: Pick<Story, "kind" | "project" | "agent">,
): boolean {
  return (
    (kind === "" || story.kind === kind) &&
    (project === "" || story.project === project) &&
    (agent === "" || story.agent === agent)
  );
}

/**
 * Finds the newest events with a line that contains all words, at most `limit`, newest first, in the whole journal.
 * Each event has only its matching lines. Yields to other work of the process.
 */
export async function searchJournal(folder: string, query: LogQuery, limit: number, signal?: AbortSignal) {
  const words = query.words.split(/\s+/).filter(Boolean);
  const ids = new Set<string>();
  const found: JournalLine[] = [];
  for (const lines of findLines(folder, [...words, query.kind, ...query.project.split("@"), query.agent])) {
    for (const line of lines) {
      const { kind = "info", agent = "" } = line;
      const isMatch =
        matchesQuery(query, { kind: kind as Story["kind"], project: formatPlace(line), agent }) &&
        isShown({ event: line.event ?? "", hasBegun: true });
      if (!isMatch || (ids.size >= limit && !ids.has(line.id))) continue;
      ids.add(line.id);
      found.push(line);
    }
    if (ids.size >= limit || signal?.aborted) break;
    await turn();
  }
  return buildStories(found.reverse()).reverse();
}
