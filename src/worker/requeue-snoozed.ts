import { join } from "node:path";
import { readState } from "../pipeline/run-state.ts";
import { reschedule, waitingEntries } from "../spool/claim.ts";
import { type Entry, entryFile } from "../spool/entry.ts";
import { readRecordFile } from "../spool/list.ts";
import { decodeRecord } from "../spool/record.ts";

/** Makes every event that a silence holds due now, so that the worker decides about it again. Requires the lock. */
export function requeueSnoozed(spool: string, nowMs: number): void {
  for (const entry of waitingEntries(spool)) {
    if (entry.dueAtMs > nowMs && isSnoozed(spool, entry)) reschedule(spool, entry, nowMs);
  }
}

function isSnoozed(spool: string, entry: Entry): boolean {
  const record = decodeRecord(readRecordFile(join(spool, "cur", entryFile(entry))) ?? Buffer.alloc(0));
  const deliveries = Object.values((record && readState(record))?.deliveries ?? {});
  return deliveries.some(({ status, heldFor }) => status === "open" && heldFor === "silence");
}
