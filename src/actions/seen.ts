import { existsSync } from "node:fs";
import { listWaiting, readSessions, type Waiting } from "../attention/sessions.ts";
import type { Paths } from "../files/paths.ts";
import { putSeen, waitUntilSettled } from "../spool/put.ts";
import { wake } from "../spool/wake.ts";

/** Longest wait until the worker has resolved the concerns, in milliseconds. */
const settleTimeoutMs = 5_000;

/**
 * Marks the sessions of waiting concerns as seen, and waits until the worker has resolved the concerns. Returns those
 * that it has resolved, those that it has not, and if a worker is installed, which then resolves the rest later.
 */
export async function markSeen(waiting: readonly Waiting[], paths: Paths, nowMs: number) {
  const ids = [...new Set(waiting.map(({ alert }) => alert))].map((alert) => putSeen(paths.spool, alert));
  if (ids.length > 0) await wake(paths);
  const hasWorker = existsSync(paths.worker);
  if (hasWorker) await Promise.all(ids.map((id) => waitUntilSettled(paths.spool, id, settleTimeoutMs)));
  const open = listWaiting(readSessions(paths, nowMs));
  const isOpen = ({ alert, concern }: Waiting): boolean =>
    open.some((item) => item.alert.key === alert.key && item.concern.id === concern.id);
  const resolved = waiting.filter((item) => !isOpen(item));
  return { resolved, unresolved: waiting.filter((item) => !resolved.includes(item)), hasWorker };
}
