import type { EntryForm, JsonTrait, SettingsFile } from "../../core/agent-settings.ts";
import type { OwnCommands } from "../beckon-commands.ts";
import type { JsonPath } from "../../settings/path.ts";

/** One hook to be registered. */
export interface WantedEntry {
  readonly command: string;
  /** In the agent's own unit. */
  readonly timeout: number;
  /** A user's own shorter timeout is raised to this; in the agent's unit. */
  readonly leastTimeout: number;
  /** How a new entry is written; none: as Claude's. Entries that are there keep their form. */
  readonly form?: EntryForm;
}

/** A settings file as an editor gets to see it. `text` has no byte-order mark and is never blank. */
export interface SettingsSource {
  readonly file: string;
  readonly text: string;
  readonly shape: SettingsFile["shape"];
}

export interface EditRequest extends SettingsSource {
  readonly own: OwnCommands;
  /** Containers that an install made, as its record says; undefined: nobody knows. */
  readonly made: readonly JsonPath[] | undefined;
}

export interface InstallEdit extends EditRequest {
  /** By the agent's own event name. */
  readonly wanted: ReadonlyMap<string, WantedEntry>;
  /** What an earlier install wrote; tells a timeout of ours from one the user chose. */
  readonly previous: Readonly<Record<string, { readonly command: string; readonly timeout: number }>>;
  /** Top-level members that a file without hooks gets together with them. */
  readonly preamble: Readonly<Record<string, unknown>>;
}

export interface Edited {
  readonly text: string;
  /** Containers that were not there before. */
  readonly created: readonly JsonPath[];
  /** The file holds no entry and no comment any more. */
  readonly empty: boolean;
}

/**
 * Edits one family of settings files. Text in, text out; touches nothing but our own entries and proves it before it
 * answers.
 */
export interface SettingsEditor {
  /** What a file with nothing in it counts as. */
  readonly blank: string;
  /** Exactly one entry per wanted event; the user's own matcher and timeout stay. @throws {SettingsError} */
  install(request: InstallEdit): Edited;
  /** No entry of ours. @throws {SettingsError} */
  remove(request: EditRequest): Edited;
  /** The entries that are there, ours and others'. @throws {SettingsError} */
  list(source: SettingsSource): readonly ListedEntry[];
  /** The file's top-level members. @throws {SettingsError} */
  members(source: SettingsSource): Readonly<Record<string, unknown>>;
  /** What a text has that some agents ignore a whole file for. */
  traits(text: string): readonly JsonTrait[];
}

export interface ListedEntry {
  readonly event: string;
  readonly command: string;
  readonly timeout?: number;
}
