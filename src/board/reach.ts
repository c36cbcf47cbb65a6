import { groupBy } from "../core/group-by.ts";
import { type JournalLine, lostLines, lostStatuses } from "../journal/journal-line.ts";
import type { Span } from "./day.ts";
import { isHold } from "./story.ts";

/** Delivery statistics of one notifier. */
export interface Reach {
  readonly notifier: string;
  /** Number of messages sent. */
  readonly sent: number;
  /** Number of events with a message held back. */
  readonly held: number;
  /** Number of messages that failed and were not sent later. */
  readonly failed: number;
  /** Last error, at `atMs` (Unix milliseconds). It is resolved if the notifier sent a message later. */
  readonly error: { readonly atMs: number; readonly reason: string; readonly isResolved: boolean } | undefined;
}

/** Computes the statistics for a span, for each configured notifier and each notifier in the journal. */
export function computeReach(lines: readonly JournalLine[], configured: readonly string[], span: Span): Reach[] {
  const isIn = ({ at }: JournalLine): boolean => Date.parse(at) >= span.startMs && Date.parse(at) < span.endMs;
  const byNotifier = groupBy(lines.filter(isIn), ({ notifier = "" }) => notifier);
  byNotifier.delete("");
  return [...new Set([...configured, ...byNotifier.keys()])].map((notifier): Reach => {
    const ownLines = byNotifier.get(notifier) ?? [];
    const lastError = ownLines.findLast(({ status }) => status === "retrying" || lostStatuses.includes(status));
    const isResolved =
      lastError !== undefined && ownLines.some(({ status, at }) => status === "sent" && at > lastError.at);
    return {
      notifier,
      sent: ownLines.filter(({ status }) => status === "sent").length,
      held: new Set(ownLines.filter(isHold).map(({ id }) => id)).size,
      failed: lostLines(ownLines).length,
      error: lastError && { atMs: Date.parse(lastError.at), reason: lastError.reason ?? lastError.status, isResolved },
    };
  });
}
