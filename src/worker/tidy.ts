import type { Journal } from "../pipeline/journal.ts";
import { evict } from "../spool/evict.ts";
import { sweepDead, sweepTemporary } from "../spool/sweep.ts";

/** What is worth a look every second: records of launchers that were killed before they could hand them over. */
export function tidy(spool: string, nowMs: number): void {
  sweepTemporary(spool, nowMs);
}

/** What is worth a look every minute: bounds, old graves, old months of the journal. */
export function tidySeldom(spool: string, journal: Journal, nowMs: number): void {
  sweepDead(spool, nowMs);
  journal.prune();
  for (const { id, header } of evict(spool)) {
    const { event, agent } = header ?? {};
    journal.write({
      id,
      ...(event && { event }),
      ...(agent && { agent }),
      status: "expired",
      reason: "evicted: the spool is full",
    });
  }
}
