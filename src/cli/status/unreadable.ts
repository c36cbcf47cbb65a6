import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { readErrno } from "../../core/errors.ts";
import { listSpoolFolders, type Paths } from "../../files/paths.ts";
import { listQuietly } from "../../files/read-file.ts";
import { shellWord } from "../../installer/agents/command-line.ts";
import { lostJournalFiles } from "../../journal/journal-files.ts";

/**
 * Lists the absolute paths of files in beckon's folder that this user may not read, and of journal files that were
 * renamed because the worker could not write to them. Commands cannot show what is in these files.
 */
export function findUnreadable(paths: Paths): readonly string[] {
  const { journal, state, lock, config } = paths;
  const folders = [journal, state, ...listSpoolFolders(paths)];
  const lost = lostJournalFiles(journal).map((file) => join(journal, file));
  return [
    ...new Set([...folders, lock, config, ...listQuietly(state).map((name) => join(state, name))].filter(isClosed)),
    ...lost,
  ];
}

/** Returns the cure for unreadable files in beckon's folder. */
export function cureForUnreadable({ root }: Pick<Paths, "root">): string {
  return `Another user created them, probably root with sudo. To fix it: sudo chown -R ${process.getuid?.() ?? ""} ${shellWord(root)}`;
}

function isClosed(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return readErrno(error) === "EACCES";
  }
}
