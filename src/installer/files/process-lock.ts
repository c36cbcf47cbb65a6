import { readFileSync } from "node:fs";
import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errnoOf, SettingsError } from "../../core/errors.ts";

/**
 * Runs `action` while no other process runs one under the same lock file. A lock whose process is gone is taken over.
 * @throws {SettingsError} `settings.locked` after `waitMs`; whatever `action` throws
 */
export async function withProcessLock<T>(path: string, waitMs: number, action: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const mine = `${process.pid} ${startTimeOf(process.pid)}`;
  for (const deadline = Date.now() + waitMs; !(await create(path, mine)); await sleep(20 + Math.random() * 30)) {
    await breakStale(path);
    if (Date.now() > deadline) {
      throw new SettingsError("settings.locked", path, `${path}: another installer is at work`, {
        hint: `Wait for it to end. If none is running, delete ${path}. Nothing was changed.`,
      });
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
    throw new SettingsError(
      "settings.write",
      path,
      `${path}: cannot be written (${code ?? (error as Error).message})`,
      {
        hint: "Make room there, or make its folder writable, then run this again. Nothing was changed.",
      },
    );
  }
}

/** Two that find the same stale lock must not both remove one: the second would remove the first's new lock. */
async function breakStale(path: string): Promise<void> {
  if (!(await isStale(path))) return;
  const guard = `${path}.break`;
  if (!(await create(guard, ""))) {
    // Whoever made the guard needs it for an instant; if it died in that instant, the guard goes after a while.
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
    // Between its creation and its first byte a lock is empty, for an instant.
    if (!pid || startTime === undefined) return (await ageMs(path)) > 10_000;
    return !isAlive(Number(pid)) || startTimeOf(Number(pid)) !== startTime;
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== "ESRCH";
  }
}

/** When a process started, in clock ticks since boot: its number alone may be another's by now. Linux; else empty. */
function startTimeOf(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; the start time is the 20th field behind it.
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return ""; // no /proc, or no such process; the process number decides alone
  }
}
