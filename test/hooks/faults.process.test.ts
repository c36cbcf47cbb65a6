import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { quietly } from "../../src/core/quietly.ts";
import { bootSeconds } from "../../src/files/lock-line.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { freshHome } from "../world/fresh-home.ts";
import { type Home, recordNode, run } from "../world/home.ts";
import { expectSilence, quiet, shells, stop } from "./stop-hook.ts";

const launcher = readFileSync(join(import.meta.dirname, "..", "..", "hooks", "hook.sh"), "utf8");
/** Environment variables that the launcher records. */
const recorded = (/for name in (PWD[^;]+);/.exec(launcher)?.[1] ?? "").split(/[\s\\]+/);
const inAll = (value: string) => Object.fromEntries(recorded.map((name) => [name, value]));

interface Fault {
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  readonly spoil?: (paths: Home["paths"]) => unknown;
}

const makeHuge = (file: string) => {
  writeFileSync(file, "");
  truncateSync(file, 20e9);
};
const commands =
  "cat cd command date echo false head kill mkdir perl printf read rm setsid sleep test timeout true umask".split(" ");
const options =
  "allexport:errexit:errtrace:functrace:histexpand:history:keyword:monitor:noclobber:noglob:nounset:xtrace";

const faults: Readonly<Record<string, Fault>> = {
  "26 variables of 1,024 backslashes": { env: inAll("\\".repeat(1024)) },
  "26 variables that end in 16 quotes": { env: inAll("a".repeat(1008) + '"'.repeat(16)) },
  "26 variables that end in 16 quotes, not in ASCII": {
    env: { ...inAll("ü".repeat(500) + '"'.repeat(16)), LC_ALL: "C.UTF-8" },
  },
  "26 variables of 60,000 letters": { env: inAll("a".repeat(60_000)) },
  "a variable of 20,000 backslashes": { env: { TMUX: "\\".repeat(20_000) } },
  "a wait of 120,000 zeros": { args: ["--wait", "0".repeat(120_000)] },
  "a wait of 120,000 digits": { args: ["--wait", "9".repeat(120_000)] },
  "a PATH of 60,000 folders": { env: { PATH: "/:".repeat(60_000) }, spoil: ({ nodeLink }) => rmSync(nodeLink) },
  "no Node at all": { env: { PATH: "/nowhere" }, spoil: (paths) => recordNode(paths, "/no/such/node") },
  "a PATH of 120,000 colons": { env: { PATH: ":".repeat(120_000) }, spoil: ({ nodeLink }) => rmSync(nodeLink) },
  "the link to Node leads to a folder": { spoil: (paths) => recordNode(paths, paths.root) },
  "a record of folders of 20 GB": { spoil: ({ pathRecord }) => makeHuge(pathRecord) },
  "no Node for a form": {
    args: ["--agent", "claude", "--form", "1"],
    env: { PATH: "/nowhere" },
    spoil: (paths) => recordNode(paths, "/no/such/node"),
  },
  "a form's Node with options that it refuses": {
    args: ["--agent", "claude", "--form", "1"],
    env: { NODE_OPTIONS: "--require ./missing.js" },
  },
  "exported options": { env: { SHELLOPTS: options, BASHOPTS: "failglob:nocasematch:nullglob:xpg_echo" } },
  "exported functions": {
    env: Object.fromEntries(commands.map((name) => [`BASH_FUNC_${name}%%`, "() { echo odd; return 1; }"])),
  },
};

/** Makes an installation in which workers end at once. */
function makeHome(): Home {
  const home = freshHome(quiet);
  writeFileSync(home.paths.worker, "");
  return home;
}

function launch(home: Home, shell: string, { env, args = [], spoil }: Fault) {
  spoil?.(home.paths);
  const line = ["-s", "KILL", "10", ...`/bin/${shell}`.split(" "), home.paths.launcher, "Stop", ...args];
  return run("/usr/bin/timeout", line, stop, { env: { ...home.env, ...env, PATH: env?.["PATH"] ?? "/usr/bin:/bin" } });
}

/** Reads the header of the only record, and removes the record. */
function takeHeader(home: Home): { readonly env: Readonly<Record<string, string>>; readonly wait?: number } {
  const [name = "", ...others] = home.spooled();
  expect(others).toEqual([]);
  const file = join(home.paths.spool, name);
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.slice(1)).toEqual([stop, '{"end":0}', ""]);
  rmSync(file);
  return JSON.parse(lines[0] ?? "");
}

test.each(shells)("the launcher stores the event at once under any fault in %s", async (shell) => {
  expect(recorded).toHaveLength(26);
  const check = async ([, fault]: [string, Fault]) => {
    const home = makeHome();
    expectSilence(await launch(home, shell, fault));
    takeHeader(home);
    for (const file of [home.paths.lock, home.paths.starting]) rmSync(file, { force: true }); // too large to clean up
  };
  expect(await collectFailures(Object.entries(faults), check)).toEqual([]);
});

test.each(shells)(
  "a variable is recorded unchanged up to 1,024 characters and 16 quotes or backslashes in %s",
  async (shell) => {
    const home = makeHome();
    const kept = {
      TMUX: "a".repeat(1008) + '\\"'.repeat(8),
      TMUX_PANE: '"',
      SSH_TTY: "\\",
      DISPLAY: "\\\"\" \\\\ b* $HOME ?[x] `id` 'q' é \\",
      WINDOWID: " two  spaces ",
      SWAYSOCK: ".",
    };
    const dropped = { KITTY_LISTEN_ON: "a".repeat(1025), NIRI_SOCKET: "\\".repeat(17), TERM_PROGRAM: "a\nb" };
    expectSilence(await launch(home, shell, { env: { ...kept, ...dropped } }));
    const { env } = takeHeader(home);
    expect(env).toMatchObject(kept);
    expect(Object.keys(env)).not.toEqual(expect.arrayContaining([expect.stringMatching(/KITTY|NIRI|TERM_PROGRAM/)]));
  },
);

test.each(shells)("a worker that is awake is left alone in %s, whatever the lock's padding", async (shell) => {
  const home = makeHome();
  const worker = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void worker.kill());
  for (const padding of [0, 10]) {
    const promise = String(bootSeconds() + 4).padStart(padding);
    writeFileSync(home.paths.lock, `${worker.pid} ${promise} host\n`);
    expectSilence(await launch(home, shell, {}));
    takeHeader(home);
    expect(readdirSync(home.paths.spool)).not.toContain("worker.starting");
  }
});

test.each(shells)("a worker is started beside a lock of other words in %s", async (shell) => {
  const home = makeHome();
  for (const text of ["* * *\n", "x\n2\n", "", "\n", "4194305 0 0\n"]) {
    rmSync(home.paths.starting, { force: true });
    writeFileSync(home.paths.lock, text);
    expectSilence(await launch(home, shell, {}));
    takeHeader(home);
    expect(readdirSync(home.paths.spool)).toContain("worker.starting");
  }
});

test("Node is found far behind on a long PATH without a record or its Node, and in a recorded path with spaces", async () => {
  const home = makeHome();
  const bin = join(home.paths.root, "a bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  writeFileSync(home.paths.worker, `require("node:fs").writeFileSync(${JSON.stringify(join(bin, "ran"))}, "")`);
  const untilRun = async () => {
    while (!readdirSync(bin).includes("ran")) await new Promise((resolve) => setTimeout(resolve, 5));
    rmSync(join(bin, "ran"));
    rmSync(home.paths.starting, { force: true });
  };
  for (const spoil of [() => recordNode(home.paths, "/no/such/node"), () => rmSync(home.paths.nodeLink)]) {
    const env = { PATH: `/usr/bin:/bin${`:/nowhere/${"x".repeat(60)}`.repeat(300)}:${bin}` };
    await launch(home, "sh", { env, spoil });
    await untilRun();
  }
  recordNode(home.paths, join(bin, "node"));
  await launch(home, "sh", {});
  await untilRun();
});

test("a system without these programs in its own folders uses the recorded ones, of which it reads 4 KiB", async () => {
  const recorded = { none: undefined, valid: "/usr/bin:/bin\n", empty: "\n" };
  const rows = ["", "head perl"].flatMap((kept) => Object.entries(recorded).map((row) => [kept, ...row] as const));
  const check = async ([kept, , text]: (typeof rows)[number]) => {
    const home = makeHome();
    const system = join(home.paths.root, "system");
    mkdirSync(system);
    for (const name of kept.split(" ").filter(Boolean)) symlinkSync(`/usr/bin/${name}`, join(system, name));
    writeFileSync(home.paths.launcher, launcher.replace("PATH=/usr/bin:/bin", `PATH=${system}`));
    if (text !== undefined) writeFileSync(home.paths.pathRecord, text);
    if (text === undefined && kept !== "") makeHuge(home.paths.pathRecord);
    expectSilence(await launch(home, "dash", {}));
    takeHeader(home);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("a folder deeper than any system allows ends the hook at once", async () => {
  const home = makeHome();
  const plugin = join(home.paths.root, "plugin");
  mkdirSync(plugin);
  writeFileSync(join(plugin, "hook.sh"), launcher);
  for (const [name, value] of [
    ["HOME", "/a"],
    ["BECKON_HOME", "/a"],
  ] as const) {
    const env = { ...home.env, BECKON_HOME: "", [name]: value.repeat(60_000) };
    expectSilence(await run("timeout", ["-s", "KILL", "10", "sh", join(plugin, "hook.sh"), "Stop"], stop, { env }));
  }
});

test.each(shells)("a worker keeps none of the agent's descriptors 3 to 9 in %s", async (shell) => {
  const home = freshHome({ ...quiet, delivery: { linger: "5s" } });
  const held = join(home.paths.root, "held");
  const descriptor = openSync(held, "w");
  const line = `exec 3>&0 4>&0 5>&0 6>&0 7>&0 8>&0 9>&0; echo '${stop}' | "$@"`;
  const args = ["-c", line, "agent", ...shell.split(" "), home.paths.launcher, "Stop"];
  const { status } = spawnSync("sh", args, { env: home.env, stdio: [descriptor, "ignore", "ignore"] });
  closeSync(descriptor);
  await home.until((journal) => journal.some(({ status: found }) => found === "skipped"));
  const folder = `/proc/${home.workerPid()}/fd`;
  // A descriptor may be a socket, or just closed.
  const targets = readdirSync(folder).flatMap((name) => quietly(() => realpathSync(join(folder, name))) ?? []);
  expect([status, targets.includes(held), targets.length > 2]).toEqual([0, false, true]);
});
