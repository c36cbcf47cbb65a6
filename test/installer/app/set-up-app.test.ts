import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockLine } from "../../../src/files/lock-line.ts";
import { type Paths, resolvePaths } from "../../../src/files/paths.ts";
import { setUpApp } from "../../../src/installer/app/set-up-app.ts";
import { freshFolder } from "../../world/fresh-folder.ts";
import { repository } from "../../world/home.ts";

/** Creates a package with its version in every file. */
function createPackage(version: string): string {
  const root = freshFolder();
  mkdirSync(join(root, "dist", "hooks"), { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "beckon", version }));
  for (const file of ["worker.cjs", "hooks/hook.sh", "THIRD-PARTY-NOTICES", `only-in-${version}.js`])
    writeFileSync(join(root, "dist", file), version);
  return root;
}

const freshPaths = () => resolvePaths(join(freshFolder(), ".beckon"));

const environment = { home: "/home/u", project: "/home/u", env: {}, platform: process.platform };
const setUp = (paths: Paths, packageRoot: string) =>
  setUpApp({ packageRoot, paths, environment, execPath: process.execPath });

const copiesIn = ({ root }: Paths) => readdirSync(root).filter((name) => name.startsWith("app"));

test("`app` leads to a complete copy, and an upgrade switches to the next one", async () => {
  const paths = freshPaths();
  await setUp(paths, createPackage("1.0.0"));
  const first = realpathSync(paths.app);
  await setUp(paths, createPackage("2.0.0"));
  const files = ["THIRD-PARTY-NOTICES", "hooks", "only-in-2.0.0.js", "worker.cjs"];
  expect(readdirSync(join(paths.app, "dist")).sort()).toEqual(files);
  expect(readFileSync(join(first, "dist", "only-in-1.0.0.js"), "utf8")).toBe("1.0.0");
  expect(lstatSync(realpathSync(paths.app)).mode & 0o777).toBe(0o700);
  expect(readlinkSync(paths.app)).not.toContain("/");
});

const withBackslash = test.runIf(process.platform !== "win32");
withBackslash("a root that Node cannot run a worker in is refused before anything is made", async () => {
  const folder = freshFolder();
  const paths = resolvePaths(join(folder, "a\\b", ".beckon"));
  await expect(setUp(paths, createPackage("1.0.0"))).rejects.toThrow(/backslash/);
  expect(readdirSync(folder)).toEqual([]);
});

test("unused copies are removed by the next install while no worker runs, others stay", async () => {
  const paths = freshPaths();
  for (const version of ["1.0.0", "2.0.0", "3.0.0"]) await setUp(paths, createPackage(version));
  const old = copiesIn(paths).filter((name) => name !== "app" && name !== readlinkSync(paths.app));
  expect(old).toHaveLength(2);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(paths.root, String(old[0])), longAgo, longAgo);
  mkdirSync(join(paths.root, "app-mine"));
  utimesSync(join(paths.root, "app-mine"), longAgo, longAgo);
  writeFileSync(paths.lock, lockLine(process.pid));
  await setUp(paths, createPackage("4.0.0"));
  expect(existsSync(join(paths.root, String(old[0])))).toBe(true); // a worker may run from it
  rmSync(paths.lock);
  await setUp(paths, createPackage("5.0.0"));
  expect(existsSync(join(paths.root, String(old[0])))).toBe(false);
  expect(existsSync(join(paths.root, String(old[1])))).toBe(true);
  expect(existsSync(join(paths.root, "app-mine"))).toBe(true);
});

test("a lock that is larger than a line is removed, any other is kept", async () => {
  const paths = freshPaths();
  await setUp(paths, createPackage("1.0.0"));
  writeFileSync(paths.lock, "1".repeat(600));
  writeFileSync(paths.starting, lockLine(process.pid));
  await setUp(paths, createPackage("2.0.0"));
  expect([paths.lock, paths.starting].map((file) => existsSync(file))).toEqual([false, true]);
});

test("the programs for Windows notifications are installed in WSL, and are executable", async () => {
  const paths = freshPaths();
  const wsl = { ...environment, platform: "linux" as const, env: { WSL_DISTRO_NAME: "Debian" } };
  await setUpApp({ packageRoot: repository, paths, environment: wsl, execPath: process.execPath });
  const toaster = join(paths.app, "dist/vendor/snoreToast/snoretoast-x64.exe");
  expect(lstatSync(toaster).mode & 0o777).toBe(0o700);
});

test("a folder named app, from an earlier version, is replaced", async () => {
  const paths = freshPaths();
  mkdirSync(join(paths.app, "dist"), { recursive: true });
  writeFileSync(join(paths.app, "dist", "worker.cjs"), "old");
  await setUp(paths, createPackage("2.0.0"));
  expect(readFileSync(join(paths.app, "dist", "worker.cjs"), "utf8")).toBe("2.0.0");
  const [old] = copiesIn(paths).filter((name) => name.startsWith("app.old-"));
  expect(readFileSync(join(paths.root, String(old), "dist", "worker.cjs"), "utf8")).toBe("old");
});

test.each(["EPERM", "ENOSYS"])("if no link can be made (%s), an upgrade replaces a plain folder", async (code) => {
  const { symlink } = promises;
  const setSymlink = (next: typeof symlink): void => {
    promises.symlink = next;
    syncBuiltinESMExports();
  };
  const restore = () => setSymlink(symlink);
  onTestFinished(restore);
  setSymlink(() => Promise.reject(Object.assign(new Error(code), { code })));
  const paths = freshPaths();
  for (const version of ["1.0.0", "2.0.0"]) {
    await setUp(paths, createPackage(version));
    expect(lstatSync(paths.app).isDirectory()).toBe(true);
    expect(readFileSync(paths.worker, "utf8")).toBe(version);
  }
  restore();
  await setUp(paths, createPackage("3.0.0"));
  expect(readlinkSync(paths.app)).not.toContain("/");
  expect(readFileSync(paths.worker, "utf8")).toBe("3.0.0");
});

test("a broken link is replaced", async () => {
  const paths = freshPaths();
  mkdirSync(paths.root, { recursive: true });
  symlinkSync("app-000000000000", paths.app);
  await setUp(paths, createPackage("2.0.0"));
  expect(readFileSync(paths.worker, "utf8")).toBe("2.0.0");
});

test("a package that cannot be copied leaves only the installed one", async () => {
  const paths = freshPaths();
  await setUp(paths, createPackage("1.0.0"));
  const before = copiesIn(paths);
  const broken = createPackage("2.0.0");
  rmSync(join(broken, "package.json"));
  await expect(setUp(paths, broken)).rejects.toThrow();
  expect(copiesIn(paths)).toEqual(before);
  expect(readFileSync(join(paths.app, "dist", "worker.cjs"), "utf8")).toBe("1.0.0");
});

test("a reader finds a complete copy at any moment of the replacement", async () => {
  const paths = freshPaths();
  const packages = [createPackage("1.0.0"), createPackage("2.0.0")];
  await setUp(paths, String(packages[0]));
  const program = `const { readFileSync } = require("node:fs"); let reads = 0; console.log();
    process.on("SIGTERM", () => { console.log(reads); process.exit(0); });
    setInterval(() => { for (let i = 0; i < 50; i += 1) { readFileSync(process.argv[1], "utf8"); reads += 1; } }, 1);`;
  const reader = spawn(process.execPath, ["-e", program, paths.worker], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void reader.kill("SIGKILL"));
  let output = "";
  for (const stream of [reader.stdout, reader.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  await once(reader.stdout, "data");
  for (let round = 0; round < 10; round += 1) await setUp(paths, String(packages[round % 2]));
  reader.kill("SIGTERM");
  expect([await once(reader, "close"), Number(output) > 500]).toEqual([[0, null], true]);
});

test("a program running from the old copy still finds its lazily loaded parts", async () => {
  const paths = freshPaths();
  const first = createPackage("1.0.0");
  const program = `process.stdin.once("data", async () => { await import("./only-in-1.0.0.js"); process.exit(0); });
    console.log("ready");`;
  writeFileSync(join(first, "dist", "worker.cjs"), program);
  writeFileSync(join(first, "dist", "only-in-1.0.0.js"), 'console.log("loaded");');
  writeFileSync(join(first, "package.json"), '{ "name": "beckon", "type": "module" }');
  await setUp(paths, first);
  const worker = spawn(process.execPath, [paths.worker], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void worker.kill("SIGKILL"));
  await once(worker.stdout, "data");
  await setUp(paths, createPackage("2.0.0"));
  worker.stdin.write("go");
  const [said] = await once(worker.stdout, "data");
  expect(String(said)).toBe("loaded\n");
});
