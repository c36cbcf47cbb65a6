import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../core/errors.ts";
import { foldersOfSpool, type Paths } from "../../files/paths.ts";
import { listQuietly } from "../../files/read-file.ts";
import { shellWord } from "../../installer/agents/command-line.ts";
import { lostJournalFiles } from "../../journal/read-journal.ts";

/**
 * Absolute paths of what this user may not read in beckon's folder, and of journal files that were set aside because
 * the worker could not write to them: what commands leave out of what they show.
 */
export function findUnreadable(paths: Paths): readonly string[] {
  const { journal, state, lock, config } = paths;
  const folders = [journal, state, ...foldersOfSpool(paths)];
  const lost = lostJournalFiles(journal).map((file) => join(journal, file));
  return [
    ...new Set([...folders, lock, config, ...listQuietly(state).map((name) => join(state, name))].filter(isClosed)),
    ...lost,
  ];
}

/** How to make everything in beckon's folder readable again. */
export function cureForUnreadable({ root }: Pick<Paths, "root">): string {
  return `Another user wrote it, mostly root (sudo): sudo chown -R ${process.getuid?.() ?? ""} ${shellWord(root)}`;
}

function isClosed(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === "EACCES";
  }
}
