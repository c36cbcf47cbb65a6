import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Root } from "./roots.ts";

/**
 * Programs that the launcher, users' shells and the installer call on every platform. As `sh`, yash runs only those
 * built-in commands that are also programs on PATH: https://magicant.github.io/yash/doc/builtin.html
 */
const tools = "[ cat chmod cp date echo env find kill ls mkdir mv printf ps rm sleep touch true".split(" ");
const store = "nix/store/0000-system/bin";

/** Builds the PATH of a root's users. */
export function buildPath({ layout }: Root): string {
  return layout === "store" ? `/${store}:/opt/node/bin` : "/usr/bin:/bin:/opt/node/bin";
}

/**
 * Lays out a root's own files: programs, accounts, empty folders to mount on. `enter-root.sh` mounts the libraries of
 * this machine, Node and the repository.
 * @param folder absolute path of a folder that does not exist yet
 */
export function makeRoot(root: Root, folder: string): void {
  const folders = "bin dev etc home/dev opt/node opt/beckon processes tmp usr/bin usr/lib usr/lib64 usr/share".split(
    " ",
  );
  for (const name of [...folders, ...(root.hasProc ? ["proc"] : [])])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["lib", "lib64"]) linkAsHere(name, folder);
  const own = join(folder, root.layout === "store" ? store : "bin");
  mkdirSync(own, { recursive: true });
  addProgram(root.sh, join(folder, "bin", "sh"));
  for (const name of [...tools, ...root.has.filter((name) => name !== "perl")]) addTool(root, name, own);
  if (root.layout === "store") addTool(root, "env", join(folder, "usr", "bin"));
  if (root.has.includes("perl")) addProgram("perl", join(folder, "usr", "bin", "perl"));
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\ndev:x:1000:1000:Dev:/home/dev:/bin/sh\n");
  writeFileSync(join(folder, "etc/group"), "root:x:0:\ndev:x:1000:\n");
}

/** Makes `/lib` and `/lib64` as on this machine: links into `/usr` on Debian, or folders to mount on. */
function linkAsHere(name: string, folder: string): void {
  if (lstatSync(`/${name}`).isSymbolicLink()) symlinkSync(readlinkSync(`/${name}`), join(folder, name));
  else mkdirSync(join(folder, name));
}

function addTool({ tools: kind }: Root, name: string, folder: string): void {
  addProgram(kind === "debian" ? name : kind, join(folder, name));
}

/** Copies a program of this machine. A program with many commands acts by the name of the copy. */
function addProgram(name: string, copy: string): void {
  const file = findProgram(name);
  if (!file) throw new Error(`${name} is not installed`);
  copyFileSync(file, copy);
}

/** Names the programs that a root needs and this machine lacks; undefined if none. */
export function missingPrograms({ sh, tools: kind, has }: Root): string | undefined {
  const missing = [sh, ...(kind === "debian" ? tools : [kind]), ...has].filter((name) => !findProgram(name));
  if (missing.length === 0) return undefined;
  return `${missing.join(", ")} not installed. On Debian, run scripts/install-platforms.sh.`;
}

/** Finds the file of a program by its name, or by its absolute path. */
function findProgram(name: string): string | undefined {
  if (isAbsolute(name)) return name;
  const folder = ["/usr/bin", "/bin"].find((folder) => existsSync(join(folder, name)));
  return folder && realpathSync(join(folder, name));
}
