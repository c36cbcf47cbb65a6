import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ClockPort, Timer } from "../core/ports.ts";
import { fileVersion } from "../files/file-version.ts";
import { readStateFile, writeStateFile } from "../files/state-file.ts";
import { type Alert, alertSchema } from "./alert.ts";

const fileName = /^[0-9a-f]{32}\.json$/;

/** Folder of the alerts, below the folder of beckon's state. */
export function alertFolder({ state }: { readonly state: string }): string {
  return join(state, "alerts");
}

/** All alerts in a folder; none where there is no folder yet. A file that is torn or of another version is left out. */
export function readAlerts(folder: string): Alert[] {
  return fileNames(folder).flatMap((name) => readAlert(folder, name) ?? []);
}

function readAlert(folder: string, name: string): Alert | undefined {
  const alert = readStateFile(join(folder, name), () => alertSchema().optional(), undefined);
  return alert && `${alert.key}.json` === name ? alert : undefined;
}

/** A folder that changed so recently may change again without its time showing it, milliseconds. */
const unsettledMs = 100;

/** The alerts of a folder as they change; to read a thousand files twice a second would be a core's work. */
export class ChangedAlerts {
  readonly #folder: string;
  #versions = new Map<string, string>();
  #folderAtMs: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The alerts whose file is another one than at the last look, and those that were not there; at the first, all. */
  read(): Alert[] {
    const folderAtMs = statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs;
    if (folderAtMs === this.#folderAtMs) return [];
    const isSettled = folderAtMs !== undefined && Date.now() - folderAtMs > unsettledMs;
    this.#folderAtMs = isSettled ? folderAtMs : Number.NaN;
    const known = this.#versions;
    this.#versions = new Map(fileNames(this.#folder).map((name) => [name, fileVersion(join(this.#folder, name))]));
    const changed = [...this.#versions].filter(([name, version]) => known.get(name) !== version);
    return changed.flatMap(([name]) => readAlert(this.#folder, name) ?? []);
  }

  /** Whether an alert was there at the last look. */
  has(key: string): boolean {
    return this.#versions.has(`${key}.json`);
  }
}

/** How long an alert that was noted waits to be written, milliseconds. */
const writeAfterMs = 100;

/**
 * The alerts of all sessions: kept in memory by the worker, and in a file each so that they outlive it. Read as they are
 * asked for: a worker's first event need not wait for those of a day.
 */
export class Alerts {
  readonly #folder: string;
  readonly #clock: ClockPort;
  /** Those that were read or put; `undefined` for a session without one. */
  readonly #known = new Map<string, Alert | undefined>();
  /** Time of the folder's last change when all were read. */
  #readAtMs: number | undefined;
  /** The keys of the alerts that a message tells of: thousands of sessions may be open. */
  readonly #byMessage = new Map<string, Set<string>>();
  /** The keys of those that were noted and not written yet. */
  readonly #noted = new Set<string>();
  #writing: Timer | undefined;

  constructor(folder: string, clock: ClockPort) {
    this.#folder = folder;
    this.#clock = clock;
  }

  get(key: string): Alert | undefined {
    if (this.#readAtMs === undefined && !this.#known.has(key)) this.#take(key, readAlert(this.#folder, `${key}.json`));
    return this.#known.get(key);
  }

  all(): readonly Alert[] {
    this.#readAll();
    return [...this.#known.values()].filter((alert) => alert !== undefined);
  }

  /** Those that a notifier's message tells of. */
  withMessage(notifier: string, group: string): readonly Alert[] {
    this.#readAll();
    return [...(this.#byMessage.get(messageKey(notifier, group)) ?? [])].flatMap((key) => this.#known.get(key) ?? []);
  }

  /** Keeps an alert. What cannot be written, on a full disk, holds as long as this process lives. */
  put(alert: Alert): void {
    this.#replace(alert);
    this.#write(alert.key);
  }

  /**
   * Keeps an alert that is soon to be put with more in it: it is written then, by `flush`, or after a tenth of a second.
   * For what would come about again if this process died before.
   */
  note(alert: Alert): void {
    this.#replace(alert);
    this.#noted.add(alert.key);
    this.#writing ??= this.#clock.after(writeAfterMs, () => this.#flushAll());
  }

  /** Writes a session's alert, if it was noted and is not written yet. */
  flush(key: string): void {
    if (this.#noted.has(key)) this.#write(key);
  }

  /** Forgets a session. */
  remove(key: string): void {
    this.#forgetMessages(this.get(key));
    this.#known.delete(key);
    this.#noted.delete(key);
    rmSync(join(this.#folder, `${key}.json`), { force: true });
  }

  #flushAll(): void {
    this.#writing = undefined;
    for (const key of [...this.#noted]) this.#write(key);
  }

  #write(key: string): void {
    this.#noted.delete(key);
    writeStateFile(join(this.#folder, `${key}.json`), this.#known.get(key));
  }

  #replace(alert: Alert): void {
    this.#forgetMessages(this.get(alert.key));
    this.#take(alert.key, alert);
  }

  /** Reads all files, and later those that another process has added. */
  #readAll(): void {
    const changedAtMs = statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changedAtMs === this.#readAtMs) return;
    this.#readAtMs = changedAtMs;
    const keys = fileNames(this.#folder).map((name) => name.replace(/\.json$/, ""));
    for (const key of keys)
      if (this.#known.get(key) === undefined) this.#take(key, readAlert(this.#folder, `${key}.json`));
  }

  #take(key: string, alert: Alert | undefined): void {
    this.#known.set(key, alert);
    for (const message of alert ? messagesOf(alert) : []) {
      const keys = this.#byMessage.get(message) ?? new Set();
      this.#byMessage.set(message, keys.add(key));
    }
  }

  #forgetMessages(alert: Alert | undefined): void {
    for (const message of alert ? messagesOf(alert) : []) {
      const keys = this.#byMessage.get(message);
      keys?.delete(alert?.key ?? "");
      if (keys?.size === 0) this.#byMessage.delete(message);
    }
  }
}

function messagesOf({ concerns }: Alert): string[] {
  return concerns.flatMap(({ messages }) =>
    Object.entries(messages).flatMap(([notifier, sent]) => sent.map(({ group }) => messageKey(notifier, group))),
  );
}

function messageKey(notifier: string, group: string): string {
  return `${notifier}\n${group}`;
}

function fileNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => fileName.test(name));
  } catch {
    return []; // none yet, or another user's
  }
}
