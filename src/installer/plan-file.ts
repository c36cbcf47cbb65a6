import { basename } from "node:path";
import type * as z from "zod";
import { type AgentSettings, ownShapes, type Scope, type SettingsFile, serverShapes } from "../core/agent-settings.ts";
import { describeIssue } from "../core/issue-words.ts";
import { at } from "../core/json-value.ts";
import { type JsonPath, lineAndColumn, showPath } from "../text/jsonc.ts";
import { type BeckonCommands, createBeckonCommands, isBeckonCommand } from "./beckon-commands.ts";
import { buildPreamble, type Edited, type SettingsSource, type WantedEntry } from "./editors/editor.ts";
import { editors } from "./editors/registry.ts";
import {
  type Content,
  decodeSettings,
  encodeSettings,
  isBlank,
  type SettingsText,
  sameContent,
  sha256,
} from "./files/read-settings-file.ts";
import type { InstallRecord } from "./record.ts";

/** Task to remove beckon's entries from a settings file. */
export interface SettingsTask {
  readonly agent: string;
  readonly scope: Scope;
  readonly file: SettingsFile;
  readonly beckonCommands: BeckonCommands;
  /** Record of another beckon home from which the file's hooks are taken over. */
  readonly takenOver?: InstallRecord | undefined;
}

/** Task to write entries to a settings file. */
export interface InstallTask extends SettingsTask {
  /** Entries by place; see `findPlace`. */
  readonly wanted: ReadonlyMap<string, WantedEntry>;
  readonly rules: FileRules;
  /** Choices to keep in the record for upgrades. */
  readonly chosen: { readonly events?: readonly string[]; readonly waitSeconds?: number };
}

/** Input for planning an uninstall. */
export interface PlanRequest extends Pick<SettingsTask, "file" | "beckonCommands"> {
  readonly before: Content;
  /** Record of the last install into this file. */
  readonly record?: InstallRecord | undefined;
}

/** Input for planning an install. */
export type InstallPlanRequest = PlanRequest & Pick<InstallTask, "wanted" | "rules">;

/** Planned content of a file, not yet written. */
export interface Plan {
  readonly before: Content;
  readonly after: Content;
  readonly changes: boolean;
  /** Content that an uninstall restores if the file has not changed since. */
  readonly original: Content;
  /** Paths of the objects and arrays that installs created; `[]` is the file's own object. */
  readonly created: readonly JsonPath[];
  readonly warnings: readonly string[];
}

/**
 * Plans an install: exactly one beckon entry per wanted event, new entries at the end of their lists.
 * @throws {SettingsError} for a file that cannot be edited safely
 */
export function planInstall(request: InstallPlanRequest): Plan {
  const { file, before, beckonCommands, wanted } = request;
  const editor = editors[file.shape];
  const source = before === undefined ? { text: "", hasMark: false } : decodeSettings(file.path, before);
  const fromNothing = isBlank(source);
  const text = fromNothing ? editor.blank : source.text;
  const record = isInstalled({ ...request, text }) ? request.record : undefined;
  const previous = record?.entries ?? {};
  const { ownText } = request.rules;
  const edited = editor.install({ ...file, text, beckonCommands, wanted, previous, made: record?.created, ownText });
  const changes = edited.text !== text;
  const after = changes ? encodeSettings({ ...source, text: edited.text }) : before;
  const paths = [...(record?.created ?? []), ...(fromNothing ? [[]] : []), ...edited.created];
  const created = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  const members = editor.members({ ...file, text: edited.text });
  const ownReasons = reasonsToIgnore(file, source, request.rules); // with the positions that the user can look up
  const reasons = [
    ...(ownReasons.length > 0 ? ownReasons : reasonsToIgnore(file, { ...source, text: edited.text }, request.rules)),
    ...missingPreamble(file, members),
  ];
  const warnings = reasons.map(
    ({ problem, isTolerated }) =>
      `${file.path}: ${problem}: ${isTolerated ? "some versions of the agent ignore" : "the agent ignores"} the whole file, beckon's hooks included.`,
  );
  return { before, after, changes, original: findOriginal(request), created, warnings };
}

/** Returns the text that an install writes into a missing file. */
export function newFileText(file: SettingsFile, wanted: InstallTask["wanted"]): string {
  const beckonCommands = createBeckonCommands({ commands: [], roots: [] });
  return planInstall({ file, before: undefined, beckonCommands, wanted, rules: {} }).after?.toString() ?? "";
}

/**
 * Plans an uninstall: the original bytes if the file has not changed since the install, or else the file without
 * beckon's entries and the objects and arrays created for these entries.
 * @throws {SettingsError} for a file that cannot be edited safely
 */
export function planUninstall(request: PlanRequest): Plan {
  const { file, before, beckonCommands, record } = request;
  const unchanged = { before, after: before, changes: false, original: before, created: [], warnings: [] };
  if (before === undefined) return unchanged;
  if (record && isAsWritten(record, before)) {
    const after = decodeOriginal(record);
    return { ...unchanged, after, changes: !sameContent(before, after) };
  }
  const source = decodeSettings(file.path, before);
  if (isBlank(source)) return unchanged;
  const edited = editors[file.shape].remove({ ...file, text: source.text, beckonCommands, made: record?.created });
  if (edited.text === source.text) return unchanged;
  const plan = { ...unchanged, after: encodeSettings({ ...source, text: edited.text }), changes: true };
  if (edited.empty && record?.created.some((path) => path.length === 0)) {
    const original = decodeOriginal(record);
    return { ...plan, after: original && isBlank(decodeSettings(file.path, original)) ? original : undefined };
  }
  return isWorthless(file, edited) ? { ...plan, after: undefined } : plan;
}

/**
 * Checks if an uninstall may delete the file that remains: an empty file for hooks alone, which would hide the agent's
 * other hooks; an empty file that only beckon writes; or a `beckon.json` with nothing but a version.
 */
function isWorthless(file: SettingsFile, { text, empty }: Edited): boolean {
  if (empty && ["bare", ...ownShapes].includes(file.shape)) return true;
  if (basename(file.path) !== "beckon.json") return false;
  const editor = editors[file.shape];
  const members = Object.values(editor.members({ ...file, text }));
  return members.every((value) => value !== undefined) && editor.traits(text).length === 0;
}

/** Checks if a file has beckon's entries. A record does not apply to a file that has lost these entries. */
function isInstalled({ file, text, beckonCommands }: PlanRequest & { text: string }): boolean {
  const listed = editors[file.shape].list({ ...file, text });
  return listed.some(({ command }) => isBeckonCommand(beckonCommands, command));
}

/**
 * Returns the content without beckon: the recorded original if the file has not changed, or else the current content
 * without beckon's entries.
 */
function findOriginal(request: PlanRequest): Content {
  const { before, record } = request;
  return before && record && isAsWritten(record, before) ? decodeOriginal(record) : planUninstall(request).after;
}

/** Checks if a content is exactly what an install wrote. */
export function isAsWritten(record: InstallRecord, content: Uint8Array): boolean {
  return record.written.includes(sha256(content));
}

function decodeOriginal(record: InstallRecord): Content {
  return record.original === null ? undefined : Buffer.from(record.original, "base64");
}

/** Agent's rules for its settings files. The agent ignores a file that breaks them. */
type FileRules = Pick<AgentSettings, "ignoresFileWith" | "schema" | "ownText">;

/** Lists the faults that make an agent ignore a whole file, each with its position. */
export function reasonsToIgnore(
  file: SettingsFile,
  { text, hasMark }: SettingsText,
  { ignoresFileWith = [], schema }: FileRules,
): SchemaViolation[] {
  const mark = hasMark ? [{ trait: "a byte-order mark", offset: 0 } as const] : [];
  const traits = [...mark, ...editors[file.shape].traits(text)].filter(({ trait }) => ignoresFileWith.includes(trait));
  const found = traits.map(({ trait, offset }) => {
    const { line, column } = lineAndColumn(text, offset);
    return { problem: `${trait} at line ${line}, column ${column}`, isTolerated: false };
  });
  const violation =
    schema && ![...ownShapes, ...serverShapes].includes(file.shape) && text.trim() !== ""
      ? findViolation(schema(file.shape), { ...file, text })
      : undefined;
  return violation ? [...found, violation] : found;
}

/** Lists the missing top-level members that make some versions of an agent ignore a file with hooks. */
export function missingPreamble(file: SettingsFile, members: Readonly<Record<string, unknown>>): SchemaViolation[] {
  const missing = Object.keys(buildPreamble(file)).filter((name) => !Object.hasOwn(members, name));
  return missing.map((name) => ({ problem: `the file at line 1, column 1 has no \`${name}\``, isTolerated: true }));
}

/** First violation of an agent's schema in a settings file. */
export interface SchemaViolation {
  /** Name, position and problem, such as `hooks.Stop[0].matcher at line 3, column 5 must be a string`. */
  readonly problem: string;
  /** True if some versions of the agent read the file nevertheless. */
  readonly isTolerated: boolean;
}

type Issue = z.core.$ZodIssue;

/**
 * Finds the first violation that all versions of the agent reject, or else the first violation that only some reject.
 * @throws {SettingsError} if the file cannot be read
 */
export function findViolation(schema: z.ZodType, source: SettingsSource): SchemaViolation | undefined {
  const { value, locate } = editors[source.shape].read(source);
  const issues = schema.safeParse(value, { reportInput: true, error: describeIssue }).error?.issues ?? [];
  const issue = issues.find((found) => !isTolerated(found)) ?? issues[0];
  if (!issue) return undefined;
  const path = pathTo(issue);
  const { line, column } = locate(path);
  const name = path.length === 0 ? "the file" : `\`${showPath(path)}\``;
  return { problem: `${name} at line ${line}, column ${column} ${wordsFor(issue)}`, isTolerated: isTolerated(issue) };
}

function isTolerated(issue: Issue): boolean {
  return issue.code === "custom" && issue.params?.["isTolerated"] === true;
}

/** Returns the path of an unknown member, or of the parent of a missing one. */
function pathTo(issue: Issue): JsonPath {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  if (issue.code === "unrecognized_keys") return [...path, issue.keys[0] ?? ""];
  return isMissing(issue) ? path.slice(0, -1) : path;
}

function isMissing(issue: Issue): boolean {
  // A union reports its discriminator's path, with the whole object as input.
  if (issue.code === "invalid_union") return at(issue.input, String(issue.path.at(-1))) === undefined;
  return issue.code === "invalid_type" && issue.input === undefined;
}

function wordsFor(issue: Issue): string {
  if (issue.code === "custom") return issue.message;
  if (issue.code === "unrecognized_keys") return "is a setting that the agent does not know";
  if (isMissing(issue)) return `has no \`${String(issue.path.at(-1))}\``;
  return issue.code === "invalid_union" ? "has a value that the agent does not know" : issue.message;
}
