import { existsSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crashPoint } from "../files/crash-point.ts";
import type { Claim } from "./claim.ts";
import { entryFile } from "./entry.ts";
import { unwritten } from "./unwritten.ts";

/** What is to become of a claimed event. */
export type Settlement =
  /** Nothing is left to do: it leaves the spool. */
  | { readonly next: "done" }
  /** It waits in `cur/` for another attempt. `record` says what the attempts so far came to. */
  | { readonly next: "wait"; readonly dueAtMs: number; readonly record: Buffer }
  /** It is not tried again but kept in `dead/` for `beckon retry`: as it arrived, or as `record`. */
  | { readonly next: "dead"; readonly record?: Buffer };

/**
 * Moves a claimed event where its settlement says. A crash at any step leaves it whole: `recover` finds it again. Where
 * there is no room for its new record, its old one is moved, which takes none; nothing happens to an event that another
 * worker has taken over.
 */
export function settle(spool: string, { id, file }: Claim, settlement: Settlement): void {
  if (!existsSync(file)) return;
  if (settlement.next === "wait") markWaiting(spool, { id, file }, settlement);
  else if (settlement.next === "dead") markDead(spool, { id, file }, settlement.record);
  if (settlement.next !== "wait") unwritten.forget(spool, id);
  rmSync(file, { force: true });
  crashPoint("settled");
}

type Settled = Pick<Claim, "id" | "file">;

function markWaiting(spool: string, { id, file }: Settled, { dueAtMs, record }: Settlement & { next: "wait" }): void {
  const folder = join(spool, "cur");
  if (writeRecord(spool, id, record, join(folder, entryFile({ id, crashes: 0, dueAtMs })))) {
    unwritten.forget(spool, id);
    return;
  }
  // This worker remembers what was sent. To the next one the old record looks new, unless it counts as left by a crash:
  // then the journal is asked.
  unwritten.keep(spool, id, record);
  renameSync(file, join(folder, entryFile({ id, crashes: 1, dueAtMs })));
}

function markDead(spool: string, { id, file }: Settled, record: Buffer | undefined): void {
  const deadLetter = join(spool, "dead", entryFile({ id, crashes: 0 }));
  if (!record || !writeRecord(spool, id, record, deadLetter)) renameSync(file, deadLetter);
}

/**
 * Returns an event from `dead/` to `new/`, as `record`.
 * @param hasCrashed whether workers died over it: counts as one crash, so that the next one looks up what was sent
 * @throws the system's error if there is no room for it; it then stays in `dead/`
 */
export function requeueDead(spool: string, id: string, record: Buffer, hasCrashed = false): void {
  placeRecord(spool, id, record, join(spool, "new", entryFile({ id, crashes: hasCrashed ? 1 : 0 })));
  unlinkSync(join(spool, "dead", entryFile({ id, crashes: 0 })));
}

/** Returns false where the record cannot be written, as on a full disk. */
function writeRecord(spool: string, id: string, record: Buffer, target: string): boolean {
  try {
    placeRecord(spool, id, record, target);
    return true;
  } catch {
    return false;
  }
}

function placeRecord(spool: string, id: string, record: Buffer, target: string): void {
  const temporary = join(spool, "tmp", `${id}.settle`);
  try {
    rmSync(temporary, { force: true }); // of a worker that was killed; and a link there would be followed
    writeFileSync(temporary, record, { flag: "wx", mode: 0o600 });
    crashPoint("settle:written");
    renameSync(temporary, target);
    crashPoint("settle:visible");
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
