import { join } from "node:path";
import { quietly } from "../core/quietly.ts";
import { readState } from "../pipeline/run-state.ts";
import type { WaitingDelivery } from "../pipeline/slots.ts";
import { reschedule, waitingEntries } from "../spool/claim.ts";
import { entryFile } from "../spool/entry.ts";
import { readRecordFile } from "../spool/list.ts";
import { decodeRecord } from "../spool/record.ts";

/**
 * Lists the deliveries in the spool that failed and wait for their next attempt. Returns an empty list if the spool
 * cannot be read, because an error here would make the worker resend a message that it has just sent.
 */
export function waitingDeliveries(spool: string): readonly WaitingDelivery[] {
  return listWaiting(spool).flatMap((entry) => {
    const record = decodeRecord(readRecordFile(join(spool, "cur", entryFile(entry))) ?? Buffer.alloc(0));
    const state = record && readState(record);
    if (!state) return [];
    const { atMs, kind } = state;
    return Object.entries(state.deliveries).flatMap(([key, { status, attempts, notifier = key, step = 0 }]) =>
      status === "open" && attempts > 0 ? [{ notifier, id: entry.id, step, atMs, kind }] : [],
    );
  });
}

function listWaiting(spool: string): ReturnType<typeof waitingEntries> {
  return quietly(() => waitingEntries(spool)) ?? [];
}

/** Makes an event due now if it waits in the spool. Requires the lock. */
export function makeDue(spool: string, id: string, nowMs: number): void {
  const entry = listWaiting(spool).find((waiting) => waiting.id === id);
  if (entry && entry.dueAtMs > nowMs) reschedule(spool, entry, nowMs);
}
