import { groupBy } from "../core/group-by.ts";
import type { Span } from "./day.ts";
import { computeFigures, type Figures } from "./figures.ts";
import type { Story } from "./story.ts";
import type { Wait } from "./waits.ts";

/** Figures for one project or one agent. */
export interface Share extends Figures {
  readonly name: string;
  /** Number of sessions with events. */
  readonly sessions: number;
  /** Number of tokens that the sessions used, without cache reads; undefined if unknown. */
  readonly tokens: number | undefined;
  readonly credits: number | undefined;
}

/** Computes the figures for each project or agent with data in a span. The longest waiting time comes first. */
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
    const ownWaits = waits.filter((item) => item[by] === name);
    return {
      name,
      sessions: new Set(ownStories.filter(isIn).map(({ session }) => session)).size,
      ...computeFigures(ownStories, ownWaits, span),
      tokens: sumUsage(ownStories, "tokens", span),
      credits: sumUsage(ownStories, "credits", span),
    };
  });
  return shares.sort((a, b) => b.waitedMs - a.waitedMs || (a.name < b.name ? -1 : 1));
}

/**
 * Adds up the tokens or credits that sessions used in a span. Events report a running total for their session, so the
 * total before the span is subtracted. Undefined if no event in the span reports a total.
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
