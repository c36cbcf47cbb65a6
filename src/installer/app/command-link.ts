import { existsSync, lstatSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import { access, appendFile, constants, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readErrno } from "../../core/errors.ts";
import { quietly } from "../../core/quietly.ts";
import type { Paths } from "../../files/paths.ts";
import { readQuietly } from "../../files/read-file.ts";
import { searchFolders, which } from "../../io/which.ts";
import { shellWord } from "../agents/command-line.ts";
import type { InstallerContext } from "../context.ts";

type LinkContext = Pick<InstallerContext, "paths" | "environment">;

/** Returns the program of the installed app, the target of a `beckon` link. */
export function commandFile({ app }: Pick<Paths, "app">): string {
  return join(app, "dist", "cli.js");
}

/** Returns the shell line that runs a command in a home. */
export function commandIn(root: string, command: string): string {
  return `BECKON_HOME=${shellWord(root)} ${shellWord(commandFile({ app: join(root, "app") }))} ${command}`;
}

/** Checks for a `beckon` command on PATH. */
export function isOnPath({ environment: { env } }: Pick<LinkContext, "environment">): boolean {
  return which("beckon", env) !== undefined;
}

/**
 * Finds the folder for a `beckon` link: the first writable folder on PATH below the home folder that has no `beckon`
 * yet, or else `~/.local/bin`, even if it does not exist. Undefined if no such folder can be used, and on Windows,
 * where links need privileges.
 * @returns the folder, if it is on PATH already, and if the link is there already
 */
export async function folderForLink({ environment, paths }: LinkContext) {
  const { home, env, platform } = environment;
  if (platform === "win32") return undefined;
  const onPath = searchFolders(env).filter((entry) => entry.startsWith(`${home}/`));
  for (const folder of onPath) {
    if (isFree(join(folder, "beckon")) && (await isWritable(folder, dirname(folder))))
      return { folder, isOnPath: true, isLinked: false };
  }
  const folder = usualFolder(home);
  const link = join(folder, "beckon");
  const isOnPath = onPath.includes(folder);
  if (isOwnLink(link, paths)) return { folder, isOnPath, isLinked: true };
  if (!isFree(link) || !(await isWritable(folder, dirname(folder), home))) return undefined;
  return { folder, isOnPath, isLinked: false };
}

/** Tells if nothing is at a path but perhaps a link to the program of a home that is gone. */
function isFree(link: string): boolean {
  const target = quietly(() => readlinkSync(link));
  const isGone = target?.endsWith(join("app", "dist", "cli.js")) === true && !existsSync(link);
  return isGone || lstatSync(link, { throwIfNoEntry: false }) === undefined;
}

/** Folder for a user's programs, by the XDG Base Directory Specification. */
function usualFolder(home: string): string {
  return join(home, ".local", "bin");
}

/** Checks if the first existing folder in a list is writable. */
async function isWritable(...folders: readonly string[]): Promise<boolean> {
  const existing = folders.find((folder) => existsSync(folder));
  if (existing === undefined) return false;
  return access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** File that lists folders and startup files that were created for the command, one absolute path a line. */
const createdFile = ({ state }: Pick<Paths, "state">): string => join(state, "created");

/** Notes that a path, and those of its folders that are missing, are about to be created. */
async function noteMissing(path: string, paths: Pick<Paths, "state">): Promise<void> {
  let missing = "";
  for (let each = path; !existsSync(each); each = dirname(each)) missing += `${each}\n`;
  await mkdir(paths.state, { recursive: true, mode: 0o700 });
  await appendFile(createdFile(paths), missing, { mode: 0o600 });
}

/** Lists the folders and files that were created for the command and still exist, children before parents. */
export function createdPaths({ paths }: Pick<LinkContext, "paths">): string[] {
  const lines = new Set(readQuietly(createdFile(paths))?.split("\n").filter(existsSync));
  return [...lines].sort((a, b) => b.length - a.length);
}

/** Removes what `createdPaths` lists, if it is empty. Returns what was removed. */
export function removeCreated(context: Pick<LinkContext, "paths">): string[] {
  return createdPaths(context).filter((path) => {
    const stats = lstatSync(path);
    quietly(() => (stats.isDirectory() ? rmdirSync(path) : stats.size === 0 && rmSync(path))); // a folder in use stays
    return !existsSync(path);
  });
}

/** Links the program into a folder and creates the folder if necessary. Returns the link's path. */
export async function linkCommand(folder: string, paths: Pick<Paths, "app" | "state">): Promise<string> {
  await noteMissing(folder, paths);
  await mkdir(folder, { recursive: true });
  const link = join(folder, "beckon");
  await rm(link, { force: true });
  await symlink(commandFile(paths), link);
  return link;
}

/** Line that adds a folder to PATH, and the startup file of a shell to put it in. */
interface PathLine {
  readonly line: string;
  /** Absolute path. */
  readonly file: string;
}

type Environment = InstallerContext["environment"];

/** Returns the line that adds a folder to PATH in the user's shell. */
export function pathLine(folder: string, environment: Environment): PathLine {
  const { env, platform } = environment;
  const all = pathLines(folder, environment);
  const shell = basename(env["SHELL"] ?? "");
  if (shell === "bash") return platform === "darwin" ? all.login : all.bash; // on macOS, a terminal starts a login shell
  return shell === "fish" || shell === "zsh" ? all[shell] : all.sh;
}

function pathLines(folder: string, { home, env }: Environment) {
  const named = folder.startsWith(`${home}/`) ? `$HOME${folder.slice(home.length)}` : folder;
  const line = `export PATH="${named}:$PATH"`;
  const inHome = (name: string): PathLine => ({ line, file: join(home, name) });
  const fish = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "fish", "config.fish");
  return {
    fish: { line: `fish_add_path "${named}"`, file: fish },
    zsh: { line, file: join(env["ZDOTDIR"] || home, ".zshrc") },
    login: inHome(".bash_profile"),
    bash: inHome(".bashrc"),
    sh: inHome(".profile"),
  };
}

/** Comment above a line that beckon has added. */
const pathComment = "# Added by beckon. `beckon uninstall --purge` removes it.";

/** True if a shell's startup file has the line, whoever wrote it. */
export function hasPathLine({ line, file }: PathLine): boolean {
  return readQuietly(file)?.split("\n").includes(line) === true;
}

/** Appends the line to the startup file, which is created if necessary. */
export async function addPathLine(added: PathLine, paths: Pick<Paths, "state">): Promise<void> {
  const { file } = added;
  const text = readQuietly(file) ?? "";
  await noteMissing(file, paths);
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, (text === "" || text.endsWith("\n") ? "" : "\n") + addedText(added));
}

/** Lists the lines by `addPathLine`, with the startup files that have them; none while another home's link needs them. */
export function addedPathLines({ environment, paths }: LinkContext): PathLine[] {
  const folder = usualFolder(environment.home);
  const link = join(folder, "beckon");
  if (existsSync(link) && !isOwnLink(link, paths)) return [];
  const all = Object.values(pathLines(folder, environment));
  return all.filter((each) => readQuietly(each.file)?.includes(addedText(each)));
}

/** Removes the lines by `addPathLine`. Returns the changed files. */
export async function removePathLines(context: LinkContext): Promise<string[]> {
  const added = addedPathLines(context);
  for (const each of added) await writeFile(each.file, readQuietly(each.file)?.replace(addedText(each), "") ?? "");
  return added.map(({ file }) => file);
}

function addedText({ line }: PathLine): string {
  return `${pathComment}\n${line}\n`;
}

/** Lists the links to the program in the folders on PATH and `~/.local/bin`. */
export function commandLinks({ paths, environment: { env, home } }: LinkContext): string[] {
  const folders = [...searchFolders(env), usualFolder(home)];
  return [...new Set(folders.map((folder) => join(folder, "beckon")))].filter((link) => isOwnLink(link, paths));
}

/** Removes the links that `commandLinks` lists. Returns those that were removed. */
export async function unlinkCommand(context: LinkContext): Promise<string[]> {
  const removed: string[] = [];
  for (const link of commandLinks(context)) {
    try {
      await rm(link);
      removed.push(link);
    } catch (error) {
      if (!["EACCES", "EPERM", "EROFS"].includes(readErrno(error) ?? "")) throw error;
    }
  }
  return removed;
}

/** Checks if a path is a link to the program. */
function isOwnLink(link: string, paths: Pick<Paths, "app">): boolean {
  const target = quietly(() => readlinkSync(link)); // undefined if missing or not a link
  return target !== undefined && resolve(dirname(link), target) === commandFile(paths);
}
