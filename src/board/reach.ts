import { groupBy } from "../core/group-by.ts";
import { type JournalLine, lostLines, lostStatuses } from "../journal/journal-line.ts";
import type { Span } from "./day.ts";
import { isHold } from "./story.ts";

/** Whether what was for the person reached them by one notifier. */
export interface Reach {
  readonly notifier: string;
  /** Messages sent. */
  readonly sent: number;
  /** Events whose message was held back for a reason. */
  readonly held: number;
  /** Messages that were lost and not sent since. */
  readonly failed: number;
  /** What went wrong last, Unix milliseconds and in the journal's words; it may have been sent since. */
  readonly error: { readonly atMs: number; readonly reason: string; readonly isOver: boolean } | undefined;
}

/** How each notifier fared in a span: those that are configured, and those that the journal has besides. */
export function reachOf(lines: readonly JournalLine[], configured: readonly string[], span: Span): Reach[] {
  const isIn = ({ at }: JournalLine): boolean => Date.parse(at) >= span.startMs && Date.parse(at) < span.endMs;
  const byNotifier = groupBy(lines.filter(isIn), ({ notifier = "" }) => notifier);
  byNotifier.delete("");
  return [...new Set([...configured, ...byNotifier.keys()])].map((notifier): Reach => {
    const own = byNotifier.get(notifier) ?? [];
    const trouble = own.findLast(({ status }) => status === "retrying" || lostStatuses.includes(status));
    const isOver = trouble !== undefined && own.some(({ status, at }) => status === "sent" && at > trouble.at);
    return {
      notifier,
      sent: own.filter(({ status }) => status === "sent").length,
      held: new Set(own.filter(isHold).map(({ id }) => id)).size,
      failed: lostLines(own).length,
      error: trouble && { atMs: Date.parse(trouble.at), reason: trouble.reason ?? trouble.status, isOver },
    };
  });
}
