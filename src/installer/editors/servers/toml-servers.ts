import { isDeepStrictEqual } from "node:util";
import { toList, toObject } from "../../../core/json-value.ts";
import { lineAndColumn } from "../../../text/jsonc.ts";
import {
  type EditRequest,
  type InstallEdit,
  type Range,
  type SettingsEditor,
  type SettingsSource,
  splice,
  unverified,
  wrongShape,
} from "../editor.ts";
import { parseToml } from "../toml/hook-tables.ts";
import { isLineEnd, readStatements, tomlTokens } from "../toml/statements.ts";
import { isOwnServer, joinWords, readWanted, refuseTaken, serverName } from "./server-entry.ts";

const map = "mcp_servers";
const table = `[${map}.${serverName}]`;

/** Editor of TOML files with servers as tables `[mcp_servers.name]`. */
export const serverTableEditor: SettingsEditor = {
  blank: "",
  install,
  remove,
  list: (source) => {
    const command = readCommand(source);
    return command === undefined ? [] : [{ event: serverName, command }];
  },
  members: parseToml,
  read: (source) => ({ value: parseToml(source), locate: () => lineAndColumn(source.text, 0) }),
  traits: () => [],
};

/** Reads the command line of beckon's server, or of somebody else's with its name. @throws {SettingsError} */
function readCommand(source: SettingsSource): string | undefined {
  const server = toObject(parseToml(source)[map])[serverName];
  if (server === undefined) return undefined;
  const { command, args } = toObject(server);
  return joinWords([command, ...toList(args)].map(String));
}

function install(request: InstallEdit) {
  const { words, command } = readWanted(request);
  const found = readCommand(request);
  if (found === command) return { text: request.text, created: [], empty: false };
  if (found !== undefined && !isOwnServer(request.beckonCommands, found)) throw refuseTaken(request.path);
  const text = found === undefined ? append(request.text, words) : replace(request, words);
  if (readEdited(request, text) !== command) throw unverified(request.path, "the edit would not leave beckon's server");
  verify(request, text);
  return { text, created: [], empty: false };
}

function append(text: string, words: readonly string[]): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const lines = [table, ...spell(words)].join(eol) + eol;
  if (text === "") return lines;
  return text + (/[\r\n]$/.test(text) ? "" : eol) + eol + lines;
}

function spell([command = "", ...args]: readonly string[]): readonly string[] {
  const spellText = (text: string) => JSON.stringify(text).replaceAll("\x7f", "\\u007f");
  return [`command = ${spellText(command)}`, `args = [${args.map(spellText).join(", ")}]`];
}

/** Replaces the command of beckon's server; the user's other keys stay. */
function replace(request: SettingsSource, words: readonly string[]): string {
  const [first, ...more] = findTables(request);
  const lines = spell(words);
  if (!first || more.some((range) => range.start < first.start)) throw unknownForm(request);
  const pairs = [...readStatements(request.text)].filter(
    ({ kind, start }) => kind === "pair" && first.start <= start && start < first.end,
  );
  const found = ["command", "args"].map((name) =>
    pairs.find(({ start, end }) => new RegExp(`^["']?${name}["']?[ \\t]*=`).test(request.text.slice(start, end))),
  );
  return splice(
    request.text,
    ...found.flatMap((pair, index) => {
      if (!pair) throw unknownForm(request);
      return [{ start: pair.start, end: pair.end, by: lines[index] ?? "" }];
    }),
  );
}

function unknownForm(source: SettingsSource) {
  return wrongShape(source, `${map}.${serverName}`, 0, "has a form that beckon cannot edit");
}

function remove(request: EditRequest) {
  const found = readCommand(request);
  const unchanged = { text: request.text, created: [], empty: false };
  if (found === undefined || !isOwnServer(request.beckonCommands, found)) return unchanged;
  const ranges = findTables(request);
  if (ranges.length === 0) throw unknownForm(request);
  const text = splice(request.text, ...ranges);
  if (readEdited(request, text) !== undefined) throw unverified(request.path, "the edit would leave beckon's server");
  verify(request, text);
  return { text, created: [], empty: [...tomlTokens(text)].every(isLineEnd) };
}

/** Finds the tables of beckon's server with their lines, subtables and the blank line above. */
function findTables({ text }: Pick<SettingsSource, "text">): Range[] {
  const statements = [...readStatements(text)];
  const isOurs = (header: string) => header === table || header.startsWith(`${table.slice(0, -1)}.`);
  return statements.flatMap(({ kind, start, end }, index) => {
    if (kind !== "header" || !isOurs(text.slice(start, end).replace(/[\s"']|#.*$/g, ""))) return [];
    const following = statements.slice(index + 1);
    const next = following.findIndex((statement) => statement.kind === "header");
    // Comments above the next table belong to that table.
    const own = following.slice(0, next < 0 ? undefined : next);
    const last = own.findLast((statement) => statement.kind === "pair");
    return [withBlankLine(text, { start, end: last?.end ?? end })];
  });
}

/** Extends a range by the rest of its last line and by a blank line above. */
function withBlankLine(text: string, { start, end }: Range): Range {
  const lineEnd = /^[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|$)/.exec(text.slice(end))?.[0] ?? "";
  const blank = /(?:^|\n)([ \t]*\r?\n)[ \t]*$/.exec(text.slice(0, start))?.[1] ?? "";
  return { start: start - blank.length, end: end + lineEnd.length };
}

/** Reads the command of an edited text. A syntax error counts as a fault in the edit. */
function readEdited(request: SettingsSource, text: string): string | undefined {
  try {
    return readCommand({ ...request, text });
  } catch {
    throw unverified(request.path, "the edit would break it");
  }
}

/** Verifies that nothing but beckon's server differs. @throws {SettingsError} `settings.verify` */
function verify(before: SettingsSource, text: string): void {
  const [others, now] = [before, { ...before, text }].map(readOthers);
  if (!isDeepStrictEqual(others, now)) throw unverified(before.path, "the edit would touch more than beckon's server");
}

function readOthers(source: SettingsSource): unknown {
  const { [map]: all, ...others } = parseToml(source);
  const { [serverName]: _, ...servers } = toObject(all);
  return [Object.entries(others), Object.entries(servers)];
}
