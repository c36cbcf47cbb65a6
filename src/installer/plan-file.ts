import { basename } from "node:path";
import type { JsonTrait, SettingsFile } from "../core/agent-settings.ts";
import { type Content, sameContent, sha256 } from "../settings/content.ts";
import type { Edited, WantedEntry } from "./editors/editor.ts";
import { editors } from "./editors/registry.ts";
import { isOwn, type OwnCommands } from "./beckon-commands.ts";
import type { JsonPath } from "../settings/path.ts";
import type { InstallRecord } from "./record.ts";
import { decodeSettings, encodeSettings, isBlank, type SettingsText } from "./files/settings-text.ts";

/** What is known about a file before it is planned. */
export interface PlanRequest {
  readonly file: SettingsFile;
  readonly before: Content;
  readonly own: OwnCommands;
  /** Of the last install into this file. */
  readonly record?: InstallRecord;
}

export interface InstallPlanRequest extends PlanRequest {
  readonly wanted: ReadonlyMap<string, WantedEntry>;
  readonly ignoresFileWith: readonly JsonTrait[];
  readonly preamble?: Readonly<Record<string, unknown>>;
}

/** What a file is going to be. Nothing is written yet. */
export interface Plan {
  readonly before: Content;
  readonly after: Content;
  readonly changes: boolean;
  /** What an uninstall restores as long as nobody else writes. */
  readonly original: Content;
  /** Containers that are there because of us; `[]` is the file's own object. */
  readonly created: readonly JsonPath[];
  readonly warnings: readonly string[];
}

/**
 * The file with exactly one entry of ours per wanted event, at the end of the event's list.
 * @throws {SettingsError} for a file that cannot be edited safely
 */
export function planInstall(request: InstallPlanRequest): Plan {
  const { file, before, own, wanted, preamble = {} } = request;
  const editor = editors[file.shape];
  const source = before === undefined ? { text: "", hasMark: false } : decodeSettings(file.path, before);
  const fromNothing = isBlank(source);
  const text = fromNothing ? editor.blank : source.text;
  const record = isInstalled({ ...request, text }) ? request.record : undefined;
  const previous = record?.entries ?? {};
  const settings = { file: file.path, text, shape: file.shape };
  const edited = editor.install({ ...settings, own, wanted, previous, preamble, made: record?.created });
  const changes = edited.text !== text;
  const after = changes ? encodeSettings({ ...source, text: edited.text }) : before;
  const created = mergePaths(record?.created ?? [], [...(fromNothing ? [[]] : []), ...edited.created]);
  const members = editor.members({ ...settings, text: edited.text });
  const missing = Object.keys(preamble).filter((name) => !Object.hasOwn(members, name));
  const warnings = [
    ...traitWarnings(request, source),
    ...missing.map(
      (name) => `${file.path} has no \`${name}\`: the agent may ignore the whole file, beckon's hooks included.`,
    ),
  ];
  return { before, after, changes, original: originalOf(request), created, warnings };
}

/**
 * The file without us. Where nobody wrote since the install, the original, byte by byte; else only our entries and the
 * containers that we made go.
 * @throws {SettingsError} for a file that cannot be edited safely
 */
export function planUninstall(request: PlanRequest): Plan {
  const { file, before, record } = request;
  const unchanged = { before, after: before, changes: false, original: before, created: [], warnings: [] };
  if (before === undefined) return unchanged;
  if (record && isAsWritten(record, before)) {
    const after = originalIn(record);
    return { ...unchanged, after, changes: !sameContent(before, after) };
  }
  const source = decodeSettings(file.path, before);
  if (isBlank(source)) return unchanged;
  const editor = editors[file.shape];
  const settings = { file: file.path, text: source.text, shape: file.shape };
  const edited = editor.remove({ ...settings, own: request.own, made: record?.created });
  if (edited.text === source.text) return unchanged;
  const plan = { ...unchanged, after: encodeSettings({ ...source, text: edited.text }), changes: true };
  if (edited.empty && record?.created.some((path) => path.length === 0)) {
    const original = originalIn(record);
    return { ...plan, after: original && isBlank(decodeSettings(file.path, original)) ? original : undefined };
  }
  return isWorthless(file, edited) ? { ...plan, after: undefined } : plan;
}

/**
 * Whether a file had better go, nobody knowing who made it: an empty standalone file keeps the agent from reading the
 * hooks in its other settings, and one by our name with nothing but a version in it was nobody else's.
 */
function isWorthless(file: SettingsFile, { text, empty }: Edited): boolean {
  if (empty && file.shape === "bare") return true;
  if (basename(file.path) !== "beckon.json") return false;
  const editor = editors[file.shape];
  const members = Object.values(editor.members({ file: file.path, text, shape: file.shape }));
  return members.every((value) => value !== undefined) && editor.traits(text).length === 0;
}

/** A record says nothing any more about a file that somebody has rid of us. */
function isInstalled({ file, text, own }: PlanRequest & { text: string }): boolean {
  const listed = editors[file.shape].list({ file: file.path, text, shape: file.shape });
  return listed.some(({ command }) => isOwn(own, command));
}

/** What was there before us: what the record says while nobody else wrote, else the file as it is, without us. */
function originalOf(request: PlanRequest): Content {
  const { before, record } = request;
  return before && record && isAsWritten(record, before) ? originalIn(record) : planUninstall(request).after;
}

/** Whether a content is the original with exactly our entries added. */
export function isAsWritten(record: InstallRecord, content: Uint8Array): boolean {
  return record.written.includes(sha256(content));
}

function originalIn(record: InstallRecord): Content {
  return record.original === null ? undefined : Buffer.from(record.original, "base64");
}

function traitWarnings({ file, ignoresFileWith }: InstallPlanRequest, source: SettingsText): string[] {
  const found = [
    ...editors[file.shape].traits(source.text),
    ...(source.hasMark ? (["a byte-order mark"] as const) : []),
  ];
  return found
    .filter((trait) => ignoresFileWith.includes(trait))
    .map(
      (trait) => `${file.path} has ${trait}: the agent ignores the whole file, beckon's hooks included, until they go.`,
    );
}

function mergePaths(known: readonly JsonPath[], added: readonly JsonPath[]): JsonPath[] {
  return [...new Map([...known, ...added].map((path) => [JSON.stringify(path), path])).values()];
}
