import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { createRequire as requireFrom } from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { SettingsError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { makePrivateFolder, writeNewFile, writePrivateFile } from "../../io/private-file.ts";
import { withProcessLock } from "../files/process-lock.ts";
import { switchTo } from "./switch-app.ts";

/** Folders of node-notifier's programs that a platform needs; Linux has its own. */
const vendorFolders: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["mac.noindex"],
  win32: ["snoreToast", "notifu"],
};

export interface AppRequest {
  /** Folder of the package that is installed; it has been built. */
  readonly packageRoot: string;
  readonly paths: Paths;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The Node that is running. */
  readonly execPath: string;
}

/**
 * Puts the built toolkit, the launcher, the starter configuration and the folders in place. Running it again replaces the
 * toolkit and keeps everything else.
 * @throws {SettingsError} `install.root` for a root that is no folder of its own, `install.not-built`
 */
export async function setUpApp(request: AppRequest): Promise<void> {
  const { packageRoot, paths } = request;
  refuseRoot(paths.root, request.home);
  if (request.platform !== "win32") refuseBackslash(paths.root);
  const launcher = join(packageRoot, "dist", "hooks", "hook.sh");
  if (!existsSync(launcher)) {
    throw new SettingsError("install.not-built", packageRoot, `${packageRoot}: beckon has not been built here`, {
      hint: "Run `npm run build` first. Nothing was changed.",
    });
  }
  await makeFolders(paths);
  await copyApp(request);
  await writePrivateFile(paths.launcher, await readFile(launcher), 0o755);
  await copyTemplate(join(packageRoot, "templates", "config.schema.json"), paths.configSchema);
  if (!existsSync(paths.config)) await copyTemplate(join(packageRoot, "templates", "config.jsonc"), paths.config);
}

/** Whether a root is a folder that beckon may treat as its own. */
function refuseRoot(root: string, home: string): void {
  if (root !== home && !`${home}${sep}`.startsWith(root.endsWith(sep) ? root : root + sep)) return;
  throw new SettingsError(
    "install.root",
    root,
    `${root}: beckon needs a folder of its own, below your home or elsewhere`,
    {
      hint: "Set BECKON_HOME to another folder, or unset it. Nothing was changed.",
    },
  );
}

/** Node loads no module from below such a folder: events would be taken, and wait for ever. */
function refuseBackslash(root: string): void {
  if (!root.includes("\\")) return;
  throw new SettingsError(
    "install.root",
    root,
    `${root}: Node runs no program below a folder with a backslash in its name`,
    {
      hint: "Set BECKON_HOME to another folder. Nothing was changed.",
    },
  );
}

async function makeFolders({ root, spool, journal, state }: Paths): Promise<void> {
  const boxes = ["tmp", "new", "cur", "dead"].map((box) => join(spool, box));
  for (const folder of [root, spool, ...boxes, journal, state]) {
    await makePrivateFolder(folder);
    if (((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
  }
}

async function copyApp({ packageRoot, paths, platform, execPath }: AppRequest): Promise<void> {
  const copy = `${paths.app}-${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(copy, { mode: 0o700 });
    for (const part of ["dist", "templates"]) await copyTree(join(packageRoot, part), join(copy, part));
    await writeNewFile(join(copy, "package.json"), await readFile(join(packageRoot, "package.json")), 0o600);
    await copyVendor(packageRoot, join(copy, "vendor"), platform);
    // Not a version manager's shim: that needs the shell it was set up in.
    await writeNewFile(join(copy, "node"), Buffer.from(`${await realpath(execPath)}\n`), 0o600);
    await withProcessLock(join(paths.state, "install.lock"), 2000, () => switchTo(copy, paths));
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw error;
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const copy = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, copy);
    if (!entry.isFile()) continue;
    await copyFile(source, copy);
    await chmod(copy, ((await stat(source)).mode & 0o100) === 0 ? 0o600 : 0o700);
  }
}

async function copyVendor(packageRoot: string, to: string, platform: NodeJS.Platform): Promise<void> {
  const from = vendorOf(packageRoot);
  for (const folder of from ? (vendorFolders[platform] ?? []) : [])
    await copyTree(join(from ?? "", folder), join(to, folder));
}

/** node-notifier's programs: in its package, or in the installed toolkit when that installs itself anew. */
function vendorOf(packageRoot: string): string | undefined {
  const installed = join(packageRoot, "vendor");
  if (existsSync(installed)) return installed;
  try {
    return join(
      dirname(requireFrom(join(packageRoot, "package.json")).resolve("node-notifier/package.json")),
      "vendor",
    );
  } catch {
    return undefined; // without it the desktop is reached in other ways
  }
}

async function copyTemplate(from: string, to: string): Promise<void> {
  if (existsSync(from)) await writePrivateFile(to, await readFile(from));
}

/** The folder of the package that a file of ours belongs to. @throws where there is none above it */
export async function findPackageRoot(file: string): Promise<string> {
  for (let folder = dirname(file); basename(folder) !== ""; folder = dirname(folder)) {
    const manifest = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}"); // looked for further up
    if ((JSON.parse(manifest) as { name?: unknown }).name === "beckon") return folder;
  }
  throw new SettingsError("install.not-built", file, `${file}: no package of beckon's around it`);
}
