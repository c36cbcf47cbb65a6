import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errnoOf, SettingsError } from "./errors.ts";
import { findProcess } from "./process-table.ts";

/**
 * Runs `action` while no other process runs one under the same lock file. A lock whose process is gone is taken over.
 * Differs from the worker's lock (src/spool/lock.ts): that one is held for a long time, perhaps on a home folder that
 * several machines share, so its holder proves by a heartbeat that it is alive and may lose it; an installer holds this
 * one for moments and must not lose it, so it is taken over only from a process that is gone.
 * @param who who else may hold it, for people
 * @throws {SettingsError} `settings.locked` after `waitMs`; whatever `action` throws
 */
export async function withProcessLock<T>(
  path: string,
  waitMs: number,
  action: () => Promise<T>,
  who = "another installer",
): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const mine = `${process.pid} ${findProcess(process.pid)?.startTicks ?? ""}`;
  for (const deadline = Date.now() + waitMs; !(await create(path, mine)); await sleep(20 + Math.random() * 30)) {
    await breakStale(path);
    if (Date.now() > deadline) {
      const hint = `Wait for it to end. If none is running, delete ${path}. Nothing was changed.`;
      throw new SettingsError("settings.locked", path, `${who} is running`, hint);
    }
  }
  try {
    return await action();
  } finally {
    await rm(path, { force: true });
  }
}

async function create(path: string, content: string): Promise<boolean> {
  try {
    const handle = await open(path, "wx", 0o600);
    try {
      await handle.writeFile(content);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === "EEXIST") return false;
    const hint = "Make room there, or make its folder writable, then run this again. Nothing was changed.";
    throw new SettingsError("settings.write", path, `cannot be written (${code ?? (error as Error).message})`, hint);
  }
}

/** Removes a stale lock. Of two that find the same one only one may: the other would remove the first's new lock. */
async function breakStale(path: string): Promise<void> {
  if (!(await isStale(path))) return;
  const guard = `${path}.break`;
  if (!(await create(guard, ""))) {
    // A guard is needed for an instant; one that is older was left by a process that died.
    if ((await ageMs(guard)) > 10_000) await rm(guard, { force: true });
    return;
  }
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const [pid, startTime] = (await readFile(path, "utf8")).split(" ");
    // A lock is empty for an instant, between its creation and its first byte.
    if (!pid || startTime === undefined) return (await ageMs(path)) > 10_000;
    const holder = findProcess(Number(pid));
    // The number may have been reused: the start time tells.
    return holder === undefined || (holder.startTicks ?? "") !== startTime;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function ageMs(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0, // gone meanwhile
  );
}
