import { closeSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { fault } from "../core/crash-point.ts";
import type { Claim } from "./claim.ts";
import { entryFile } from "./entry.ts";

/** What becomes of a claimed event. */
export type Outcome =
  /** Everything is done: it leaves the spool. */
  | { readonly next: "done" }
  /** It waits for another attempt. `record` holds what the attempts so far came to. */
  | { readonly next: "wait"; readonly dueAtMs: number; readonly record: Buffer }
  /** Nothing more is tried; it is kept in `dead/` for `beckon retry`. Without `record` it stays as it came. */
  | { readonly next: "dead"; readonly record?: Buffer };

/** Puts a claimed event where its outcome says. A crash at any step leaves the event whole in one place. */
export function settle(spool: string, held: Claim, outcome: Outcome): void {
  if (outcome.next === "wait") {
    replace(
      spool,
      held.id,
      outcome.record,
      join(spool, "cur", entryFile({ id: held.id, crashes: 0, dueAtMs: outcome.dueAtMs })),
    );
  } else if (outcome.next === "dead") {
    const grave = join(spool, "dead", entryFile({ id: held.id, crashes: 0 }));
    if (outcome.record) replace(spool, held.id, outcome.record, grave);
    else renameSync(held.file, grave);
  }
  dropHeld(held.file);
  fault("settled");
}

/** Puts an event from `dead/` back to the fresh ones, as `record`. */
export function revive(spool: string, id: string, record: Buffer): void {
  replace(spool, id, record, join(spool, "new", entryFile({ id, crashes: 0 })));
  unlinkSync(join(spool, "dead", entryFile({ id, crashes: 0 })));
}

function replace(spool: string, id: string, record: Buffer, target: string): void {
  const temporary = join(spool, "tmp", `${id}.settle`);
  const descriptor = openSync(temporary, "w", 0o600);
  try {
    for (let written = 0; written < record.length; ) written += writeSync(descriptor, record, written);
  } finally {
    closeSync(descriptor);
  }
  fault("settle:written");
  renameSync(temporary, target);
  fault("settle:visible");
}

function dropHeld(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error; // another worker took our lock over, and this event with it
  }
}
