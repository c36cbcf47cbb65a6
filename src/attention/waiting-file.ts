import { lstatSync, renameSync } from "node:fs";
import type { ClockPort } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { countConcerns } from "../core/vocabulary.ts";
import { replaceQuietly } from "../files/atomic-file.ts";
import { readQuietly } from "../files/read-file.ts";
import { shortName } from "../text/cut.ts";
import { clockTime, joinNames, minuteMs } from "../text/time.ts";
import type { Alert } from "./alert.ts";
import type { Alerts } from "./alert-files.ts";
import { sessionMemoryMs } from "./session-memory.ts";
import { listWaiting, listWaits, selectRecent } from "./sessions.ts";

/** Maximum number of sessions that are named; the most urgent ones if more are waiting. */
const maxNamed = 5;

/**
 * Opens the file that shows status bars which sessions wait for the user, without starting a program. Its first line is
 * such as `1 waiting, 1 done: shop 14:02, api 14:05`, the longest wait first; empty if none waits. The second line is the time
 * until which the first one may be believed while no worker runs, ISO 8601.
 * @returns a function that writes the file if its text must change. If that fails, its next call tries again
 */
export function openWaitingFile(file: string, alerts: Alerts, { now }: Pick<ClockPort, "now">): () => void {
  let written: string | undefined;
  return () => {
    const nowMs = now();
    const text = formatWaits(selectRecent(alerts.all(), nowMs), nowMs);
    written ??= readOrMove(file, nowMs);
    if (text !== written) written = replaceQuietly(file, text) ? text : undefined;
  };
}

/** Reads what an earlier worker wrote; undefined if it is not a regular file. Moves a folder in its place away. */
function readOrMove(file: string, nowMs: number): string | undefined {
  const stats = quietly(() => lstatSync(file, { throwIfNoEntry: false }));
  // A folder may hold somebody's files, so it is not deleted.
  if (stats?.isDirectory()) quietly(() => renameSync(file, `${file}-moved-${nowMs}`));
  return stats?.isFile() ? readQuietly(file) : undefined;
}

/**
 * Formats both lines of the file. The first one may be believed until midnight, because its times of today have no date,
 * or until a named session is forgotten, a day after its last event.
 */
function formatWaits(sessions: readonly Alert[], nowMs: number): string {
  const waits = listWaits(sessions);
  const named = waits
    .slice(0, maxNamed)
    .sort(([, a], [, b]) => a - b)
    .map(([{ project }, atMs]) => `${shortName(project)} ${clockTime(atMs - (atMs % minuteMs), nowMs)}`);
  const counts = countConcerns(listWaiting(sessions).map(({ concern }) => concern.kind));
  const line = waits.length === 0 ? "" : `${counts}: ${joinNames(named, waits.length)}`;
  const midnightMs = new Date(nowMs).setHours(24, 0, 0, 0);
  const untilMs = Math.min(midnightMs, ...waits.map(([{ lastAtMs }]) => lastAtMs + sessionMemoryMs));
  return `${line}\n${new Date(untilMs).toISOString()}\n`;
}
