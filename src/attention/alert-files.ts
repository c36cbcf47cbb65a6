import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ClockPort, Timer } from "../core/ports.ts";
import { readStateFile, writeStateFile } from "../files/atomic-file.ts";
import { fileVersion, listQuietly } from "../files/read-file.ts";
import { type Alert, alertSchema, type Session, sessionSchema } from "./alert.ts";

const fileName = /^[0-9a-f]{32}\.json$/;

/** Returns the path of the folder that contains the alerts. */
export function alertFolder({ state }: { readonly state: string }): string {
  return join(state, "alerts");
}

interface ReadAlert {
  readonly version: string;
  readonly alert: Alert | undefined;
}

/** Alerts as last read, by folder and file name, so that a board reads only changed files instead of a thousand. */
const lastRead = new Map<string, ReadonlyMap<string, ReadAlert>>();

/** Reads all alerts in a folder; empty if the folder is missing. Skips damaged files and files of other versions. */
export function readAlerts(folder: string): Alert[] {
  const known = lastRead.get(folder);
  const files = fileNames(folder).map((name): [string, ReadAlert] => {
    const version = fileVersion(join(folder, name));
    const found = known?.get(name);
    return [name, found?.version === version ? found : { version, alert: readAlert(folder, name) }];
  });
  lastRead.set(folder, new Map(files));
  return files.flatMap(([, { alert }]) => alert ?? []);
}

function readAlert(folder: string, name: string): Alert | undefined {
  const alert = readStateFile(join(folder, name), () => alertSchema().optional(), undefined);
  return alert && `${alert.key}.json` === name ? alert : undefined;
}

/** Time in milliseconds in which a folder may change twice without a new modification time. */
const folderSettleMs = 100;

/**
 * Reads only the changed alerts in a folder, because reading a thousand files twice a second would keep a CPU core
 * busy.
 */
export class ChangedAlerts {
  readonly #folder: string;
  #versions = new Map<string, string>();
  #folderAtMs: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Reads the alerts that are new or changed since the last call. The first call reads all alerts. */
  read(): Alert[] {
    const folderAtMs = statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs;
    if (folderAtMs === this.#folderAtMs) return [];
    const isSettled = folderAtMs !== undefined && Date.now() - folderAtMs > folderSettleMs;
    this.#folderAtMs = isSettled ? folderAtMs : Number.NaN;
    const known = this.#versions;
    this.#versions = new Map(fileNames(this.#folder).map((name) => [name, fileVersion(join(this.#folder, name))]));
    const changed = [...this.#versions].filter(([name, version]) => known.get(name) !== version);
    return changed.flatMap(([name]) => readAlert(this.#folder, name) ?? []);
  }

  /** True if an alert with this key existed at the last call of `read`. */
  has(key: string): boolean {
    return this.#versions.has(`${key}.json`);
  }
}

/** Longest delay before an alert stored with `putLater` is written, in milliseconds. */
const writeDelayMs = 100;

/**
 * Alerts of all sessions. The worker keeps them in memory, and stores each alert in a file for later workers. A file is
 * read when its alert is needed, so that a worker's first event does not wait for all files of a day.
 */
export class Alerts {
  readonly #folder: string;
  readonly #clock: ClockPort;
  /** Alerts that were read or stored, by key; `undefined` for a session without an alert. */
  readonly #known = new Map<string, Alert | undefined>();
  /** Modification time of the folder when all alerts were read. */
  #readAtMs: number | undefined;
  /** Keys of alerts that are not in their files yet. */
  readonly #unwritten = new Set<string>();
  #writing: Timer | undefined;

  constructor(folder: string, clock: ClockPort) {
    this.#folder = folder;
    this.#clock = clock;
  }

  get(key: string): Alert | undefined {
    if (this.#readAtMs === undefined && !this.#known.has(key)) this.#read(key);
    return this.#known.get(key);
  }

  all(): readonly Alert[] {
    this.#readAll();
    return [...this.#known.values()].filter((alert) => alert !== undefined);
  }

  /** Lists the sessions of all alerts. Reads less than `all`, so that a first message waits for less. */
  sessions(): readonly Session[] {
    if (this.#readAtMs !== undefined) return this.all();
    return fileNames(this.#folder).flatMap((name) => {
      const key = name.replace(/\.json$/, "");
      if (this.#known.has(key)) return this.#known.get(key) ?? [];
      return readStateFile(join(this.#folder, name), () => sessionSchema().optional(), undefined) ?? [];
    });
  }

  /** Stores an alert. If the disk is full, the alert is kept in memory as long as this process runs. */
  put(alert: Alert): void {
    this.#known.set(alert.key, alert);
    this.#write(alert.key);
  }

  /**
   * Stores an alert that will soon change again. Its file is written with the next `put`, by `flush`, or after 100 ms.
   * Use this function only for changes that would be made again if this process died first.
   */
  putLater(alert: Alert): void {
    this.#known.set(alert.key, alert);
    this.#unwritten.add(alert.key);
    this.#writing ??= this.#clock.after(writeDelayMs, () => {
      this.#writing = undefined;
      for (const key of [...this.#unwritten]) this.#write(key);
    });
  }

  /** Writes a session's alert if it was stored with `putLater` and is not written yet. */
  flush(key: string): void {
    if (this.#unwritten.has(key)) this.#write(key);
  }

  /** Removes a session's alert. */
  remove(key: string): void {
    this.#known.delete(key);
    this.#unwritten.delete(key);
    rmSync(join(this.#folder, `${key}.json`), { force: true });
  }

  #write(key: string): void {
    this.#unwritten.delete(key);
    writeStateFile(join(this.#folder, `${key}.json`), this.#known.get(key));
  }

  #read(key: string): void {
    this.#known.set(key, readAlert(this.#folder, `${key}.json`));
  }

  /** Reads all alerts on the first call, and on later calls those that other processes have added. */
  #readAll(): void {
    const changedAtMs = statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changedAtMs === this.#readAtMs) return;
    this.#readAtMs = changedAtMs;
    const keys = fileNames(this.#folder).map((name) => name.replace(/\.json$/, ""));
    for (const key of keys) if (this.#known.get(key) === undefined) this.#read(key);
  }
}

function fileNames(folder: string): string[] {
  return listQuietly(folder).filter((name) => fileName.test(name));
}
