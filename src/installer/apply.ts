import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SettingsError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { makePrivateFolder } from "../files/atomic-file.ts";
import { withLock } from "../files/lock.ts";
import { createClock } from "../io/clock.ts";
import {
  decodeSettings,
  isBlank,
  maxSettingsBytes,
  readSettingsFile,
  type SettingsSnapshot,
  sha256,
} from "./files/read-settings-file.ts";
import { refuseReadOnly, replaceSettingsFile, sweepTemps } from "./files/replace-settings-file.ts";
import { lacksMode, withOwnMode } from "./own-files.ts";
import {
  type InstallTask,
  isAsWritten,
  type Plan,
  type PlanRequest,
  planInstall,
  planUninstall,
  type SettingsTask,
} from "./plan-file.ts";
import { allRecords, deleteRecord, type InstallPaths, type InstallRecord, readRecord, writeRecord } from "./record.ts";

/** Plan, and the snapshot of the file for which it was made. */
export interface PlannedFile extends Plan {
  readonly snapshot: SettingsSnapshot;
  readonly record: InstallRecord | undefined;
}

/** Maximum number of attempts if another program changes the file between reading and replacing. */
const maxAttempts = 5;

/** Plans an install into a file without writing. @throws {SettingsError} */
export async function previewInstall(paths: InstallPaths, task: InstallTask): Promise<PlannedFile> {
  const planned = await planSettled(paths, task, planInstall);
  return lacksMode(task.file, planned.snapshot.mode) ? { ...planned, changes: true } : planned;
}

/** Plans an uninstall from a file without writing. @throws {SettingsError} */
export function previewUninstall(paths: InstallPaths, task: SettingsTask): Promise<PlannedFile> {
  return planSettled(paths, task, planUninstall);
}

/** Gives a file exactly one beckon entry per wanted event. Writes only if the file changes. @throws {SettingsError} */
export function applyInstall(paths: InstallPaths, task: InstallTask): Promise<PlannedFile> {
  return runLocked(paths, async () => {
    const planned = await previewInstall(paths, task);
    const { snapshot, record } = planned;
    if (!planned.changes || planned.after === undefined) {
      if (record?.state === "pending") {
        await sweepTemps(snapshot.target);
        await writeRecord(paths, { ...record, state: "done" });
      }
      return planned;
    }
    const folders = await makeFolders(dirname(snapshot.target));
    const shared = folders.length > 0 ? folders : await sharedFolders(paths, dirname(snapshot.target));
    const pending = pendingRecord(paths, task, planned, shared);
    try {
      await replaceSettingsFile(withOwnMode(task.file, snapshot), planned.after, () => writeRecord(paths, pending));
    } catch (error) {
      await removeFolders(folders);
      throw error;
    }
    await writeRecord(paths, { ...pending, state: "done" });
    return planned;
  });
}

/** Removes beckon's entries from a file. Writes only if the content changes. @throws {SettingsError} */
export function applyUninstall(paths: InstallPaths, task: SettingsTask): Promise<PlannedFile> {
  return runLocked(paths, async () => {
    const planned = await previewUninstall(paths, task);
    const { snapshot, record, after, changes } = planned;
    if (changes) await replaceSettingsFile(snapshot, after);
    await deleteRecord(paths, snapshot.target);
    if (after === undefined) await removeFolders(record?.folders ?? []);
    return planned;
  });
}

/** Runs a function under the installer's lock. Runs it again if an agent has written to the file in the meantime. */
async function runLocked(paths: InstallPaths, work: () => Promise<PlannedFile>): Promise<PlannedFile> {
  return withLock(join(paths.state, "install.lock"), { clock: createClock(), waitMs: 2000 }, async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        const isTransient = error instanceof SettingsError && error.code === "settings.changed";
        if (!isTransient || attempt === maxAttempts) throw error;
        await sleep(20 + Math.random() * 80);
      }
    }
  });
}

/**
 * Reads a file and plans its change. Reads an empty or invalid file again up to three times, because an agent may be
 * writing to the file.
 */
async function planSettled<Task extends SettingsTask>(
  paths: InstallPaths,
  task: Task,
  plan: (request: Task & PlanRequest) => Plan,
): Promise<PlannedFile> {
  for (const pauseMs of [50, 100, 200, 0]) {
    const snapshot = await readSettingsFile(task.file.path, maxSettingsBytes);
    const record = (await readRecord(paths, snapshot.target)) ?? task.takenOver;
    try {
      const isEmpty = snapshot.bytes !== undefined && isBlank(decodeSettings(task.file.path, snapshot.bytes));
      if (!isEmpty || pauseMs === 0) {
        const planned = plan({ ...task, before: snapshot.bytes, record });
        if (planned.changes) await refuseReadOnly(snapshot);
        const { path, links } = snapshot;
        const split = `${path} has ${links} hard links; the other names will keep the old content.`;
        const warnings = [...planned.warnings, ...(planned.changes && links > 1 ? [split] : [])];
        return { ...planned, warnings, snapshot, record };
      }
    } catch (error) {
      const isTransient = error instanceof SettingsError && ["settings.json", "settings.encoding"].includes(error.code);
      if (!isTransient || pauseMs === 0) throw error;
    }
    await sleep(pauseMs);
  }
  throw new Error("unreachable: the last attempt returns or throws");
}

/** Creates the record of an install that is about to happen. `folders` are the folders created for the install. */
function pendingRecord(
  paths: InstallPaths,
  task: InstallTask,
  planned: PlannedFile,
  folders: readonly string[],
): InstallRecord {
  const { snapshot, record, original, before, after, created } = planned;
  const continues = before !== undefined && record !== undefined && isAsWritten(record, before);
  const entries = [...task.wanted].map(([event, { command, timeout }]) => [event, { command, timeout }] as const);
  const { events, waitSeconds } = task.chosen;
  return {
    v: 1,
    agent: task.agent,
    scope: task.scope,
    shape: task.file.shape,
    file: snapshot.path,
    target: snapshot.target,
    state: "pending",
    original: original === undefined ? null : original.toString("base64"),
    written: [...(continues ? record.written : []), ...(after ? [sha256(after)] : [])],
    entries: Object.fromEntries(entries),
    created: created.map((path) => [...path]),
    folders: [...new Set([...(record?.folders ?? []), ...folders])],
    launcher: paths.launcher,
    app: paths.app,
    ...omitUndefined({ events: events && [...events], waitSeconds }),
  };
}

/**
 * Finds the folders that an earlier install created, if the given folder is one of them. The uninstall of the last file
 * in these folders removes the folders.
 */
async function sharedFolders(paths: InstallPaths, folder: string): Promise<readonly string[]> {
  return (await allRecords(paths)).find(({ folders }) => folders.includes(folder))?.folders ?? [];
}

/** Creates a folder and its parents. Returns the new ones, outermost first. */
async function makeFolders(folder: string): Promise<string[]> {
  const outermost = makePrivateFolder(folder);
  if (outermost === undefined) return [];
  const made: string[] = [];
  for (let path = folder; path.length >= outermost.length; path = dirname(path)) made.unshift(path);
  return made;
}

/** Removes folders that an install created, unless they have other content by now. */
async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {});
}
