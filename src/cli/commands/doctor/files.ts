import { lstatSync, type Stats, statfsSync } from "node:fs";
import { basename, join } from "node:path";
import { type Paths, spoolFolders } from "../../../files/paths.ts";
import { listQuietly } from "../../../files/read-file.ts";
import { readRecordFile } from "../../../spool/list.ts";
import { isOfNewerVersion, versionBytes } from "../../../spool/record.ts";
import { storingProblem } from "../../../spool/storing.ts";
import { counted } from "../../../text/counted.ts";
import { type Check, check, fail, type Observation, ok, warn } from "./check.ts";

/** With less room than this, in bytes, an event may not be stored. */
const minFreeBytes = 1024 * 1024;
/** Of a journal file that is larger, in bytes, only the newest part is read: 512 MiB. */
const largeBytes = 512 * 1024 * 1024;

/** Events can be stored, now and for a while. */
const storing = check("storing", ({ paths }) => {
  const problem = storingProblem(paths);
  return problem ? fail(problem.message, problem.cure) : (room(paths) ?? ok("a file was written and removed"));
});

function room(paths: Pick<Paths, "spool">): Observation | undefined {
  try {
    const { bavail, bsize } = statfsSync(paths.spool);
    if (bavail * bsize >= minFreeBytes) return undefined;
  } catch {
    return undefined; // no such folder, which another check reports
  }
  return fail(`the disk that holds ${paths.spool} is full: events cannot be stored`, "Make room on it.");
}

/** Folders that beckon itself keeps in its state. */
const stateFolders: readonly string[] = ["alerts", "installs"];

/** Where beckon keeps files there are regular files: a folder, a link, a pipe or a device there is left alone. */
const oddFiles = check("files", ({ paths }) => {
  const inSpool = spoolFolders.flatMap((folder) => entriesOf(join(paths.spool, folder)));
  const inState = entriesOf(paths.state).filter((file) => !stateFolders.includes(basename(file)));
  const movedLocks = entriesOf(paths.spool).filter((file) => file.startsWith(`${paths.lock}-moved-`));
  const all = [...inSpool, ...inState, ...entriesOf(paths.journal), paths.lock, paths.starting, ...movedLocks];
  return all.flatMap((file) => oddity(file) ?? []);
});

function oddity(file: string): Observation | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats || stats.isFile()) return undefined;
  return warn(`${file} is ${kindOf(stats)}, and beckon passes over it`, `Move it away: mv '${file}' /tmp/`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isSymbolicLink()) return "a link";
  return stats.isFIFO() ? "a pipe" : "a device or a socket";
}

/** No event waits for a newer version of beckon, as after a downgrade. */
const newer = check("newer events", ({ paths }) => {
  const files = spoolFolders.flatMap((folder) => entriesOf(join(paths.spool, folder)));
  const { length } = files.filter((file) => isOfNewerVersion(readRecordFile(file, versionBytes) ?? Buffer.alloc(0)));
  if (length === 0) return undefined;
  return warn(
    `${counted(length, "event")} of a newer version of beckon in ${paths.spool}`,
    "Install that version again.",
  );
});

/** The journal can be read whole. */
const journalSize = check("journal", ({ paths }) =>
  entriesOf(paths.journal).flatMap((file) => {
    const { size } = lstatSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
    if (size <= largeBytes) return [];
    const detail = `${file} has ${Math.round(size / 1024 / 1024)} MiB; most commands read its newest part only`;
    return warn(detail, `Move it away: mv '${file}' /tmp/`);
  }),
);

/** Absolute paths of what is in a folder; nothing where there is none. */
function entriesOf(folder: string): string[] {
  return listQuietly(folder)
    .sort()
    .map((name) => join(folder, name));
}

/** Checks that what beckon finds in its folders is what it put there, and that there is room for more. */
export const fileChecks: readonly Check[] = [storing, oddFiles, newer, journalSize];
