import { SettingsError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type BeckonCommands, isBeckonCommand } from "../beckon-commands.ts";
import {
  type Edited,
  type EditRequest,
  findPlace,
  type InstallEdit,
  type ListedEntry,
  type Range,
  type Replacement,
  readEvent,
  type SettingsEditor,
  type SettingsSource,
  splice,
  statusMember,
  unverified,
  type WantedEntry,
} from "./editor.ts";

/** Hook entry with the positions of its editable values. */
export interface FoundEntry extends ListedEntry {
  readonly commandAt?: Range;
  readonly timeoutAt?: Range;
  /** Matcher of its group. */
  readonly matcher?: string;
}

/** Parsed file in any format, as needed for installing and removing. */
export interface EntryTree {
  readonly path: string;
  readonly text: string;
  readonly entries: readonly FoundEntry[];
}

/**
 * Elementary edits of one file format. The caller parses the text again after each edit, so no offset is ever stale.
 */
export interface EntryFormat<Tree extends EntryTree> extends Pick<SettingsEditor, "blank" | "members" | "traits"> {
  readonly locate: SettingsEditor["read"];
  /** Parses a file. @throws {SettingsError} for a file that cannot be edited safely */
  read(source: SettingsSource): Tree;
  /** Adds an entry after all other entries of the event. */
  add(tree: Tree, event: string, wanted: WantedEntry, request: InstallEdit): string;
  /** Changes an entry to the wanted one; absent for formats in which command and timeout are the entry's only values. */
  update?(tree: Tree, wanted: WantedEntry): string;
  /** Adds a missing member at the end of an entry; absent for formats without labels. */
  label?(tree: Tree, entry: Tree["entries"][number], name: string, value: string): string;
  /** Removes a member of an entry if it has this value. */
  unlabel?(tree: Tree, entry: Tree["entries"][number], name: string, value: string): string;
  /** Formats a value. */
  spell(value: string | number): string;
  /** Removes an entry, and the objects and arrays around it that would then be empty and may be removed. */
  remove(tree: Tree, entry: Tree["entries"][number], request: EditRequest): string;
  /** Verifies that only beckon's entries and their preamble differ. @throws {SettingsError} `settings.verify` */
  verify(before: Tree, after: Tree, beckonCommands: BeckonCommands): Pick<Edited, "created" | "empty">;
}

/** Creates the editor of a format. Installing and removing work alike in all formats. */
export function entryEditor<Tree extends EntryTree>(format: EntryFormat<Tree>): SettingsEditor {
  const { blank, members, traits, locate } = format;
  return {
    blank,
    members,
    traits,
    read: locate,
    list: (source) => {
      const { entries } = format.read(source);
      return entries.map(({ event, command, timeout }) => omitUndefined({ event, command, timeout }));
    },
    install: (request) => install(format, request),
    remove: (request) => remove(format, request),
  };
}

function install<Tree extends EntryTree>(format: EntryFormat<Tree>, request: InstallEdit): Edited {
  const commands = [...request.wanted.values()].map(({ command }) => command);
  const beckonCommands = { ...request.beckonCommands, exact: new Set([...request.beckonCommands.exact, ...commands]) };
  let text = removeWhere(format, request, (entry, { entries }) => isRedundant(request, beckonCommands, entry, entries));
  for (const [place, wanted] of request.wanted) {
    const find = () => {
      const tree = readEdited(format, request, text);
      const isOurs = (entry: ListedEntry) =>
        findPlace(entry) === place && isBeckonCommand(beckonCommands, entry.command);
      return { tree, ours: tree.entries.find(isOurs) };
    };
    const { tree, ours } = find();
    if (ours && format.update) text = format.update(tree, wanted);
    else if (ours) text = splice(text, ...changesTo(request, ours, wanted, format.spell));
    else text = format.add(tree, readEvent(place), wanted, request);
    const change = (edit: EntryFormat<Tree>["label"], name: string, value: string): void => {
      const { tree, ours } = find();
      if (ours && edit) text = edit(tree, ours, name, value);
    };
    for (const [name, value] of Object.entries(wanted.form?.labels ?? {})) change(format.label, name, value);
    const { status } = wanted;
    if (status) change(status.isWanted ? format.label : format.unlabel, statusMember, status.text);
  }
  const before = format.read(request);
  const after = readEdited(format, request, text);
  verifyEntries(request, beckonCommands, after.entries);
  return { text, ...format.verify(before, after, beckonCommands) };
}

function remove<Tree extends EntryTree>(format: EntryFormat<Tree>, request: EditRequest): Edited {
  const text = removeWhere(format, request, ({ command }) => isBeckonCommand(request.beckonCommands, command));
  const after = readEdited(format, request, text);
  return { text, ...format.verify(format.read(request), after, request.beckonCommands) };
}

function removeWhere<Tree extends EntryTree>(
  format: EntryFormat<Tree>,
  request: EditRequest,
  isUnwanted: (entry: FoundEntry, tree: Tree) => boolean,
): string {
  for (let text = request.text; ; ) {
    const tree = readEdited(format, request, text);
    const entry = tree.entries.findLast((candidate) => isUnwanted(candidate, tree));
    if (!entry) return text;
    text = format.remove(tree, entry, request);
  }
}

/** Parses an edited text. A failure counts as a fault in the edit, not in the user's file. */
function readEdited<Tree extends EntryTree>(format: EntryFormat<Tree>, request: EditRequest, text: string): Tree {
  try {
    return format.read({ ...request, text });
  } catch (error) {
    if (text === request.text || !(error instanceof SettingsError)) throw error;
    throw unverified(request.path, "the edit would break it");
  }
}

/**
 * Checks if an entry of beckon must be removed: a second entry for its place, a recorded entry for a place that is no
 * longer wanted, or an entry with a matcher that beckon replaces. The first entry for a place stays otherwise, because it
 * may have the user's changes.
 */
function isRedundant(
  { wanted, previous }: InstallEdit,
  beckonCommands: BeckonCommands,
  entry: FoundEntry,
  entries: readonly FoundEntry[],
): boolean {
  if (!isBeckonCommand(beckonCommands, entry.command)) return false;
  const place = findPlace(entry);
  if (!wanted.has(place)) return previous[place] !== undefined;
  const { matcher } = wanted.get(place) ?? {};
  if (matcher && matcher.instead === entry.matcher) return true;
  return (
    entry !== entries.find((other) => findPlace(other) === place && isBeckonCommand(beckonCommands, other.command))
  );
}

/**
 * Lists the replacements that update an entry. A timeout that the user has set stays, unless it is too short for the
 * hook.
 */
function changesTo(
  { previous }: InstallEdit,
  { commandAt, timeoutAt, ...entry }: FoundEntry,
  wanted: WantedEntry,
  spell: (value: string | number) => string,
): Replacement[] {
  const { command, timeout } = entry;
  const isOld = timeout !== undefined && timeout === previous[findPlace(entry)]?.timeout && timeout !== wanted.timeout;
  const isShort = timeout !== undefined && timeout < wanted.leastTimeout;
  const changes: Replacement[] = [];
  if (commandAt && command !== wanted.command) changes.push({ ...commandAt, by: spell(wanted.command) });
  if (timeoutAt && (isOld || isShort)) changes.push({ ...timeoutAt, by: spell(wanted.timeout) });
  return changes;
}

function verifyEntries(
  { path, wanted }: InstallEdit,
  beckonCommands: BeckonCommands,
  entries: readonly ListedEntry[],
): void {
  for (const [place, { command }] of wanted) {
    const ours = entries.filter(
      (entry) => findPlace(entry) === place && isBeckonCommand(beckonCommands, entry.command),
    );
    if (ours.length === 1 && ours[0]?.command === command) continue;
    throw unverified(path, `the edit would not leave exactly one entry for ${place}`);
  }
}
