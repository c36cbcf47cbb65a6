import { isDeepStrictEqual } from "node:util";
import { type JsonPath, lineAndColumn } from "../../../text/jsonc.ts";
import { type BeckonCommands, isBeckonCommand } from "../../beckon-commands.ts";
import { buildEntry, type Edited, insert, splice, unverified, type WantedEntry } from "../editor.ts";
import { entryEditor } from "../hook-entries.ts";
import { findPair, type HookTables, parseToml, readTables, spell, type TableEntry, toRange } from "./hook-tables.ts";

/** Editor of TOML settings files: one `[[hooks]]` table per entry, or an existing `hooks = [{ … }]`. */
export const tomlEditor = entryEditor<HookTables>({
  blank: "",
  read: readTables,
  members: parseToml,
  locate: (source) => {
    const { text, data, positions } = readTables(source);
    return { value: data, locate: (at) => lineAndColumn(text, findMember(positions, at)) };
  },
  traits: () => [],
  add,
  spell,
  remove: (tree, entry) => (tree.arrayStart === undefined ? removeTable : removeElement)(tree, entry),
  verify,
});

/** Finds the offset of a hook's member by its path, such as `hooks[0].timeout`; the hook's offset without such a member. */
function findMember(positions: HookTables["positions"], [, index, member]: JsonPath): number {
  const hook = positions[Number(index)];
  return (hook && findPair(hook.pairs, String(member))?.range[0]) ?? hook?.start ?? 0;
}

function add({ text, positions, arrayStart }: HookTables, event: string, wanted: WantedEntry): string {
  const form = { constants: {}, ...wanted.form };
  const pairs = Object.entries({ event, ...buildEntry({ ...wanted, form }) });
  const lines = pairs.map(([name, value]) => `${name} = ${spell(value)}`);
  if (arrayStart !== undefined) {
    const table = `{ ${lines.join(", ")} }`;
    const last = positions.at(-1);
    return last ? insert(text, last.end, `, ${table}`) : insert(text, arrayStart, table);
  }
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const table = ["[[hooks]]", ...lines].join(eol);
  if (text === "") return table + eol;
  return /[\r\n]$/.test(text) ? text + eol + table + eol : text + eol + eol + table;
}

/** Removes a table with the blank line above it. */
function removeTable({ text }: HookTables, { start, end }: TableEntry): string {
  let before = text.slice(0, start).replace(/[ \t]+$/, "");
  const after = text.slice(end);
  const lineEnd = /^[ \t]*(?:\r\n|\n)/.exec(after)?.[0];
  const isBlankAbove = /(?:^|\n)\r?\n$/.test(before);
  if (isBlankAbove) before = withoutLineEnd(before);
  if (lineEnd === undefined) before = withoutLineEnd(before);
  return before + after.slice(lineEnd?.length ?? after.length);
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** Removes an element of `hooks = [ … ]` with its comma. */
function removeElement({ text, program, positions }: HookTables, { start, end }: TableEntry): string {
  const previous = positions.findLast((other) => other.end <= start);
  const next = positions.find((other) => other.start >= end);
  const isOnlyComma = (from: number, to: number) => /^[ \t]*,[ \t]*$/.test(text.slice(from, to));
  if (previous && isOnlyComma(previous.end, start)) return splice(text, { start: previous.end, end });
  if (next && isOnlyComma(end, next.start)) return splice(text, { start, end: next.start });
  // Comments between the elements stay. A comma before may stay too, as TOML allows one after the last element.
  const following = program.tokens.find(({ range }) => range[0] >= end);
  const comma = following?.value === "," ? [toRange(following)] : [];
  return splice(text, { start, end }, ...comma);
}

/**
 * Verifies that values, spelling, comments and order are unchanged apart from beckon's entries.
 * @throws {SettingsError} `settings.verify`
 */
function verify(
  before: HookTables,
  after: HookTables,
  beckonCommands: BeckonCommands,
): Pick<Edited, "created" | "empty"> {
  const isSame =
    isDeepStrictEqual(otherData(before, beckonCommands), otherData(after, beckonCommands)) &&
    otherText(before, beckonCommands) === otherText(after, beckonCommands);
  if (!isSame) throw unverified(after.path, "the edit would touch more than beckon's entries");
  return { created: [], empty: after.text.trim() === "" };
}

/** Returns the parsed file without beckon's entries. */
function otherData({ data }: HookTables, beckonCommands: BeckonCommands): Record<string, unknown> {
  const { hooks = [], ...others } = data;
  const isOurs = (hook: unknown) => isBeckonCommand(beckonCommands, String((hook as { command?: unknown }).command));
  return { ...others, hooks: (hooks as unknown[]).filter((hook) => !isOurs(hook)) };
}

/** Returns the tokens and comments of the file without beckon's entries and commas. */
function otherText({ text, program, entries }: HookTables, beckonCommands: BeckonCommands): string {
  const ours = entries.filter(({ command }) => isBeckonCommand(beckonCommands, command));
  return [...program.tokens, ...program.comments]
    .map(toRange)
    .filter(({ start }) => !ours.some((our) => our.start <= start && start < our.end))
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => text.slice(start, end))
    .filter((spelling) => spelling !== ",")
    .join("\n");
}
