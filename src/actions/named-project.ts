import { existsSync } from "node:fs";
import { resolve, sep } from "node:path";
import { expandHome, folderName, type Paths } from "../files/paths.ts";
import { findNewest } from "../journal/read-journal.ts";
import { didYouMean } from "../text/did-you-mean.ts";

/** Project that a command's `--project` names. */
export interface NamedProject {
  /** Name of the project, as messages show it. */
  readonly name: string;
  /** Absolute path, if the text names a folder. */
  readonly folder?: string;
  /** Sentence for a text that names neither a folder nor a project in the journal, which may be a typo. */
  readonly warning?: string;
}

/**
 * Finds the project that a text names. A text with a separator, `.` and `..` are a folder's path. Any other text is the
 * name of a project in the journal or, if none has it, of a folder in the current one.
 * @param current absolute path of the current folder
 */
export function nameProject(text: string, { journal }: Pick<Paths, "journal">, current: string): NamedProject {
  const folder = resolve(current, expandHome(text));
  const isPath = text.includes("/") || text.includes(sep) || /^\.\.?$/.test(text);
  const known = isPath ? [] : findNewest(journal, { by: ["project"] }).flatMap(({ project }) => project ?? []);
  if (known.includes(text)) return { name: text };
  if (existsSync(folder)) return { name: folderName(folder), folder };
  if (isPath) return { name: folderName(folder), folder, warning: `There is no folder ${folder}.` };
  const hint = didYouMean(text, [...new Set(known)]);
  return { name: text, warning: `There is no folder ${text} here, and no session of ${text} was seen yet. ${hint}` };
}
