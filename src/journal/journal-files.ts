import { accessSync, constants, type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { succeeds } from "../core/quietly.ts";

/** Lists the journal's files, one per month (`2026-11.jsonl`), oldest first; empty if the folder cannot be read. */
export function journalFiles(folder: string): readonly string[] {
  const files = listEntries(folder).filter((entry) => entry.isFile() && /^\d{4}-\d{2}\.jsonl$/.test(entry.name));
  return files.map(({ name }) => name).sort();
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(readErrno(error) ?? "")) return [];
    throw error;
  }
}

/** Lists the journal files that cannot be read, and those that were renamed because they could not be written. */
export function lostJournalFiles(folder: string): readonly string[] {
  const names = listEntries(folder).map(({ name }) => name);
  const setAside = names.filter((name) => /^\d{4}-\d{2}\.jsonl\.aside-\d+$/.test(name)).sort();
  const isReadable = (file: string) => succeeds(() => accessSync(join(folder, file), constants.R_OK));
  return [...journalFiles(folder).filter((file) => !isReadable(file)), ...setAside];
}
