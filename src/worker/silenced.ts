import { join } from "node:path";
import { readState } from "../pipeline/run-state.ts";
import { reschedule, waitingEntries } from "../spool/claim.ts";
import { type Entry, entryFile } from "../spool/entry.ts";
import { readRecordFile } from "../spool/list.ts";
import { decodeRecord } from "../spool/record.ts";

/** Has all that is held for a silence decided anew: it falls due now. For the holder of the spool's lock. */
export function hastenSilenced(spool: string, nowMs: number): void {
  for (const entry of waitingEntries(spool)) {
    if (entry.dueAtMs > nowMs && isSilenced(spool, entry)) reschedule(spool, entry, nowMs);
  }
}

function isSilenced(spool: string, entry: Entry): boolean {
  const record = decodeRecord(readRecordFile(join(spool, "cur", entryFile(entry))) ?? Buffer.alloc(0));
  const deliveries = Object.values((record && readState(record))?.deliveries ?? {});
  return deliveries.some(({ status, heldFor }) => status === "open" && heldFor === "silence");
}
