import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
} from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { readErrno, SettingsError } from "../../core/errors.ts";
import { flushFolder, makePrivateFolder, writePrivateFile } from "../../files/atomic-file.ts";
import { withLock } from "../../files/lock.ts";
import { readLockLine, removeBrokenLock } from "../../files/lock-line.ts";
import { listSpoolFolders, type Paths } from "../../files/paths.ts";
import { findProcess } from "../../files/process-table.ts";
import { createClock } from "../../io/clock.ts";
import { lastingPath, searchFolders, systemFolders, which } from "../../io/which.ts";
import type { InstallerContext } from "../context.ts";

type AppContext = Omit<InstallerContext, "exec" | "agents">;

/**
 * Lists the folders of `dist/` that an installation does without: the library's types, and node-notifier's programs for
 * other systems. Linux needs none of them; WSL needs those for Windows.
 */
function unusedFolders({ platform, env }: AppContext["environment"]): readonly string[] {
  const isWindows = platform === "win32" || env["WSL_DISTRO_NAME"] !== undefined;
  const forWindows = isWindows ? [] : ["vendor/snoreToast", "vendor/notifu"];
  return ["types", ...(platform === "darwin" ? [] : ["vendor/mac.noindex"]), ...forWindows];
}

/**
 * Installs the built app, the launcher, the starter configuration and the folders. Later runs replace app, launcher and
 * schema, and keep the configuration.
 * @throws {SettingsError} `install.root` for an unusable root, `install.not-built`
 */
export async function setUpApp(context: AppContext): Promise<void> {
  const { packageRoot, paths, environment } = context;
  refuseRoot(paths.root, environment);
  const launcher = join(packageRoot, "dist", "hooks", "hook.sh");
  if (!existsSync(launcher)) {
    const hint = "Run `npm run build` first. Nothing was changed.";
    throw new SettingsError("install.not-built", packageRoot, "beckon has not been built here", hint);
  }
  await makeFolders(paths);
  await copyApp(context);
  writePrivateFile(paths.launcher, await readFile(launcher), 0o755);
  await copyTemplate(join(packageRoot, "templates", "config.schema.json"), paths.configSchema);
  if (!existsSync(paths.config)) await copyTemplate(join(packageRoot, "templates", "config.jsonc"), paths.config);
}

/** Refuses a root that is the home folder or above it, and a root from which Node cannot load modules. */
function refuseRoot(root: string, { home, platform }: AppContext["environment"]): void {
  const isShared = root === home || `${home}${sep}`.startsWith(root.endsWith(sep) ? root : root + sep);
  if (isShared) {
    const hint = "Set BECKON_HOME to another folder, or unset it. Nothing was changed.";
    throw new SettingsError(
      "install.root",
      root,
      "beckon needs its own folder, not your home folder or one above it",
      hint,
    );
  }
  // With a backslash in the root, events would be accepted but never delivered.
  if (platform !== "win32" && root.includes("\\")) {
    const problem = "Node cannot run programs from a path with a backslash";
    throw new SettingsError("install.root", root, problem, "Set BECKON_HOME to another folder. Nothing was changed.");
  }
}

async function makeFolders(paths: Paths): Promise<void> {
  for (const folder of [paths.root, ...listSpoolFolders(paths), paths.journal, paths.state]) {
    makePrivateFolder(folder);
    if (((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
  }
  for (const lock of [paths.lock, paths.starting]) removeBrokenLock(lock);
}

async function copyApp({ packageRoot, paths, environment, execPath }: AppContext): Promise<void> {
  const copy = `${paths.app}-${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(copy, { mode: 0o700 });
    const unused = unusedFolders(environment).map((folder) => join(packageRoot, "dist", folder));
    for (const part of ["dist", "templates"]) await copyTree(join(packageRoot, part), join(copy, part), unused);
    writePrivateFile(join(copy, "package.json"), await readFile(join(packageRoot, "package.json")));
    await recordNode(copy, lastingPath(execPath, environment.home));
    const folders = launcherFolders(environment.env, environment.project);
    writePrivateFile(join(copy, "path"), `${folders.join(":")}\n`);
    await withLock(join(paths.state, "install.lock"), { clock: createClock(), waitMs: 2000 }, () =>
      switchTo(copy, paths),
    );
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Records the Node to run in a copy of the app. The launcher, which Windows does not use, runs the link; on a file
 * system without links, it runs the Node on PATH.
 */
async function recordNode(copy: string, node: string): Promise<void> {
  writePrivateFile(join(copy, "node"), `${node}\n`);
  if (process.platform === "win32") return;
  await mkdir(join(copy, "bin"), { mode: 0o700 });
  await symlink(node, join(copy, "bin", "node")).catch((error: unknown) => {
    if (!noLinkErrors.includes(readErrno(error) ?? "")) throw error;
  });
}

/** Programs used by the launcher. */
const launcherPrograms = ["cat", "date", "mkdir", "perl", "rm", "setsid", "sh", "sleep", "timeout"];

/**
 * Lists the folders of those launcher programs that the system's folders lack, as on NixOS. Never lists a folder of the
 * current project.
 */
function launcherFolders(env: NodeJS.ProcessEnv, project: string): string[] {
  if (process.platform === "win32") return [];
  const system = systemFolders(env);
  const folders = searchFolders({ ...env, BECKON_PROJECT: project }).filter((folder) => !system.includes(folder));
  const missing = launcherPrograms.filter((name) => which(name, env, system) === undefined);
  const found = missing.flatMap((name) => which(name, env, folders) ?? []);
  return [...new Set(found.map((file) => dirname(file)))];
}

async function copyTree(from: string, to: string, unused: readonly string[]): Promise<void> {
  if (!existsSync(from) || unused.includes(from)) return;
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const copy = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, copy, unused);
    if (!entry.isFile()) continue;
    await copyFile(source, copy);
    // node-notifier's package has a Windows program without the mode that WSL needs: mikaelbr/node-notifier#298
    const isProgram = ((await stat(source)).mode & 0o100) !== 0 || entry.name.endsWith(".exe");
    await chmod(copy, isProgram ? 0o700 : 0o600);
  }
}

async function copyTemplate(from: string, to: string): Promise<void> {
  if (existsSync(from)) writePrivateFile(to, await readFile(from));
}

/**
 * Time that a replaced copy is kept, milliseconds, and longer while any worker runs: a worker that runs from the old copy
 * still loads modules on demand, and exits after delivering its events.
 */
const keepOldCopyMs = 600_000;

/**
 * Switches `app` to a copy by renaming a link, so that a file opened below `app` always belongs to the old or the new
 * copy. Removes copies that were replaced more than ten minutes ago, unless a worker runs. On a file
 * system without links (exFAT, some network drives), the copy itself is renamed, and `app` is missing for a moment.
 */
async function switchTo(copy: string, { app, root, lock }: Pick<Paths, "app" | "root" | "lock">): Promise<void> {
  const old = await currentCopy(app);
  const link = `${app}.link-${randomBytes(6).toString("hex")}`;
  const isLinked = await linkTo(copy, link);
  try {
    await replace(isLinked ? link : copy, app);
  } finally {
    if (isLinked) await rm(link, { force: true });
  }
  flushFolder(root);
  const now = new Date();
  if (old !== undefined) await utimes(old, now, now);
  const worker = readLockLine(lock);
  if (!worker || !findProcess(worker.pid)) await sweep(root, copy);
}

/** Creates a link to a copy. @returns false if the file system has no links */
async function linkTo(copy: string, link: string): Promise<boolean> {
  // A junction, which any Windows user may create, needs an absolute path. A relative link allows moving the root.
  const isWindows = process.platform === "win32";
  try {
    await symlink(isWindows ? copy : basename(copy), link, isWindows ? "junction" : "dir");
    // Check a path through the link, because Wine creates broken junctions.
    await stat(link);
    return true;
  } catch (error) {
    if (!noLinkErrors.includes(readErrno(error) ?? "")) throw error;
    await rm(link, { recursive: true, force: true });
    return false;
  }
}

/** Error codes of Windows and of file systems without links. */
const noLinkErrors = "EPERM EACCES ENOSYS ENOTSUP EINVAL EISDIR ENOENT UNKNOWN".split(" ");

/** Returns the copy that `app` links to; undefined if `app` is not a link or is a broken link. */
async function currentCopy(app: string): Promise<string | undefined> {
  try {
    const copy = resolve(dirname(app), await readlink(app));
    await stat(copy);
    return copy;
  } catch (error) {
    if (["ENOENT", "EINVAL", "UNKNOWN"].includes(readErrno(error) ?? "")) return undefined;
    throw error;
  }
}

async function replace(link: string, app: string): Promise<void> {
  try {
    await rename(link, app);
  } catch (error) {
    // A folder, as in earlier versions, and a junction on Windows cannot be replaced atomically.
    if (!["EISDIR", "ENOTEMPTY", "EEXIST", "EPERM"].includes(readErrno(error) ?? "")) throw error;
    const old = `${app}.old-${randomBytes(6).toString("hex")}`;
    await rename(app, old);
    try {
      await rename(link, app);
    } catch (failure) {
      await rename(old, app);
      throw failure;
    }
    const now = new Date();
    await utimes(old, now, now);
  }
}

async function sweep(root: string, current: string): Promise<void> {
  for (const name of (await readdir(root)).filter(isCopy)) {
    const path = join(root, name);
    const stats = await stat(path).catch(() => undefined); // undefined for a broken link
    if (path === current || Date.now() - (stats?.mtimeMs ?? 0) < keepOldCopyMs) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** Checks if a name belongs to a copy of the app, or to a link that an installer did not finish. */
export function isCopy(name: string): boolean {
  return /^app(?:-|\.(?:new|old|link)-)[0-9a-f]{12}$/.test(name);
}
