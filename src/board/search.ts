import { setImmediate as turn } from "node:timers/promises";
import { formatPlace, type JournalLine } from "../journal/journal-line.ts";
import { findLines } from "../journal/read-journal.ts";
import { buildStories, isShown, type Story } from "./story.ts";

/** Filters for the event log. An empty filter matches everything. */
export interface LogQuery {
  /** Words that one journal line of an event must contain, in upper or lower case. */
  readonly words: string;
  readonly kind: string;
  readonly project: string;
  readonly agent: string;
}

/** Tells if an event matches a query's kind, project and agent. */
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
 * Searches the whole journal for lines that contain all words. Returns the newest `limit` events with such lines,
 * newest first, each with its matching lines only. Lets other work of the process run in between.
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
