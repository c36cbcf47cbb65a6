import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { isOfRealSession } from "../attention/session-memory.ts";
import { CommandError } from "../core/errors.ts";
import { quietly } from "../core/quietly.ts";
import { expandHome, folderName } from "../files/paths.ts";
import { findNewest } from "../journal/read-journal.ts";
import { cleanLine } from "../text/clean.ts";
import { didYouMean } from "../text/did-you-mean.ts";
import type { CliContext } from "./context.ts";

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
 * Finds the project that the value of `--project` names; undefined without a value. A text with a separator, `.` and
 * `..` are a folder's path. Any other text is the name of a project in the journal or, if none has it, of a folder in
 * the current one.
 */
export function nameProject(text: string | undefined, context: CliContext): NamedProject | undefined {
  if (text === undefined) return undefined;
  const { paths, environment } = context;
  const path = resolve(environment.project, expandHome(text));
  const folder = quietly(() => realpathSync(path)) ?? path; // agents name real paths
  const isPath = text.includes("/") || text.includes(sep) || /^\.\.?$/.test(text);
  const known = isPath ? [] : listSeen("project", paths.journal);
  if (known.includes(text)) return { name: text };
  if (existsSync(folder)) return { name: folderName(folder), folder };
  if (isPath) return { name: folderName(folder), folder, warning: `There is no folder ${folder}.` };
  const hint = didYouMean(text, known);
  return { name: text, warning: `There is no folder ${text} here, and no session of ${text} was seen yet. ${hint}` };
}

/** Lists the projects or the session ids in the journal, newest first, without those of samples. */
export function listSeen(field: "project" | "sessionId", journal: string): readonly string[] {
  return findNewest(journal, { by: [field], isWanted: isOfRealSession }).flatMap((line) => line[field] ?? []);
}

/** Warns of a session id that no session in the journal starts with. @throws {CommandError} if several do */
export function warnOfSession(start: string, { paths, printError }: Pick<CliContext, "paths" | "printError">): void {
  const found = listSeen("sessionId", paths.journal).filter((id) => id.startsWith(start));
  if (found.length === 0)
    printError(`beckon: No session ${cleanLine(start)} was seen yet. To list the sessions: beckon sessions`);
  if (found.length > 1 && !found.includes(start))
    throw new CommandError(`${start} matches ${found.length} sessions`, `Write more of the id: ${found.join(", ")}`);
}

/** Prints the warning about a project, if there is one. */
export function warnOfProject(named: NamedProject | undefined, { printError }: Pick<CliContext, "printError">): void {
  if (named?.warning !== undefined) printError(`beckon: ${cleanLine(named.warning)}`);
}
