import type { EntryForm, JsonTrait, SettingsFile, SettingsShape } from "../../core/agent-settings.ts";
import type { JsonPath, Position } from "../../text/jsonc.ts";
import type { BeckonCommands } from "../beckon-commands.ts";

/** A hook entry to be written. */
export interface WantedEntry {
  readonly command: string;
  /** In the agent's own unit. */
  readonly timeout: number;
  /** A shorter timeout of the user's is raised to this; in the agent's unit. */
  readonly leastTimeout: number;
  /** How a new entry is written; absent: as Claude's. Existing entries keep their form, and get labels they lack. */
  readonly form?: EntryForm;
}

/**
 * Members that may hold an entry's command line, whatever the agent. All of them are read: beckon's entries are
 * recognized by their command line, and must be found even where nothing is known of the agent any more.
 */
export const commandMembers = ["command", "bash", "powershell"] as const;
/** Members that may hold an entry's timeout, whatever the agent. */
export const timeoutMembers = ["timeout", "timeoutSec"] as const;

/**
 * Top-level members that a file without hooks gets together with them; agents ignore a flat file without its version.
 */
export function preambleOf({ shape }: { readonly shape: SettingsShape }): Readonly<Record<string, unknown>> {
  return shape === "flat" ? { version: 1 } : {};
}

/** A hook entry in its agent's form, members in the order in which they are written. */
export function entryOf({ command, timeout, form = {} }: WantedEntry): Record<string, string | number | boolean> {
  const { constants = { type: "command" }, labels } = form;
  return { ...constants, [form.command ?? "command"]: command, [form.timeout ?? "timeout"]: timeout, ...labels };
}

/** A settings file as an editor gets it. */
export interface SettingsSource extends SettingsFile {
  /** Without a byte-order mark, never blank. */
  readonly text: string;
}

/** A request to remove beckon's entries. */
export interface EditRequest extends SettingsSource {
  readonly beckonCommands: BeckonCommands;
  /** Containers that an install made, as its record says; undefined: there is no record. */
  readonly made: readonly JsonPath[] | undefined;
}

/** A request to write entries. */
export interface InstallEdit extends EditRequest {
  /** By the agent's own event name. */
  readonly wanted: ReadonlyMap<string, WantedEntry>;
  /** What an earlier install wrote, by event; a timeout that differs from it was chosen by the user. */
  readonly previous: Readonly<Record<string, { readonly command: string; readonly timeout: number }>>;
}

/** The result of an edit. */
export interface Edited {
  readonly text: string;
  /** Containers that were not there before. */
  readonly created: readonly JsonPath[];
  /** Whether the file holds neither an entry nor a comment any more. */
  readonly empty: boolean;
}

/**
 * Edits settings files of one format. Text in, text out; changes nothing but beckon's own entries, and verifies that
 * before it returns.
 */
export interface SettingsEditor {
  /** The text that an empty file is edited as. */
  readonly blank: string;
  /** Exactly one entry per wanted event; a matcher and timeout of the user's stay. @throws {SettingsError} */
  install(request: InstallEdit): Edited;
  /** No entry of beckon's. @throws {SettingsError} */
  remove(request: EditRequest): Edited;
  /** The entries in a file, beckon's and others. @throws {SettingsError} */
  list(source: SettingsSource): readonly ListedEntry[];
  /** The file's top-level members. @throws {SettingsError} */
  members(source: SettingsSource): Readonly<Record<string, unknown>>;
  /** The file's whole value, with the positions of its parts. @throws {SettingsError} */
  read(source: SettingsSource): LocatedValue;
  /** What a text has that makes some agents ignore the whole file. */
  traits(text: string): readonly FoundTrait[];
}

/** A settings file's value, and where its parts are in the text. */
export interface LocatedValue {
  readonly value: unknown;
  /** Finds the position of what a path leads to, or of the nearest part of the path that is there. */
  locate(path: JsonPath): Partial<Position>;
}

/** Something that strict JSON does not allow, and where it first is. */
export interface FoundTrait {
  readonly trait: JsonTrait;
  readonly offset: number;
}

/** A hook entry that is in a file. */
export interface ListedEntry {
  readonly event: string;
  readonly command: string;
  /** In the agent's own unit. */
  readonly timeout?: number;
}
