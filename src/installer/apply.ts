import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SettingsError } from "../core/errors.ts";
import { makePrivateFolder } from "../io/private-file.ts";
import { withProcessLock } from "./files/process-lock.ts";
import { refuseReadOnly, replaceSettingsFile, sweepTemps } from "./files/replace-settings-file.ts";
import { readSettingsFile, type SettingsSnapshot } from "./files/read-settings-file.ts";
import type { FileJob, InstallJob, InstallPlace, PlannedFile } from "./plan-agent.ts";
import { pendingRecord } from "../settings/pending-record.ts";
import { type Plan, planInstall, planUninstall } from "./plan-file.ts";
import { deleteRecord, type InstallRecord, readRecord, writeRecord } from "./record.ts";
import { decodeSettings, isBlank, maxSettingsBytes } from "./files/settings-text.ts";

/** How often somebody else may write between our reading and our replacing before we give up. */
const tries = 5;

/** What an install would do to a file. Writes nothing. @throws {SettingsError} */
export function previewInstall(paths: InstallPlace, job: InstallJob): Promise<PlannedFile> {
  return planSettled(paths, job, ({ bytes }, record) =>
    planInstall({ ...job, before: bytes, ...(record ? { record } : {}) }),
  );
}

/** What an uninstall would do to a file. Writes nothing. @throws {SettingsError} */
export function previewUninstall(paths: InstallPlace, job: FileJob): Promise<PlannedFile> {
  return planSettled(paths, job, ({ bytes }, record) =>
    planUninstall({ ...job, before: bytes, ...(record ? { record } : {}) }),
  );
}

/** Brings a file to exactly one entry of ours per wanted event. Writes only if that changes it. @throws {SettingsError} */
export function applyInstall(paths: InstallPlace, job: InstallJob): Promise<PlannedFile> {
  return locked(paths, async () => {
    const planned = await previewInstall(paths, job);
    const { snapshot, record } = planned;
    if (!planned.changes || planned.after === undefined) {
      if (record?.state === "pending") {
        await sweepTemps(snapshot.target);
        await writeRecord(paths, { ...record, state: "done" });
      }
      return planned;
    }
    const folders = await makeFolders(dirname(snapshot.target));
    const pending = pendingRecord(paths, job, planned, folders);
    const beforeRename = () => writeRecord(paths, pending);
    try {
      await replaceSettingsFile({ snapshot, after: planned.after, beforeRename });
    } catch (error) {
      await removeFolders(folders);
      throw error;
    }
    await writeRecord(paths, { ...pending, state: "done" });
    return planned;
  });
}

/** Rids a file of us. Writes only if we are in it. @throws {SettingsError} */
export function applyUninstall(paths: InstallPlace, job: FileJob): Promise<PlannedFile> {
  return locked(paths, async () => {
    const planned = await previewUninstall(paths, job);
    const { snapshot, record, after, changes } = planned;
    if (changes) await replaceSettingsFile({ snapshot, after, beforeRename: async () => {} });
    await deleteRecord(paths, snapshot.target);
    if (after === undefined) await removeFolders(record?.folders ?? []);
    return planned;
  });
}

/** One installer at a time, and again from the start when an agent wrote in between. */
async function locked(paths: InstallPlace, work: () => Promise<PlannedFile>): Promise<PlannedFile> {
  return withProcessLock(join(paths.state, "install.lock"), 2000, async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        const mayPass = error instanceof SettingsError && error.code === "settings.changed";
        if (!mayPass || attempt === tries) throw error;
        await sleep(20 + Math.random() * 80);
      }
    }
  });
}

/**
 * Reads and plans. An agent that truncates its file and then writes it leaves a moment in which the file is empty or
 * torn: such a file is read again a few times before it is believed.
 */
async function planSettled(
  paths: InstallPlace,
  job: FileJob,
  plan: (snapshot: SettingsSnapshot, record: InstallRecord | undefined) => Plan,
): Promise<PlannedFile> {
  for (const patienceMs of [50, 100, 200, 0]) {
    const snapshot = await readSettingsFile(job.file.path, maxSettingsBytes);
    const record = await readRecord(paths, snapshot.target);
    try {
      const isEmpty = snapshot.bytes !== undefined && isBlank(decodeSettings(job.file.path, snapshot.bytes));
      if (!isEmpty || patienceMs === 0) {
        const planned = plan(snapshot, record);
        if (planned.changes) await refuseReadOnly(snapshot);
        return {
          ...planned,
          warnings: [...planned.warnings, ...linkWarning(snapshot, planned)],
          snapshot,
          ...(record ? { record } : {}),
        };
      }
    } catch (error) {
      const mayPass = error instanceof SettingsError && ["settings.json", "settings.encoding"].includes(error.code);
      if (!mayPass || patienceMs === 0) throw error;
    }
    await sleep(patienceMs);
  }
  throw new Error("unreachable: the last try returns or throws");
}

function linkWarning({ path, links }: SettingsSnapshot, { changes }: Plan): string[] {
  return changes && links > 1 ? [`${path} has ${links} names (hard links); the others keep the old content.`] : [];
}

/** Makes a folder and those above it; returns the ones that were made, outermost first. */
async function makeFolders(folder: string): Promise<string[]> {
  const outermost = await makePrivateFolder(folder);
  if (outermost === undefined) return [];
  const made: string[] = [];
  for (let path = folder; path.length >= outermost.length; path = dirname(path)) made.unshift(path);
  return made;
}

/** Removes folders that we made. One that somebody else uses by now is not empty and stays. */
async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {});
}
