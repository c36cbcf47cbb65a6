import { groupBy } from "../core/group-by.ts";
import type { Span } from "./day.ts";
import { computeFigures, type Figures } from "./figures.ts";
import type { Story } from "./story.ts";
import type { Wait } from "./waits.ts";

/** Figures of a project or an agent. */
export interface Share extends Figures {
  readonly name: string;
  /** Sessions with events. */
  readonly sessions: number;
  /** Tokens used by its sessions, without cache reads, if reported. */
  readonly tokens: number | undefined;
  readonly credits: number | undefined;
}

/** Computes the figures of each project or agent with data in a span, by descending waiting time, then by name. */
export function computeShares(
  by: "project" | "agent",
  stories: readonly Story[],
  waits: readonly Wait[],
  span: Span,
): Share[] {
  const isIn = ({ atMs }: Story): boolean => atMs >= span.startMs && atMs < span.endMs;
  const waited = waits.filter(({ startMs, endMs }) => startMs < span.endMs && endMs >= span.startMs);
  const names = new Set([...stories.filter(isIn), ...waited].map((item) => item[by]));
  const shares = [...names].map((name): Share => {
    const ownStories = stories.filter((item) => item[by] === name);
    const figures = computeFigures(
      ownStories,
      waits.filter((item) => item[by] === name),
      span,
    );
    const sessions = new Set(ownStories.filter(isIn).map(({ session }) => session)).size;
    return {
      name,
      sessions,
      ...figures,
      tokens: sumUsage(ownStories, "tokens", span),
      credits: sumUsage(ownStories, "credits", span),
    };
  });
  return shares.sort((a, b) => b.waitedMs - a.waitedMs || (a.name < b.name ? -1 : 1));
}

/**
 * Computes the use of sessions in a span, from counts that grow over a session: each session's last count less its
 * count before the span, or 0 if unknown. Undefined without counts.
 */
function sumUsage(ownStories: readonly Story[], key: "tokens" | "credits", span: Span): number | undefined {
  const counted = ownStories.filter((item) => item[key] !== undefined && item.atMs < span.endMs);
  const sessions = [...groupBy(counted, ({ session }) => session).values()].map((all) => {
    const before = all.findLast(({ atMs }) => atMs < span.startMs)?.[key] ?? 0;
    const last = all.findLast(({ atMs }) => atMs >= span.startMs)?.[key];
    return last === undefined ? undefined : Math.max(0, last - before);
  });
  const known = sessions.filter((used) => used !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}
