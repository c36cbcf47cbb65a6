import { groupBy } from "../core/group-by.ts";
import type { Span } from "./day.ts";
import { type Figures, figuresOf } from "./figures.ts";
import type { Story } from "./story.ts";
import type { Wait } from "./waits.ts";

/** What a project, or an agent, came to. */
export interface Share extends Figures {
  readonly name: string;
  /** Sessions of which something was heard. */
  readonly sessions: number;
  /** What its sessions used, where they say so; tokens without what was read from a cache. */
  readonly tokens: number | undefined;
  readonly credits: number | undefined;
}

/**
 * The figures of each project or agent of which something is known in a span: those that waited longest first, then by
 * name.
 */
export function sharesOf(
  by: "project" | "agent",
  stories: readonly Story[],
  waits: readonly Wait[],
  span: Span,
): Share[] {
  const isIn = ({ atMs }: Story): boolean => atMs >= span.startMs && atMs < span.endMs;
  const names = new Set([...stories.filter(isIn), ...waits.filter((one) => isWithin(one, span))].map((one) => one[by]));
  const shares = [...names].map((name): Share => {
    const own = stories.filter((one) => one[by] === name);
    const figures = figuresOf(
      own,
      waits.filter((one) => one[by] === name),
      span,
    );
    const sessions = new Set(own.filter(isIn).map(({ session }) => session)).size;
    return { name, sessions, ...figures, tokens: usedIn(own, "tokens", span), credits: usedIn(own, "credits", span) };
  });
  return shares.sort((a, b) => b.waitedMs - a.waitedMs || (a.name < b.name ? -1 : 1));
}

function isWithin({ startMs, endMs }: Span, span: Span): boolean {
  return startMs < span.endMs && endMs >= span.startMs;
}

/**
 * What sessions used in a span, of counts that grow over a session: what each had at its end more than before. Of a
 * session that was not heard of before, all. Undefined where nobody counts.
 */
function usedIn(own: readonly Story[], key: "tokens" | "credits", span: Span): number | undefined {
  const counted = own.filter((one) => one[key] !== undefined && one.atMs < span.endMs);
  const sessions = [...groupBy(counted, ({ session }) => session).values()].map((all) => {
    const before = all.findLast(({ atMs }) => atMs < span.startMs)?.[key] ?? 0;
    const last = all.findLast(({ atMs }) => atMs >= span.startMs)?.[key];
    return last === undefined ? undefined : Math.max(0, last - before);
  });
  const known = sessions.filter((used) => used !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0);
}
