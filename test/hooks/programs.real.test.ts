import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freshHome } from "../world/fresh-home.ts";
import { dist, type Home, recordNode, run } from "../world/home.ts";
import { expectSilence, quiet, stop, untilSkipped, untilStored } from "./stop-hook.ts";

const tools = ["sh", "cat", "mv", "mkdir", "rm", "sleep", "date"];

let home: Home;
let system: string;
let project: string;
beforeEach(() => {
  home = freshHome(quiet);
  system = makeFolder("system");
  project = makeFolder("project");
  for (const tool of tools) copyTool(tool, system);
  const node = join(makeFolder("runtime"), "node");
  copyFileSync(process.execPath, node);
  recordNode(home.paths, node);
});
afterEach(() => rmSync(`${home.paths.root}-home`, { recursive: true, force: true }));

function copyTool(name: string, folder: string): void {
  copyFileSync(realpathSync(`/usr/bin/${name}`), join(folder, name));
}

function makeFolder(name: string): string {
  const folder = join(home.paths.root, name);
  mkdirSync(folder);
  return folder;
}

/** A program that records its name in `ran`, then runs the real program if there is one. */
function note(folder: string, name: string): void {
  const real = { timeout: "shift 3", setsid: ":", node: "exit 0" }[name] ?? `exec ${join(system, name)} "$@"`;
  writeFileSync(join(folder, name), `#!/usr/bin/sh\necho ${name} >>${ranFile()}\n${real}\nexec "$@"\n`);
  chmodSync(join(folder, name), 0o755);
}

const ranFile = (): string => join(home.paths.root, "ran");
const ran = (): string[] => (existsSync(ranFile()) ? readFileSync(ranFile(), "utf8").trim().split("\n") : []);

/** Fires a hook in the project on a system whose /usr/bin and /bin are `system` and nothing else. */
function fire(path: string) {
  return runThere(path, home.paths.launcher, "Stop");
}

function runThere(path: string, ...command: readonly string[]) {
  const script =
    'mount --bind "$1" /usr/bin && { [ -L /bin ] || mount --bind "$1" /bin; } && cd "$2" && PATH=$3 && shift 3 && exec "$@"';
  const args = ["-m", "sh", "-c", script, "sh", system, project, path, ...command];
  return run("unshare", args, stop, { env: { ...home.env, HOME: `${home.paths.root}-home` } });
}

// Only root can replace /usr/bin. `.ci/run` counts a skipped test of this project as a failure.
describe.skipIf(process.getuid?.() !== 0)("on a system without timeout and setsid the launcher", () => {
  test("runs no project programs", async () => {
    const bin = makeFolder("project/bin");
    const packages = makeFolder("node_modules");
    for (const folder of [project, bin, makeFolder("node_modules/.bin"), packages])
      for (const name of ["timeout", "setsid", "perl"]) note(folder, name);
    expectSilence(await fire(`.::bin:${project}:${bin}:${join(packages, ".bin")}`));
    await untilStored(home); // without a way to start a worker
    expect(ran()).toEqual([]);
  });

  test("runs those in the folders recorded at installation", async () => {
    const tool = makeFolder("tools");
    for (const folder of [tool, project, makeFolder("project/bin")])
      for (const name of ["timeout", "setsid"]) note(folder, name);
    const node = join(home.paths.root, "runtime", "node");
    const install = [join(dist, "cli.js"), "install", "--agent", "claude", "--events", "Stop", "--yes"];
    const path = `${project}:${join(project, "bin")}:/nowhere:${tool}:${dirname(node)}`;
    expect((await runThere(path, node, ...install)).stdout).toMatch(/beckon \S+ is in /);
    expect(readFileSync(home.paths.pathRecord, "utf8")).toBe(`${tool}\n`);
    await home.killWorker(); // the sample event
    rmSync(home.paths.journal, { recursive: true });
    rmSync(ranFile(), { force: true });
    expectSilence(await fire("/nowhere"));
    await untilSkipped(home);
    expect(ran()).toEqual(["timeout", "setsid"]);
  });

  test("runs the first one outside the project if the recorded Node is missing", async () => {
    const outside = makeFolder("outside");
    copyFileSync(process.execPath, join(outside, "node"));
    for (const folder of [project, makeFolder("project/bin")]) note(folder, "node");
    for (const tool of ["setsid", "timeout"]) copyTool(tool, system);
    recordNode(home.paths, "/no/such/node");
    expectSilence(await fire(`.:${project}:${join(project, "bin")}:${outside}`));
    await untilSkipped(home);
    expect(ran()).toEqual([]);
  });

  test("searches inherited folders outside the project if even cat is missing", async () => {
    const outside = makeFolder("outside");
    const bare = makeFolder("bare");
    copyFileSync(join(system, "sh"), join(bare, "sh"));
    for (const tool of [...tools, "setsid"]) copyTool(tool, outside);
    note(project, "cat");
    system = bare;
    expectSilence(await fire(`${project}:${outside}`));
    await untilSkipped(home);
    expect(ran()).toEqual([]);
  });
});
