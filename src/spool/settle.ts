import { existsSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeeds } from "../core/quietly.ts";
import { crashPoint } from "../files/crash-point.ts";
import type { Claim } from "./claim.ts";
import { entryFile, unwritten } from "./entry.ts";

/** Decision about what happens to a claimed event next. */
export type Settlement =
  /** The event is finished and leaves the spool. */
  | { readonly next: "done" }
  /** The event waits in `cur/` for another attempt. `record` contains the results of the attempts so far. */
  | { readonly next: "wait"; readonly dueAtMs: number; readonly record: Buffer }
  /** The event is kept in `dead/` for `beckon retry`, unchanged or as `record`. */
  | { readonly next: "dead"; readonly record?: Buffer };

/**
 * Settles a claimed event. If this process dies at any step, `recover` finds the event again. If the disk has no room
 * for the new record, keeps the old record instead. Does nothing if another worker has taken over the event.
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
  if (succeeds(() => placeRecord(spool, id, record, join(folder, entryFile({ id, crashes: 0, dueAtMs }))))) {
    unwritten.forget(spool, id);
    return;
  }
  // This worker remembers which messages were sent. The next worker reads the old record, in which nothing was sent.
  // The counted crash makes that worker check the journal.
  unwritten.keep(spool, id, record);
  renameSync(file, join(folder, entryFile({ id, crashes: 1, dueAtMs })));
}

function markDead(spool: string, { id, file }: Settled, record: Buffer | undefined): void {
  const deadLetter = join(spool, "dead", entryFile({ id, crashes: 0 }));
  if (!record || !succeeds(() => placeRecord(spool, id, record, deadLetter))) renameSync(file, deadLetter);
}

/**
 * Moves an event from `dead/` back to `new/`, with `record` as its content.
 * @param hasCrashed true if workers died while they processed the event. The event then counts one crash, so that the
 * next worker looks in the journal for messages already sent.
 * @throws the system's error if the disk has no room for the record; the event then stays in `dead/`
 */
export function requeueDead(spool: string, id: string, record: Buffer, hasCrashed = false): void {
  placeRecord(spool, id, record, join(spool, "new", entryFile({ id, crashes: hasCrashed ? 1 : 0 })));
  unlinkSync(join(spool, "dead", entryFile({ id, crashes: 0 })));
}

function placeRecord(spool: string, id: string, record: Buffer, target: string): void {
  const temporary = join(spool, "tmp", `${id}.settle`);
  try {
    rmSync(temporary, { force: true }); // left by a worker that was killed, or a link, which writing would follow
    writeFileSync(temporary, record, { flag: "wx", mode: 0o600 });
    crashPoint("settle:written");
    renameSync(temporary, target);
    crashPoint("settle:visible");
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
