import { renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crashPoint } from "../core/crash-point.ts";
import type { Claim } from "./claim.ts";
import { entryFile } from "./entry.ts";

/** What is to become of a claimed event. */
export type Settlement =
  /** Nothing is left to do: it leaves the spool. */
  | { readonly next: "done" }
  /** It waits in `cur/` for another attempt. `record` says what the attempts so far came to. */
  | { readonly next: "wait"; readonly dueAtMs: number; readonly record: Buffer }
  /** It is not tried again but kept in `dead/` for `beckon retry`: as it arrived, or as `record`. */
  | { readonly next: "dead"; readonly record?: Buffer };

/** Moves a claimed event where its settlement says. A crash at any step leaves it whole: `recover` finds it again. */
export function settle(spool: string, { id, file }: Claim, settlement: Settlement): void {
  if (settlement.next === "wait") {
    const { dueAtMs, record } = settlement;
    writeRecord(spool, id, record, join(spool, "cur", entryFile({ id, crashes: 0, dueAtMs })));
  } else if (settlement.next === "dead") {
    const deadLetter = join(spool, "dead", entryFile({ id, crashes: 0 }));
    if (settlement.record) writeRecord(spool, id, settlement.record, deadLetter);
    else renameSync(file, deadLetter);
  }
  rmSync(file, { force: true }); // gone if another worker has taken over the lock, and this event with it
  crashPoint("settled");
}

/**
 * Returns an event from `dead/` to `new/`, as `record`.
 * @param hasCrashed whether workers died over it: counts as one crash, so that the next one looks up what was sent
 */
export function requeueDead(spool: string, id: string, record: Buffer, hasCrashed = false): void {
  writeRecord(spool, id, record, join(spool, "new", entryFile({ id, crashes: hasCrashed ? 1 : 0 })));
  unlinkSync(join(spool, "dead", entryFile({ id, crashes: 0 })));
}

function writeRecord(spool: string, id: string, record: Buffer, target: string): void {
  const temporary = join(spool, "tmp", `${id}.settle`);
  writeFileSync(temporary, record, { mode: 0o600 });
  crashPoint("settle:written");
  renameSync(temporary, target);
  crashPoint("settle:visible");
}
