import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readStateFile, writeStateFile } from "../core/state-file.ts";
import { type Alert, alertSchema } from "./alert.ts";

const fileName = /^[0-9a-f]{32}\.json$/;

/** Folder of the alerts, below the folder of beckon's state. */
export function alertFolder({ state }: { readonly state: string }): string {
  return join(state, "alerts");
}

/** All alerts in a folder; none where there is no folder yet. A file that is torn or of another version is left out. */
export function readAlerts(folder: string): Alert[] {
  return fileNames(folder).flatMap((name) => {
    const alert = readStateFile(join(folder, name), alertSchema.optional(), undefined);
    return alert && `${alert.key}.json` === name ? [alert] : [];
  });
}

/** The alerts of all sessions: kept in memory by the worker, and in a file each so that they outlive it. */
export class Alerts {
  readonly #folder: string;
  #alerts: Map<string, Alert> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get(key: string): Alert | undefined {
    return this.#all().get(key);
  }

  all(): readonly Alert[] {
    return [...this.#all().values()];
  }

  /** Keeps an alert. What cannot be written, on a full disk, holds as long as this process lives. */
  put(alert: Alert): void {
    this.#all().set(alert.key, alert);
    writeStateFile(join(this.#folder, `${alert.key}.json`), alert);
  }

  /** Forgets a session. */
  remove(key: string): void {
    this.#all().delete(key);
    rmSync(join(this.#folder, `${key}.json`), { force: true });
  }

  #all(): Map<string, Alert> {
    this.#alerts ??= new Map(readAlerts(this.#folder).map((alert) => [alert.key, alert]));
    return this.#alerts;
  }
}

function fileNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => fileName.test(name));
  } catch {
    return []; // none yet, or another user's
  }
}
