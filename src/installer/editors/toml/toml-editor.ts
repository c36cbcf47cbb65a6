import { isDeepStrictEqual } from "node:util";
import { type JsonPath, lineAndColumn } from "../../../text/jsonc.ts";
import { type BeckonCommands, isBeckonCommand } from "../../beckon-commands.ts";
import { buildEntry, type Edited, insert, splice, unverified, type WantedEntry } from "../editor.ts";
import { entryEditor } from "../hook-entries.ts";
import { type HookTables, parseToml, readTables, type TableEntry } from "./hook-tables.ts";
import { isLineEnd, tomlTokens } from "./statements.ts";

/** Editor of TOML settings files: one `[[hooks]]` table per entry, or an existing `hooks = [{ … }]`. */
export const tomlEditor = entryEditor<HookTables>({
  blank: "",
  read: readTables,
  members: parseToml,
  locate: (source) => {
    const { text, data, positions } = readTables(source);
    return { value: data, locate: (at) => lineAndColumn(text, findMember(text, positions, at)) };
  },
  traits: () => [],
  add,
  spell,
  remove: (tree, entry) => (tree.arrayStart === undefined ? removeTable : removeElement)(tree, entry),
  verify,
});

/**
 * Finds the offset of a hook's member by its path, such as `hooks[0].timeout`; the offset of the hook if it has no such
 * member.
 */
function findMember(text: string, positions: HookTables["positions"], [, index, member]: JsonPath): number {
  const hook = positions[Number(index)];
  if (!hook) return 0;
  const inHook = text.slice(hook.start, hook.end);
  const name = String(member).replace(/[^\w-]/g, ".");
  const found = inHook.search(new RegExp(`(?<=^|[\\s{,])["']?${name}["']?[ \\t]*=`));
  return hook.start + Math.max(0, found);
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

/** Formats a value as TOML. Strings are spelled as in JSON, except DEL. */
function spell(value: string | number | boolean): string {
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
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
function removeElement({ text, positions }: HookTables, { start, end }: TableEntry): string {
  const previous = positions.findLast((other) => other.end <= start);
  const next = positions.find((other) => other.start >= end);
  const isOnlyComma = (from: number, to: number) => /^[ \t]*,[ \t]*$/.test(text.slice(from, to));
  if (previous && isOnlyComma(previous.end, start)) return splice(text, { start: previous.end, end });
  if (next && isOnlyComma(end, next.start)) return splice(text, { start, end: next.start });
  // Comments between the elements stay. A comma before may stay too, as TOML allows one after the last element.
  const rest = text.slice(end);
  const following = [...tomlTokens(rest)].find((token) => token.char !== "#" && !isLineEnd(token));
  const comma = following?.char === "," ? [following] : [];
  return text.slice(0, start) + splice(rest, ...comma);
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
  return { created: [], empty: [...tomlTokens(after.text)].every(isLineEnd) };
}

/** Returns the parsed file without beckon's entries. */
function otherData({ data }: HookTables, beckonCommands: BeckonCommands): Record<string, unknown> {
  const { hooks = [], ...others } = data;
  const isOurs = (hook: unknown) => isBeckonCommand(beckonCommands, String((hook as { command?: unknown }).command));
  return { ...others, hooks: (hooks as unknown[]).filter((hook) => !isOurs(hook)) };
}

/** Returns the tokens of the file without beckon's entries, line ends and commas. */
function otherText({ text, entries }: HookTables, beckonCommands: BeckonCommands): string {
  const ours = entries.filter(({ command }) => isBeckonCommand(beckonCommands, command));
  const isOther = (at: number) => !ours.some(({ start, end }) => start <= at && at < end);
  const tokens = [...tomlTokens(text)].filter(
    (token) => token.char !== "," && !isLineEnd(token) && isOther(token.start),
  );
  return tokens.map(({ start, end }) => text.slice(start, end)).join("\n");
}
