import { execFileSync, spawnSync } from "node:child_process";
import fs, { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolvePaths } from "../../src/files/paths.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { dist, recordNode, repository, run } from "./home.ts";

/** A real user of this machine, with a home folder and beckon installed in it. */
export type User = ReturnType<typeof layOut>;

export type TwoUsers = ReturnType<typeof createUsers>;

/**
 * Makes two ordinary users of this machine with `useradd`. Needs root. Their homes are not below the tests' private TMPDIR, which these users could not
 * enter.
 */
export function createUsers() {
  const base = fs.mkdtempSync("/tmp/beckon-users-");
  chmodSync(base, 0o755);
  const packageRoot = join(base, "package");
  for (const part of ["dist", "templates", "package.json"])
    cpSync(join(repository, part), join(packageRoot, part), { recursive: true });
  execFileSync("chmod", ["-R", "a+rX", packageRoot]);
  const node = join(base, "node");
  fs.copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  const [alice, bob] = [`bk${process.pid}a`, `bk${process.pid}b`];
  const removeHome = (login: string): string => {
    spawnSync("pkill", ["-KILL", "-u", login]); // a worker that lingers
    rmSync(join(base, login), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    return join(base, login);
  };
  const renew = (login: string): User => {
    const home = removeHome(login);
    if (spawnSync("id", [login]).status !== 0) execFileSync("useradd", ["--no-create-home", "--home-dir", home, login]);
    return layOut(Number(execFileSync("id", ["-u", login])), home, node, packageRoot);
  };
  return {
    /** Path of a Node that every user may run. */
    node,
    /** Folder of the built package, readable by everybody. */
    package: packageRoot,
    /** Gives both a new home that holds only a fresh installation. */
    renew: () => ({ alice: renew(alice), bob: renew(bob) }),
    /** Removes users and homes. */
    remove() {
      for (const login of [alice, bob]) {
        removeHome(login);
        spawnSync("userdel", [login]);
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function layOut(uid: number, home: string, node: string, packageRoot: string) {
  const paths = resolvePaths(join(home, ".beckon"));
  mkdirSync(home, { mode: 0o755 });
  mkdirSync(paths.app, { recursive: true, mode: 0o700 });
  for (const part of ["dist", "templates"]) cpSync(join(packageRoot, part), join(paths.app, part), { recursive: true });
  cpSync(join(dist, "hooks", "hook.sh"), paths.launcher);
  recordNode(paths, node);
  makeSpool(paths.spool);
  chmodSync(paths.root, 0o700);
  const own = (path: string) => execFileSync("chown", ["-R", `${uid}:${uid}`, path]);
  own(home);
  /** Runs a program as this user; its working directory is the home folder. */
  const runAs = (file: string, args: readonly string[], input = "", env: NodeJS.ProcessEnv = {}) =>
    run(file, args, input, { uid, cwd: home, env: { PATH: "/usr/bin:/bin", HOME: home, ...env } });
  return {
    ...{ uid, home, paths, run: runAs },
    /** Runs the command line as this user. */
    beckon: (...args: readonly string[]) => runAs(node, [join(packageRoot, "dist", "cli.js"), ...args]),
    /** Writes a file as this user; missing folders are made. */
    write(path: string, text: string, mode = 0o600) {
      writeFileSync(path, text);
      chmodSync(path, mode);
      own(path);
      return path;
    },
    /** Returns the texts of the journal's lines, from all files. */
    journal: () =>
      readdirIfAny(paths.journal)
        .filter((file) => file.endsWith(".jsonl"))
        .map((file) => fs.readFileSync(join(paths.journal, file), "utf8"))
        .join(""),
  };
}

/** Lists the files of another user in a folder, including the folder itself. */
export function listForeignFiles({ uid }: Pick<User, "uid">, folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return [folder, ...names].filter((path) => lstatSync(path, { throwIfNoEntry: false })?.uid !== uid);
}

/** Lists every file and folder below a folder with inode, owner, mode and size. */
export function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const { ino, uid, mode, size } = lstatSync(join(folder, name));
      return `${name} ${ino} ${uid} ${mode.toString(8)} ${size}`;
    });
}

function readdirIfAny(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
