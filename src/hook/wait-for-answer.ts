import { lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { buildFormReply } from "../core/permission-form.ts";
import { isReply, maxAnswerBytes } from "../core/permission-reply.ts";
import { quietly } from "../core/quietly.ts";
import { isAwake, readLockLine } from "../files/lock-line.ts";
import type { Paths } from "../files/paths.ts";
import { findProcess } from "../files/process-table.ts";
import { readOwnText } from "../files/read-file.ts";
import { explainExposure, isUnusableFolder } from "../files/root-access.ts";

const pollMs = 200;
/** Maximum time without a running worker: five seconds. */
const workerTimeoutMs = 5_000;

interface WaitRequest {
  readonly paths: Pick<Paths, "root" | "asks" | "lock">;
  /** Id of the event, and name of the file in which the answer arrives. */
  readonly id: string;
  /** Process ids of the hook's parent and, if known, grandparent, from before the request was stored. */
  readonly callers: readonly number[];
  /** Folders in which the agent works. */
  readonly projects: readonly string[];
  readonly timeoutMs: number;
  /** Payload with a form, if the hook asks about one. */
  readonly payload?: Buffer | undefined;
  /** Aborts when the agent sends a signal to the hook. */
  readonly stop: AbortSignal;
}

/**
 * Waits for an answer to a permission request, like `hooks/wait.sh`. Resolves to the reply for the agent. Resolves to
 * undefined if the agent's own dialog decides, for example because no answer came in time, no worker ran for five
 * seconds, or the agent has ended.
 */
export async function waitForAnswer(request: WaitRequest): Promise<string | undefined> {
  const { paths, id, timeoutMs, stop } = request;
  if (explainExposure(paths, request.projects) !== undefined) return undefined;
  const file = join(paths.asks, id);
  const isOff = () => isUnusableFolder(paths.asks) || exists(join(paths.asks, "off"));
  const isWorkerAwake = watchWorker(paths.lock);
  const endsAtMs = performance.now() + timeoutMs;
  while (!exists(file)) {
    if (isOff()) return undefined;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    if (stop.aborted || performance.now() >= endsAtMs) return undefined;
    if (findCallers().join() !== request.callers.join() || !isWorkerAwake()) return undefined;
  }
  const text = isOff() ? undefined : takeAnswer(file);
  if (text === undefined) return undefined;
  if (request.payload) return buildFormReply(text, request.payload);
  return isReply(text) ? text : undefined;
}

/** Returns the ids of this process's parent and grandparent, which change when one of them ends. */
function findCallers(): readonly number[] {
  const { parentPid } = findProcess(process.ppid) ?? {};
  return parentPid === undefined ? [process.ppid] : [process.ppid, parentPid];
}

/** Watches the first worker that is seen, because a later worker does not know the request: tells if it is awake. */
function watchWorker(lock: string): () => boolean {
  let worker: number | undefined;
  let awakeAtMs = performance.now();
  return () => {
    const pid = isAwake(lock) ? readLockLine(lock)?.pid : undefined;
    worker ??= pid;
    if (pid !== undefined && pid === worker) awakeAtMs = performance.now();
    return performance.now() - awakeAtMs < workerTimeoutMs;
  };
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Renames an answer's file, so that the worker sees that the answer was taken. Returns its text; undefined unless it
 * is a short regular file of this user.
 */
function takeAnswer(file: string): string | undefined {
  const taken = `${file}.taken`;
  return quietly(() => {
    renameSync(file, taken);
    return readOwnText(taken, maxAnswerBytes);
  });
}
