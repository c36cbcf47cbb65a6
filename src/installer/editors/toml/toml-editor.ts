import { isDeepStrictEqual } from "node:util";
import { editorOf, notProved } from "../../../settings/edit-entries.ts";
import type { Edited, WantedEntry } from "../editor.ts";
import { entryOf } from "../../../settings/entry-form.ts";
import { isOwn, type OwnCommands } from "../../beckon-commands.ts";
import { removePlace } from "../../../settings/remove-place.ts";
import { tomlTokens } from "./statements.ts";
import { type HookTables, parseToml, readTables, type TableEntry } from "./hook-tables.ts";

/** TOML settings files: one `[[hooks]]` table per entry, or `hooks = [{ … }]` where the file has it so. */
export const tomlEditor = editorOf<TableEntry, HookTables>({
  blank: "",
  read: readTables,
  members: ({ file, text }) => parseToml(file, text),
  traits: () => [],
  add,
  update,
  remove: (tree, entry) => removePlace(tree, entry),
  prove,
});

function add({ text, places, arrayStart }: HookTables, event: string, wanted: WantedEntry): string {
  const form = { constants: {}, ...wanted.form };
  const pairs = Object.entries({ event, ...entryOf({ ...wanted, form }) });
  const lines = pairs.map(([name, value]) => `${name} = ${valueText(value)}`);
  if (arrayStart !== undefined) {
    const table = `{ ${lines.join(", ")} }`;
    const last = places.at(-1);
    return last ? insert(text, last.end, `, ${table}`) : insert(text, arrayStart, table);
  }
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const table = ["[[hooks]]", ...lines].join(eol);
  if (text === "") return table + eol;
  return /[\r\n]$/.test(text) ? text + eol + table + eol : text + eol + eol + table;
}

function update(
  { text }: HookTables,
  { commandAt, timeoutAt }: TableEntry,
  change: { readonly command?: string; readonly timeout?: number },
): string {
  const replacements = [
    ...(change.command === undefined || !commandAt ? [] : [{ ...commandAt, value: change.command }]),
    ...(change.timeout === undefined || !timeoutAt ? [] : [{ ...timeoutAt, value: change.timeout }]),
  ];
  const fromTheEnd = replacements.toSorted((a, b) => b.start - a.start);
  return fromTheEnd.reduce(
    (edited, { start, end, value }) => edited.slice(0, start) + valueText(value) + edited.slice(end),
    text,
  );
}

/** JSON's strings are TOML's basic strings, but for DEL. */
function valueText(value: string | number | boolean): string {
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

/**
 * Everything but our entries must mean the same, and be spelt the same in the same order, comments included.
 * @throws {SettingsError} `settings.verify`
 */
function prove(before: HookTables, after: HookTables, own: OwnCommands): Pick<Edited, "created" | "empty"> {
  const isSame =
    isDeepStrictEqual(foreignData(before, own), foreignData(after, own)) &&
    foreignText(before, own) === foreignText(after, own);
  if (!isSame) throw notProved(after.file, "the edit would touch more than beckon's entries");
  return { created: [], empty: [...tomlTokens(after.text)].every(({ kind }) => kind === "line end") };
}

function foreignData({ data }: HookTables, own: OwnCommands): Record<string, unknown> {
  const { hooks = [], ...others } = data;
  const isOurs = (hook: unknown) => isOwn(own, String((hook as { command?: unknown }).command));
  return { ...others, hooks: (hooks as unknown[]).filter((hook) => !isOurs(hook)) };
}

function foreignText({ text, entries }: HookTables, own: OwnCommands): string {
  const ours = entries.filter(({ command }) => isOwn(own, command));
  const isForeign = (at: number) => !ours.some(({ start, end }) => start <= at && at < end);
  const tokens = [...tomlTokens(text)].filter(({ kind, start }) => kind !== "line end" && isForeign(start));
  return tokens
    .map(({ start, end }) => text.slice(start, end))
    .filter((token) => token !== ",")
    .join("\n");
}
