import { lstatSync, type Stats, statfsSync } from "node:fs";
import { basename, join } from "node:path";
import { maxLockBytes } from "../../../files/lock-line.ts";
import { type Paths, spoolFolders } from "../../../files/paths.ts";
import { listQuietly } from "../../../files/read-file.ts";
import { readRecordFile } from "../../../spool/list.ts";
import { isNewerVersion, versionBytes } from "../../../spool/record.ts";
import { findStoringProblem } from "../../../spool/spool-state.ts";
import { counted } from "../../../text/time.ts";
import { type Check, check, fail, type Observation, ok, warn } from "./check.ts";

/** Free disk space needed to store an event, bytes. */
const minFreeBytes = 1024 * 1024;
/** Maximum size of a journal file that is read in full: 512 MiB. */
const maxWholeReadBytes = 512 * 1024 * 1024;

/** Checks that events can be stored. */
const storing = check("storing", ({ paths }) => {
  const problem = findStoringProblem(paths);
  return problem
    ? fail(problem.message, problem.cure)
    : (checkDiskSpace(paths) ?? ok("a file was written and removed"));
});

function checkDiskSpace(paths: Pick<Paths, "spool">): Observation | undefined {
  try {
    const { bavail, bsize } = statfsSync(paths.spool);
    if (bavail * bsize >= minFreeBytes) return undefined;
  } catch {
    return undefined; // another check reports a missing folder
  }
  return fail(`the disk that holds ${paths.spool} is full: events cannot be stored`, "Free some space on it.");
}

/** Folders that belong in beckon's state folder. */
const stateFolders: readonly string[] = ["alerts", "installs"];

/** Checks that beckon's folders contain only regular files. beckon ignores folders, links, pipes and devices there. */
const oddFiles = check("files", ({ paths }) => {
  const inSpool = spoolFolders.flatMap((folder) => listEntries(join(paths.spool, folder)));
  const inState = listEntries(paths.state).filter((file) => !stateFolders.includes(basename(file)));
  const movedLocks = listEntries(paths.spool).filter((file) => file.startsWith(`${paths.lock}-moved-`));
  const all = [...inSpool, ...inState, ...listEntries(paths.journal), paths.lock, paths.starting, ...movedLocks];
  return all.flatMap((file) => describeOddFile(file, [paths.lock, paths.starting].includes(file)) ?? []);
});

function describeOddFile(file: string, isLock: boolean): Observation | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (isLock && stats?.isFile() && stats.size > maxLockBytes)
    return warn(`${file} is too large, so the next worker replaces it`, `Or remove it: rm '${file}'`);
  if (!stats || stats.isFile()) return undefined;
  return warn(`${file} is ${describeType(stats)}, so beckon ignores it`, `Move it away: mv '${file}' /tmp/`);
}

function describeType(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isSymbolicLink()) return "a link";
  return stats.isFIFO() ? "a pipe" : "a device or a socket";
}

/** Checks that no stored event needs a newer version of beckon, as it may after a downgrade. */
const newer = check("newer events", ({ paths }) => {
  const files = spoolFolders.flatMap((folder) => listEntries(join(paths.spool, folder)));
  const { length } = files.filter((file) => isNewerVersion(readRecordFile(file, versionBytes) ?? Buffer.alloc(0)));
  if (length === 0) return undefined;
  return warn(
    `${counted(length, "event")} from a newer version of beckon in ${paths.spool}`,
    "Install the newer version again.",
  );
});

/** Checks that the journal is small enough to be read in full. */
const journalSize = check("journal", ({ paths }) =>
  listEntries(paths.journal).flatMap((file) => {
    const { size } = lstatSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
    if (size <= maxWholeReadBytes) return [];
    const detail = `${file} has ${Math.round(size / 1024 / 1024)} MiB, so most commands only read its newest part`;
    return warn(detail, `Move it away: mv '${file}' /tmp/`);
  }),
);

/** Lists the absolute paths in a folder; empty if it is missing. */
function listEntries(folder: string): string[] {
  return listQuietly(folder)
    .sort()
    .map((name) => join(folder, name));
}

/** Checks of the free disk space, and of the files in beckon's folders. */
export const fileChecks: readonly Check[] = [storing, oddFiles, newer, journalSize];
