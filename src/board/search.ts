import { setImmediate as turn } from "node:timers/promises";
import { findLines } from "../journal/find-lines.ts";
import { type JournalLine, placeOf } from "../journal/journal-line.ts";
import { isShown, type Story, storiesOf } from "./story.ts";

/** What is asked of the log; empty texts ask for nothing. */
export interface LogQuery {
  /** Words that one line of an event must have, in any case. */
  readonly words: string;
  readonly kind: string;
  readonly project: string;
  readonly agent: string;
}

/** Whether a query asks for anything. */
export function isAsking({ words, kind, project, agent }: LogQuery): boolean {
  return [words.trim(), kind, project, agent].some((text) => text !== "");
}

/** Whether an event is of the kind, project and agent that are asked for. */
export function isAbout({ kind, project, agent }: LogQuery, story: Pick<Story, "kind" | "project" | "agent">): boolean {
  return (
    (kind === "" || story.kind === kind) &&
    (project === "" || story.project === project) &&
    (agent === "" || story.agent === agent)
  );
}

/**
 * The newest events with a line that has all words, at most `limit`, newest first, of all the journal. Each has of its
 * lines those with the words. Other work of the process goes on meanwhile.
 */
export async function searchJournal(folder: string, query: LogQuery, limit: number, signal?: AbortSignal) {
  const words = query.words.split(/\s+/).filter(Boolean);
  const ids = new Set<string>();
  const found: JournalLine[] = [];
  for (const lines of findLines(folder, [...words, query.kind, ...query.project.split("@"), query.agent])) {
    for (const line of lines) {
      const { kind = "info", agent = "" } = line;
      const isMeant =
        isAbout(query, { kind: kind as Story["kind"], project: placeOf(line), agent }) &&
        isShown({ event: line.event ?? "", hasBegun: true });
      if (!isMeant || (ids.size >= limit && !ids.has(line.id))) continue;
      ids.add(line.id);
      found.push(line);
    }
    if (ids.size >= limit || signal?.aborted) break;
    await turn();
  }
  return storiesOf(found.reverse()).reverse();
}
