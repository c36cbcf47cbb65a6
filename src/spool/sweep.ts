import { readdirSync, readFileSync, renameSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { decodeRecord } from "./record.ts";

/** After so long a launcher has renamed its file itself, or it is dead. */
const launcherDoneMs = 2_000;
const strayMs = 3_600_000;
const graveMs = 30 * 24 * 3_600_000;

/** Most a spool holds; beyond it the least urgent, oldest events go. */
export const spoolBounds = { files: 1000, bytes: 10 * 1024 * 1024, dead: 200 } as const;

/**
 * Saves whole records of launchers that were killed before they could rename them, and drops what is only part of one
 * after an hour.
 * @returns how many were saved
 */
export function sweepTemporary(spool: string, nowMs: number): number {
  let saved = 0;
  for (const { file, path, modifiedAtMs } of listWithStats(join(spool, "tmp"))) {
    // Of either sign: after the clock was set back, what a launcher left behind lies in the future.
    const ageMs = Math.abs(nowMs - modifiedAtMs);
    if (ageMs < launcherDoneMs) continue;
    try {
      const settling = file.endsWith(".settle");
      if (!settling && decodeRecord(readFileSync(path))) {
        renameSync(path, join(spool, "new", `${file}.json`));
        saved += 1;
      } else if (settling || ageMs > strayMs) unlinkSync(path);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error; // a slow launcher has finished it in this very moment
    }
  }
  return saved;
}

/** Drops graves older than 30 days, and the oldest beyond 200. */
export function sweepDead(spool: string, nowMs: number): void {
  const graves = listWithStats(join(spool, "dead")).sort((a, b) => b.modifiedAtMs - a.modifiedAtMs);
  const gone = graves.filter((grave, index) => index >= spoolBounds.dead || nowMs - grave.modifiedAtMs > graveMs);
  for (const { path } of gone) unlinkSync(path);
}

/** Files of a folder with size and time; files that vanish meanwhile are left out, and what is no file. */
export function listWithStats(
  folder: string,
): { file: string; path: string; sizeBytes: number; modifiedAtMs: number }[] {
  return readdirSync(folder).flatMap((file) => {
    const path = join(folder, file);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [{ file, path, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs }] : [];
  });
}
