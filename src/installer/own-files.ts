import { existsSync } from "node:fs";
import { type AgentSettings, ownShapes, type SettingsFile } from "../core/agent-settings.ts";
import { groupBy } from "../core/group-by.ts";
import { type Authorship, readAuthorship, scriptEvent } from "./editors/own-editor.ts";
import { editors } from "./editors/registry.ts";
import {
  decodeSettings,
  maxSettingsBytes,
  readSettingsFile,
  type SettingsSnapshot,
} from "./files/read-settings-file.ts";

/**
 * Reason why a file that only beckon should write differs from what this version writes: another version's text or a
 * missing execute permission (`outdated`), later changes (`edited`), or another author (`foreign`).
 */
export type OwnFileProblem = "outdated" | Exclude<Authorship, "beckon">;

/** True for a file that only beckon writes. */
export function isOwnFile({ shape }: Pick<SettingsFile, "shape">): boolean {
  return ownShapes.includes(shape);
}

/**
 * Compares a file that only beckon writes with the text and mode that this version writes. Undefined if they are equal,
 * and for other files.
 */
export function findOwnProblem(
  file: SettingsFile,
  { text, mode }: { readonly text: string; readonly mode: number },
  settings: AgentSettings | undefined,
): OwnFileProblem | undefined {
  if (!isOwnFile(file)) return undefined;
  const authorship = readAuthorship(text);
  if (authorship !== "beckon") return authorship;
  const listed = editors[file.shape].list({ ...file, text });
  const wanted = new Map(listed.map(({ event, command }) => [event, { command, timeout: 0, leastTimeout: 0 }]));
  const request = { ...file, text, wanted, previous: {}, made: undefined, beckonCommands: noCommands };
  const current = settings?.ownText && editors[file.shape].install({ ...request, ownText: settings.ownText }).text;
  return text === current && !lacksMode(file, mode) ? undefined : "outdated";
}

const noCommands = { exact: new Set<string>(), starts: [] };

/** Permission bits that everybody needs to run a script. */
const executable = 0o111;

/** True for a script that cannot be run. */
export function lacksMode({ shape }: Pick<SettingsFile, "shape">, mode: number): boolean {
  return shape === "script" && process.platform !== "win32" && (mode & executable) === 0;
}

/** Returns a snapshot with the mode that the file should have: a script must be executable. */
export function withOwnMode(file: SettingsFile, snapshot: SettingsSnapshot): SettingsSnapshot {
  if (file.shape !== "script") return snapshot;
  return { ...snapshot, mode: snapshot.bytes === undefined ? 0o755 : snapshot.mode | executable };
}

/** True if a file may hold the hook for an event. A script is for the event that it is named after. */
export function receives({ path, shape }: SettingsFile, event: string): boolean {
  return shape !== "script" || scriptEvent(path) === event;
}

/**
 * Chooses the files for an agent's hooks: the first existing file, or else the last file. Among files that only beckon
 * writes, chooses the first that beckon wrote, or else the first free path. Chooses one script for each event.
 */
export async function chooseFiles(files: readonly SettingsFile[]): Promise<readonly SettingsFile[]> {
  const groups = groupBy(files, ({ path, shape }) => (shape === "script" ? scriptEvent(path) : ""));
  const chosen = await Promise.all([...groups.values()].map(chooseFile));
  return chosen.filter((file) => file !== undefined);
}

async function chooseFile(candidates: readonly SettingsFile[]): Promise<SettingsFile | undefined> {
  if (!candidates.some(isOwnFile)) return candidates.find(({ path }) => existsSync(path)) ?? candidates.at(-1);
  const authors = await Promise.all(candidates.map(findAuthor));
  const order = [["beckon", "edited"], ["none"], ["foreign"]].map((wanted) =>
    authors.findIndex((author) => wanted.includes(author)),
  );
  return candidates[order.find((index) => index >= 0) ?? 0];
}

/** Finds out who wrote a file; `none` for a missing one. */
async function findAuthor({ path }: SettingsFile): Promise<Authorship | "none"> {
  try {
    const { bytes } = await readSettingsFile(path, maxSettingsBytes, { anyOwner: true });
    return bytes === undefined ? "none" : readAuthorship(decodeSettings(path, bytes).text);
  } catch {
    return "foreign"; // unreadable; planning the installation reports the reason
  }
}
