import { execFileSync, spawnSync } from "node:child_process";
import fs, { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Paths, resolvePaths } from "../../src/files/paths.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { dist, type HookResult, repository, run } from "./home.ts";

/** A real user of this machine, with a home folder and beckon installed in it. */
export interface User {
  readonly uid: number;
  readonly home: string;
  readonly paths: Paths;
  /** Runs a program as this user; its working directory is the home folder. */
  run(file: string, args: readonly string[], input?: string, env?: NodeJS.ProcessEnv): Promise<HookResult>;
  /** Runs the command line as this user. */
  beckon(...args: readonly string[]): Promise<HookResult>;
  /** Writes a file as this user; missing folders are made. */
  write(path: string, text: string, mode?: number): string;
  /** Returns the texts of the journal's lines, from all files. */
  journal(): string;
}

/** Two ordinary users of this machine. Needs root. */
export interface TwoUsers {
  /** Gives both a new home that holds only a fresh installation. */
  renew(): { readonly alice: User; readonly bob: User };
  /** Path of a Node that every user may run. */
  readonly node: string;
  /** Folder of the built package, readable by everybody. */
  readonly package: string;
  /** Removes users and homes. */
  remove(): void;
}

/**
 * Makes two users with `useradd`. Their homes are not below the tests' private TMPDIR, which these users could not
 * enter.
 */
export function createUsers(): TwoUsers {
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
    ...{ node, package: packageRoot },
    renew: () => ({ alice: renew(alice), bob: renew(bob) }),
    remove() {
      for (const login of [alice, bob]) {
        removeHome(login);
        spawnSync("userdel", [login]);
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function layOut(uid: number, home: string, node: string, packageRoot: string): User {
  const paths = resolvePaths(join(home, ".beckon"));
  mkdirSync(home, { mode: 0o755 });
  mkdirSync(paths.app, { recursive: true, mode: 0o700 });
  for (const part of ["dist", "templates"]) cpSync(join(packageRoot, part), join(paths.app, part), { recursive: true });
  cpSync(join(dist, "hooks", "hook.sh"), paths.launcher);
  writeFileSync(paths.nodeRecord, `${node}\n`);
  makeSpool(paths.spool);
  chmodSync(paths.root, 0o700);
  const own = (path: string) => execFileSync("chown", ["-R", `${uid}:${uid}`, path]);
  own(home);
  const user: User = {
    uid,
    home,
    paths,
    run: (file, args, input = "", env = {}) =>
      run(file, args, input, { uid, cwd: home, env: { PATH: "/usr/bin:/bin", HOME: home, ...env } }),
    beckon: (...args) => user.run(node, [join(packageRoot, "dist", "cli.js"), ...args]),
    write(path, text, mode = 0o600) {
      writeFileSync(path, text);
      chmodSync(path, mode);
      own(path);
      return path;
    },
    journal: () =>
      readdirIfAny(paths.journal)
        .filter((file) => file.endsWith(".jsonl"))
        .map((file) => fs.readFileSync(join(paths.journal, file), "utf8"))
        .join(""),
  };
  return user;
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
