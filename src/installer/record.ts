import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { scopes, settingsShapes } from "../core/agent-settings.ts";
import { readErrno, SettingsError } from "../core/errors.ts";
import { writePrivateFile } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { sha256 } from "./files/read-settings-file.ts";

const recordSchema = z.object({
  v: z.literal(1),
  agent: z.string(),
  scope: z.enum(scopes),
  shape: z.enum(settingsShapes),
  /** Path of the settings file, as given. */
  file: z.string(),
  /** Real path of the settings file. */
  target: z.string(),
  /** State; `pending` while the settings file is being replaced. */
  state: z.enum(["pending", "done"]),
  /** Original bytes, base64; null if there was no file. */
  original: z.nullable(z.string()),
  /** SHA-256 of each content of the file with nothing but the original and beckon's entries, newest last. */
  written: z.array(z.string()),
  /** Written entries by place, see `findPlace`, with timeouts in the agent's unit. */
  entries: z.record(z.string(), z.object({ command: z.string(), timeout: z.number() })),
  /** Paths of the objects and arrays that the install created in the file. */
  created: z.array(z.array(z.union([z.string(), z.number()]))),
  /** Folders created by the install, innermost last. */
  folders: z.array(z.string()),
  /** Launcher at the time of the install. */
  launcher: z.string(),
  /** `app` folder at the time of the install. */
  app: z.string(),
  /** Events that the user chose, which an upgrade keeps. */
  events: z.optional(z.array(z.string())),
  /** Waiting time that the user chose, which an upgrade keeps. */
  waitSeconds: z.optional(z.number()),
});

/** Record of an install into a settings file. Private, because it contains the file's original bytes. */
export type InstallRecord = z.output<typeof recordSchema>;

/** Paths in beckon's folder that an install needs. */
export type InstallPaths = Pick<Paths, "state" | "launcher" | "app">;

/** Returns the path of a settings file's record. `target` is the settings file's real path. */
export function recordPath(paths: Pick<Paths, "state">, target: string): string {
  return join(paths.state, "installs", `${sha256(target).slice(0, 32)}.json`);
}

/** Reads the record of a settings file; undefined without one. @throws {SettingsError} `settings.record` */
export async function readRecord(paths: Pick<Paths, "state">, target: string): Promise<InstallRecord | undefined> {
  return readRecordFile(recordPath(paths, target));
}

/** Reads all records, in no particular order. @throws {SettingsError} `settings.record` */
export async function allRecords(paths: Pick<Paths, "state">): Promise<InstallRecord[]> {
  const folder = join(paths.state, "installs");
  const names = await readdir(folder).catch((error: unknown) => {
    if (readErrno(error) === "ENOENT") return [];
    throw unreadable(folder, "the install records cannot be read");
  });
  const found: InstallRecord[] = [];
  for (const name of names.filter((each) => /^[0-9a-f]{32}\.json$/.test(each)).sort()) {
    const record = await readRecordFile(join(folder, name));
    if (record) found.push(record);
  }
  return found;
}

async function readRecordFile(path: string): Promise<InstallRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    if (readErrno(error) === "ENOENT") return undefined;
    throw unreadable(path, "this install record cannot be read");
  }
}

function unreadable(path: string, problem: string): SettingsError {
  const hint = "Move it away. beckon then recognizes its entries by their command lines.";
  return new SettingsError("settings.record", path, problem, hint);
}

/** Writes the record of a settings file. @throws {SettingsError} `settings.record` */
export async function writeRecord(paths: Pick<Paths, "state">, record: InstallRecord): Promise<void> {
  const path = recordPath(paths, record.target);
  try {
    writePrivateFile(path, `${JSON.stringify(record, null, 2)}\n`);
  } catch (error) {
    const why = readErrno(error) ?? (error as Error).message;
    const problem = `the install record could not be written (${why})`;
    throw new SettingsError("settings.record", path, problem, "Free some disk space, then try again.");
  }
}

/** Deletes the record of a settings file, if there is one. */
export async function deleteRecord(paths: Pick<Paths, "state">, target: string): Promise<void> {
  await rm(recordPath(paths, target), { force: true });
}
