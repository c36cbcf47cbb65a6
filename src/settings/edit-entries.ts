import { SettingsError } from "../core/errors.ts";
import type { Edited, EditRequest, InstallEdit, ListedEntry, SettingsEditor, WantedEntry } from "../installer/editors/editor.ts";
import type { EntryFormat, EntryTree } from "./entry-format.ts";
import { isOwn, type OwnCommands } from "../installer/beckon-commands.ts";

/** The editor of a format: one way to install and to remove for all of them. */
export function editorOf<Entry extends ListedEntry, Tree extends EntryTree<Entry>>(
  format: EntryFormat<Entry, Tree>,
): SettingsEditor {
  const { blank, members, traits } = format;
  return {
    blank,
    members,
    traits,
    list: (source) => format.read(source).entries.map(plain),
    install: (request) => install(format, request),
    remove: (request) => remove(format, request),
  };
}

function plain({ event, command, timeout }: ListedEntry): ListedEntry {
  return { event, command, ...(timeout === undefined ? {} : { timeout }) };
}

function install<Entry extends ListedEntry, Tree extends EntryTree<Entry>>(
  format: EntryFormat<Entry, Tree>,
  request: InstallEdit,
): Edited {
  const commands = [...request.wanted.values()].map(({ command }) => command);
  const own = { ...request.own, exact: new Set([...request.own.exact, ...commands]) };
  let text = removeWhere(format, request, (entry, { entries }) => isSurplus(request, own, entry, entries));
  for (const [event, wanted] of request.wanted) {
    const tree = reread(format, request, text);
    const ours = tree.entries.find((entry) => entry.event === event && isOwn(own, entry.command));
    if (ours) text = format.update(tree, ours, changeTo(request, ours, wanted));
    else text = format.add(tree, event, wanted, request);
  }
  const before = format.read(request);
  const after = reread(format, request, text);
  proveEntries(request, own, after.entries);
  return { text, ...format.prove(before, after, own, Object.keys(request.preamble)) };
}

function remove<Entry extends ListedEntry, Tree extends EntryTree<Entry>>(
  format: EntryFormat<Entry, Tree>,
  request: EditRequest,
): Edited {
  const text = removeWhere(format, request, ({ command }) => isOwn(request.own, command));
  const made = request.made?.flatMap(([name, ...rest]) => (rest.length === 0 && name !== undefined ? [`${name}`] : []));
  const after = reread(format, request, text);
  return { text, ...format.prove(format.read(request), after, request.own, made ?? []) };
}

function removeWhere<Entry extends ListedEntry, Tree extends EntryTree<Entry>>(
  format: EntryFormat<Entry, Tree>,
  request: EditRequest,
  isUnwanted: (entry: Entry, tree: Tree) => boolean,
): string {
  for (let text = request.text; ; ) {
    const tree = reread(format, request, text);
    const entry = tree.entries.findLast((candidate) => isUnwanted(candidate, tree));
    if (!entry) return text;
    text = format.remove(tree, entry, request);
  }
}

/** An edit may never make a file that cannot be read: that would be told as if the user's own file were broken. */
function reread<Entry extends ListedEntry, Tree extends EntryTree<Entry>>(
  format: EntryFormat<Entry, Tree>,
  request: EditRequest,
  text: string,
): Tree {
  try {
    return format.read({ ...request, text });
  } catch (error) {
    if (text === request.text || !(error instanceof SettingsError)) throw error;
    throw notProved(request.file, "the edit would break it");
  }
}

/**
 * A second entry of ours for the same event, or one of an event that an earlier install chose and this one does not. The
 * first stays: later ones were appended by an installer, the user's own changes are in the one that was there before.
 */
function isSurplus(
  { wanted, previous }: InstallEdit,
  own: OwnCommands,
  entry: ListedEntry,
  entries: readonly ListedEntry[],
): boolean {
  if (!isOwn(own, entry.command)) return false;
  if (!wanted.has(entry.event)) return previous[entry.event] !== undefined;
  return entry !== entries.find((other) => other.event === entry.event && isOwn(own, other.command));
}

/** A timeout that is not what an earlier install wrote is the user's own; it stays, unless the agent would kill the hook. */
function changeTo({ previous }: InstallEdit, { event, command, timeout }: ListedEntry, wanted: WantedEntry) {
  const isOld = timeout !== undefined && timeout === previous[event]?.timeout;
  const isShort = timeout !== undefined && timeout < wanted.leastTimeout;
  return {
    ...(command === wanted.command ? {} : { command: wanted.command }),
    ...((isOld || isShort) && timeout !== wanted.timeout ? { timeout: wanted.timeout } : {}),
  };
}

function proveEntries({ file, wanted }: InstallEdit, own: OwnCommands, entries: readonly ListedEntry[]): void {
  for (const [event, { command }] of wanted) {
    const ours = entries.filter((entry) => entry.event === event && isOwn(own, entry.command));
    if (ours.length === 1 && ours[0]?.command === command) continue;
    throw notProved(file, `the edit would not leave exactly one entry for ${event}`);
  }
}

/** A refusal of our own work. */
export function notProved(file: string, problem: string): SettingsError {
  return new SettingsError("settings.verify", file, `${file}: ${problem}`, {
    hint: "Nothing was changed. Please report this with the file's layout, and add the entries by hand.",
  });
}
