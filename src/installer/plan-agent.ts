import type { JsonTrait, Scope, SettingsFile } from "../core/agent-settings.ts";
import type { Paths } from "../core/paths.ts";
import type { SettingsSnapshot } from "./files/read-settings-file.ts";
import type { WantedEntry } from "./editors/editor.ts";
import type { OwnCommands } from "./beckon-commands.ts";
import type { Plan } from "./plan-file.ts";
import type { InstallRecord } from "./record.ts";

/** One settings file to be worked on. */
export interface FileJob {
  readonly agent: string;
  readonly scope: Scope;
  readonly file: SettingsFile;
  readonly own: OwnCommands;
}

export interface InstallJob extends FileJob {
  readonly wanted: ReadonlyMap<string, WantedEntry>;
  readonly ignoresFileWith: readonly JsonTrait[];
  /** Top-level members that a file without hooks gets together with them. */
  readonly preamble?: Readonly<Record<string, unknown>>;
  /** Kept in the record so that an upgrade keeps them. */
  readonly chosen: { readonly events?: readonly string[]; readonly waitSeconds?: number };
}

/** A plan together with what it was made from. */
export interface PlannedFile extends Plan {
  readonly snapshot: SettingsSnapshot;
  readonly record?: InstallRecord;
}

/** The part of beckon's own folder that installing needs. */
export type InstallPlace = Pick<Paths, "state" | "launcher" | "app">;
