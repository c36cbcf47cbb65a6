import type { AgentSettings, EntryForm, JsonTrait, SettingsFile, SettingsShape } from "../../core/agent-settings.ts";
import { SettingsError } from "../../core/errors.ts";
import { type JsonPath, lineAndColumn, type Position } from "../../text/jsonc.ts";
import type { BeckonCommands } from "../beckon-commands.ts";

/** Hook entry to write. */
export interface WantedEntry {
  readonly command: string;
  /** Timeout in the agent's own unit. */
  readonly timeout: number;
  /** Minimum for the user's own timeout, in the agent's unit. */
  readonly leastTimeout: number;
  /** Program and arguments, for a file that keeps them apart. */
  readonly words?: readonly string[];
  /** Form of a new entry; default: Claude's. Existing entries keep their form and get missing labels. */
  readonly form?: EntryForm;
  /**
   * Matcher of a new entry's group. An entry in a group whose matcher is `instead`, or absent if that is undefined, gets a
   * new group. Another matcher is the user's, and stays.
   */
  readonly matcher?: { readonly text: string | undefined; readonly instead: string | undefined };
  /**
   * Text that the agent shows while the hook waits for an answer, for agents that show one; not wanted if the hook no
   * longer waits. Another text there is the user's, and stays.
   */
  readonly status?: { readonly text: string; readonly isWanted: boolean };
}

/** Name of the member that holds a status message. */
export const statusMember = "statusMessage";

/**
 * Members that may hold an entry's command line, for all agents. beckon recognizes its entries by the command line,
 * even entries of agents that it no longer knows.
 */
export const commandMembers = ["command", "bash", "powershell"] as const;
/** Members that may hold an entry's timeout, for all agents. */
export const timeoutMembers = ["timeout", "timeoutSec"] as const;

/**
 * Returns the top-level members that a new file needs besides its hooks. Only a file with flat lists of hooks needs
 * one: a version, without which agents ignore the file.
 */
export function buildPreamble({ shape }: { readonly shape: SettingsShape }): Readonly<Record<string, unknown>> {
  return shape === "flat" ? { version: 1 } : {};
}

/** Builds a hook entry in its agent's form, with members in writing order. */
export function buildEntry({ command, timeout, form = {} }: WantedEntry): Record<string, string | number | boolean> {
  const { constants = { type: "command" }, labels } = form;
  return { ...constants, [form.command ?? "command"]: command, [form.timeout ?? "timeout"]: timeout, ...labels };
}

/** Settings file with its text, for an editor. */
export interface SettingsSource extends SettingsFile {
  /** Text without a byte-order mark, never blank. */
  readonly text: string;
}

/** Request to remove beckon's entries. */
export interface EditRequest extends SettingsSource {
  readonly beckonCommands: BeckonCommands;
  /** Paths of the objects and arrays that an install created, according to its record. Undefined without a record. */
  readonly made: readonly JsonPath[] | undefined;
}

/** Request to write entries. */
export interface InstallEdit extends EditRequest {
  /** Entries by place; see `findPlace`. */
  readonly wanted: ReadonlyMap<string, WantedEntry>;
  /** Entries of an earlier install, by place. A different timeout in the file is the user's choice. */
  readonly previous: Readonly<Record<string, { readonly command: string; readonly timeout: number }>>;
  /** Writes the text of a file that only beckon writes. */
  readonly ownText?: AgentSettings["ownText"];
}

/** Result of an edit. */
export interface Edited {
  readonly text: string;
  /** Paths of the objects and arrays that the edit created. */
  readonly created: readonly JsonPath[];
  /** True if the file has no content left, not even a comment. */
  readonly empty: boolean;
}

/**
 * Editor for settings files of one format, which turns one text into another. It changes only beckon's entries, and
 * verifies this before it returns.
 */
export interface SettingsEditor {
  /** Text that replaces an empty file before editing. */
  readonly blank: string;
  /** Writes exactly one entry per wanted event, and keeps the user's matchers. @throws {SettingsError} */
  install(request: InstallEdit): Edited;
  /** Removes beckon's entries. @throws {SettingsError} */
  remove(request: EditRequest): Edited;
  /** Lists all entries in a file. @throws {SettingsError} */
  list(source: SettingsSource): readonly ListedEntry[];
  /** Returns the file's top-level members. @throws {SettingsError} */
  members(source: SettingsSource): Readonly<Record<string, unknown>>;
  /** Reads the file's value. `locate` finds the position of a path, or of its nearest part. @throws {SettingsError} */
  read(source: SettingsSource): { readonly value: unknown; locate(path: JsonPath): Partial<Position> };
  /** Finds traits of a text that make some agents ignore the whole file. */
  traits(text: string): readonly FoundTrait[];
}

/** Trait that strict JSON does not allow, with its first position. */
export interface FoundTrait {
  readonly trait: JsonTrait;
  readonly offset: number;
}

/** Hook entry in a file. */
export interface ListedEntry {
  readonly event: string;
  readonly command: string;
  /** Timeout in the agent's own unit. */
  readonly timeout?: number;
}

/** Ending of the place of an entry for the agent's forms. */
const formPlace = " --form";

/** Returns the place of an entry among beckon's: its event, or a second place of that event for the agent's forms. */
export function findPlace({ event, command }: Pick<ListedEntry, "event" | "command">): string {
  return command.includes(`${formPlace} `) ? event + formPlace : event;
}

/** Returns the event of a place. */
export function readEvent(place: string): string {
  return place.endsWith(formPlace) ? place.slice(0, -formPlace.length) : place;
}

/** Range in a text, in UTF-16 units. `start` is inside the range, `end` is just after it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Range of a text to replace by `by`. Without `by`, the range is removed. */
export interface Replacement extends Range {
  readonly by?: string;
}

/** Replaces ranges of a text, which must not overlap. */
export function splice(text: string, ...replacements: readonly Replacement[]): string {
  const fromTheEnd = replacements.toSorted((a, b) => b.start - a.start);
  return fromTheEnd.reduce((edited, { start, end, by = "" }) => edited.slice(0, start) + by + edited.slice(end), text);
}

/** Inserts a text at an offset. */
export function insert(text: string, at: number, added: string): string {
  return splice(text, { start: at, end: at, by: added });
}

const correctByHandHint = "Correct it, then try again. Nothing was changed.";

/** Creates the error for a file with a syntax error. */
export function invalid(file: string, format: "JSON" | "TOML", { line, column }: Position, words: string) {
  const problem = `not valid ${format} at line ${line}, column ${column}: ${words}`;
  return new SettingsError(`settings.${format.toLowerCase()}`, file, problem, correctByHandHint);
}

/** Creates the error for a value whose shape beckon cannot edit, with its name and position. */
export function wrongShape(
  { path, text }: { readonly path: string; readonly text: string },
  name: string,
  offset: number,
  problem: string,
): SettingsError {
  const { line, column } = lineAndColumn(text, offset);
  return new SettingsError(
    "settings.shape",
    path,
    `\`${name}\` at line ${line}, column ${column} ${problem}`,
    correctByHandHint,
  );
}

/** Creates the error for an edit that failed verification. */
export function unverified(file: string, problem: string): SettingsError {
  const hint = "Nothing was changed. Please report this with the file's layout, and add the entries yourself.";
  return new SettingsError("settings.verify", file, problem, hint);
}
