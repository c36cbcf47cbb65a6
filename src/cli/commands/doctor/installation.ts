import { existsSync, lstatSync, type Stats, statfsSync } from "node:fs";
import { basename, join } from "node:path";
import { parseObject } from "../../../core/json-value.ts";
import { quietly } from "../../../core/quietly.ts";
import { removeBrokenLock } from "../../../files/lock-line.ts";
import { listSpoolFolders, type Paths, spoolFolders } from "../../../files/paths.ts";
import { listQuietly, readQuietly } from "../../../files/read-file.ts";
import { isMisplaced, misplacedFolder, modelessRoot, untrustedRoot } from "../../../files/root-access.ts";
import { versionIn } from "../../../installer/agents/program.ts";
import { cureForRelativeFolder, describeRelativeRoot } from "../../../installer/environment-warnings.ts";
import { readRecordFile } from "../../../spool/list.ts";
import { isNewerVersion, versionBytes } from "../../../spool/record.ts";
import { findStoringProblem } from "../../../spool/spool-state.ts";
import { counted } from "../../../text/time.ts";
import { compareVersions } from "../../../text/version.ts";
import { accessProblem, cureForUnreadable, findUnreadable } from "../../status/problems.ts";
import { type Check, check, fail, type Observation, ok, warn } from "./check.ts";

/** Checks that the installed app, which hooks and worker run, is the same build as the running program. */
const appCopy = check("app", ({ paths, packageRoot }) => {
  const installed = readVersion(paths.app);
  const current = readVersion(packageRoot);
  if (installed === undefined || current === undefined) return undefined; // other checks report what is missing
  const order = compareVersions(installed, current);
  if (order < 0) return warn(`${paths.app} is version ${installed}, this is ${current}`, "beckon upgrade");
  if (order > 0) {
    const cure = `Use ${join(paths.app, "dist", "cli.js")}, or update ${packageRoot}.`;
    return warn(`${paths.app} is version ${installed}, newer than this (${current})`, cure);
  }
  if (isSameBuild(paths.app, packageRoot)) return ok(`${paths.app} ${installed}`);
  return warn(`${paths.app} is a different build of ${installed} than ${packageRoot}`, "beckon upgrade");
});

/** Reads the version of the package in a folder; undefined if it is missing. */
export function readVersion(folder: string): string | undefined {
  const { version } = parseObject(readQuietly(join(folder, "package.json")) ?? "") ?? {};
  return typeof version === "string" ? versionIn(version) : undefined;
}

/** Tells if two builds are the same. Compares their entry files, which import chunks named by content hash. */
function isSameBuild(first: string, other: string): boolean {
  return ["worker-main.cjs", "cli.js"].every((program) => {
    const [left, right] = [first, other].map((folder) => readQuietly(join(folder, "dist", program), "latin1"));
    return left === undefined || right === undefined || left === right;
  });
}

/** Checks that beckon's folders exist, and that other users cannot access them or the configuration. */
export const folders = check("folders", ({ paths, environment }) => {
  const unused = untrustedRoot(paths);
  if (unused) return fail(`${unused.message}, so hooks and worker do not use ${paths.root}`, unused.cure);
  const misplaced = misplacedFolder(paths);
  if (misplaced) return fail(`${misplaced.message}: events are lost or wait`, misplaced.cure);
  if (isMisplaced(paths.app)) return fail(`${paths.app} must be a folder: events wait in the spool`, "beckon install");
  const required = [paths.root, paths.app, ...listSpoolFolders(paths)];
  const all = [...required, paths.journal, paths.state, paths.config];
  const missing = required.filter((path) => !existsSync(path));
  const modeless = modelessRoot(paths);
  const isPosix = environment.platform !== "win32";
  const found = isPosix && !modeless ? all.flatMap((path) => accessProblem(path) ?? []) : [];
  const problems = found.map(({ message, cure }) => fail(message, cure));
  if (modeless) problems.push(warn(modeless.message, modeless.cure));
  if (missing.length > 0) problems.unshift(fail(`missing: ${missing.join(", ")}`, "beckon install"));
  return problems.length > 0 ? problems : ok(`${paths.root} is complete and private`);
});

/** Checks that BECKON_HOME is an absolute path. */
const rootVariable = check("environment", ({ paths, environment }) => {
  const problem = describeRelativeRoot(environment, paths.root);
  return problem === undefined ? undefined : warn(problem, cureForRelativeFolder);
});

/** Checks that the user can read everything in beckon's folder and write the journal. */
const unreadable = check("files", ({ paths }) => {
  const found = findUnreadable(paths);
  return found.length === 0 ? undefined : fail(`cannot be read: ${found.join(", ")}`, cureForUnreadable(paths));
});

/** Checks that installation records are readable: uninstall needs them to restore a file's original bytes. */
const installRecords = check("install records", ({ installs: { problem }, paths }) => {
  if (!problem || isMisplaced(paths.state)) return undefined;
  const { file, message } = problem;
  return fail(
    message,
    `To continue without them: mv '${file}' '${file}.old'. beckon then recognizes its hooks by their command lines.`,
  );
});

/** Checks of the installed files in beckon's folder. */
export const installationChecks: readonly Check[] = [appCopy, rootVariable, folders, unreadable, installRecords];

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
  const disk = quietly(() => statfsSync(paths.spool));
  if (!disk || disk.bavail * disk.bsize >= minFreeBytes) return undefined; // another check reports a missing folder
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
  const removed = "It has been removed; nothing is left to do.";
  if (isLock && quietly(() => removeBrokenLock(file)))
    return warn(`${file} was too large, so hooks read it for a long time`, removed);
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
