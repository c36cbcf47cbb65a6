import { existsSync } from "node:fs";
import { readSessions, type Waiting, waitingIn } from "../attention/sessions.ts";
import type { Paths } from "../files/paths.ts";
import { waitUntilSettled } from "../spool/put.ts";
import { putSeen } from "../spool/put-seen.ts";
import { wake } from "../spool/wake.ts";

/** What came of saying that the person has seen something. */
export interface SeenResult {
  /** What is over now. */
  readonly over: readonly Waiting[];
  /** What the worker has not resolved yet. */
  readonly left: readonly Waiting[];
  /** Whether a worker is installed, so that it resolves the rest as soon as it can. */
  readonly hasWorker: boolean;
}

/** How long to wait until the worker has resolved it, milliseconds. */
const settleMs = 5_000;

/** Says that the person has seen what waits: it is over, for all of its sessions. */
export async function markSeen(waiting: readonly Waiting[], paths: Paths, nowMs: number): Promise<SeenResult> {
  const ids = [...new Set(waiting.map(({ alert }) => alert))].map((alert) => putSeen(paths.spool, alert));
  if (ids.length > 0) await wake(paths);
  const hasWorker = existsSync(paths.worker);
  if (hasWorker) await Promise.all(ids.map((id) => waitUntilSettled(paths.spool, id, settleMs)));
  const open = waitingIn(readSessions(paths, nowMs));
  const over = waiting.filter((one) => !isStillOpen(one, open));
  return { over, left: waiting.filter((one) => !over.includes(one)), hasWorker };
}

function isStillOpen({ alert, concern }: Waiting, waiting: readonly Waiting[]): boolean {
  return waiting.some((one) => one.alert.key === alert.key && one.concern.id === concern.id);
}
