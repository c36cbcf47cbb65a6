import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { childrenOf } from "../../src/core/process-table.ts";
import { freshHome } from "../world/fresh-home.ts";
import { compiledWorker, type Home, run, sleep } from "../world/home.ts";
import { shells, stop, untilSkipped } from "./stop-hook.ts";

// An agent that keeps standard input open: a worker that is awake, or that the launcher starts, ends the reading.

let home: Home;
const children: ChildProcess[] = [];
beforeEach(() => {
  home = freshHome({ notifiers: {}, delivery: { linger: "1m" } });
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts a launcher, writes to it, and leaves its standard input open. */
function startLauncher(input = stop, shell = "sh"): ChildProcess {
  const [program = "", ...args] = shell.split(" ");
  const child = spawn(program, [...args, home.paths.launcher, "Stop", "--agent", "claude"], {
    env: home.env,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // a group of its own
  });
  child.stdin?.write(input);
  children.push(child);
  return child;
}

/** The exit code of a launcher, or the signal that ended it. */
const ended = (child: ChildProcess) =>
  new Promise<unknown>((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code)));

async function wakeWorker(): Promise<void> {
  await home.launch(["Stop"], stop.replace("s1", "first"));
  await untilSkipped(home);
  await expect.poll(() => statSync(home.paths.watching).mtimeMs - Date.now()).toBeGreaterThan(1_500);
}

/** The records that launchers are writing. */
const written = () => {
  const folder = join(home.paths.spool, "tmp");
  return readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
};
const hasCome = () => expect.poll(() => written().some((text) => text.includes(stop))).toBe(true);
const isAccepted = () => home.journal().filter(({ status, sessionId }) => status === "accepted" && sessionId === "s1");

describe.each(shells)("a launcher in %s", (shell) => {
  test.each([
    ["a worker is awake", wakeWorker],
    ["it starts a worker", () => {}],
  ])("that starts no timer, since %s, stores what has come and exits 0", async (_, getReady) => {
    await getReady();
    const launcher = startLauncher(stop, shell);
    const exit = ended(launcher);
    await hasCome();
    expect(written().join("")).toContain(`{"v":1,"hook":${launcher.pid},"event":"Stop"`);
    await expect.poll(() => namesOfChildren(launcher.pid)).toContainEqual(expect.stringMatching(/^(cat|busybox)$/));
    expect(namesOfChildren(launcher.pid)).not.toContain("timeout");
    expect(await exit).toBe(0);
    await expect.poll(isAccepted).toHaveLength(1);
  });
});

describe.each(shells)("where a signal asks it to end, a launcher that a worker watches, in %s,", (shell) => {
  /** A launcher whose reading nobody ends: the worker that would stands still until `goOn`. */
  async function startWatched() {
    await wakeWorker();
    const launcher = startLauncher(stop, shell);
    const exit = ended(launcher);
    await hasCome();
    const worker = home.workerPid() ?? Number.NaN;
    process.kill(worker, "SIGSTOP");
    return { launcher, pid: launcher.pid ?? Number.NaN, exit, goOn: () => process.kill(worker, "SIGCONT") };
  }

  test("ends at once and stores what has come, if its group is asked", async () => {
    const { pid, exit, goOn } = await startWatched();
    process.kill(-pid, "SIGTERM");
    expect(await exit).toBe(0);
    goOn();
    await expect.poll(isAccepted).toHaveLength(1);
  });

  test("ends with the reading and stores what has come, if it is asked alone", async () => {
    const { launcher, pid, exit, goOn } = await startWatched();
    process.kill(pid, "SIGTERM");
    launcher.stdin?.write("\n\n");
    await expect.poll(() => written().join("")).toContain(`${stop}\n\n`);
    goOn();
    expect(await exit).toBe(0);
    await expect.poll(isAccepted).toHaveLength(1);
  });
});

test("of a writer that sends nothing the journal says so", async () => {
  await wakeWorker();
  expect(await ended(startLauncher(""))).toBe(0);
  await home.until((journal) => journal.some(({ reason }) => reason?.startsWith("input.timeout") === true));
});

test.each(shells)("the end of a session has a timer in %s: half a second is too short for a worker", async (shell) => {
  await wakeWorker();
  const [program = "", ...args] = shell.split(" ");
  const traced = [...args, "-x", home.paths.launcher, "SessionEnd"];
  const env = { ...home.env, BECKON_DEBUG: "1" };
  const { exitCode, stderr } = await run(program, traced, stop, { env, keepOpen: true });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("exec timeout 0.5 cat\n") });
  expect(stderr).not.toContain('"hook"');
});

test("the first worker of an installation is not relied on: its program may not run at all", async () => {
  rmSync(join(home.paths.app, compiledWorker));
  const launcher = startLauncher();
  const exit = ended(launcher);
  await hasCome();
  expect(written().join("")).not.toContain('"hook"');
  expect(await exit).toBe(0);
});

test("a worker that finds the lock with another container's ends the reading all the same", async () => {
  const exit = ended(startLauncher());
  await expect.poll(() => existsSync(home.paths.starting), { interval: 1 }).toBe(true);
  writeFileSync(home.paths.lock, "4194400 token another-host\n", { flag: "wx" });
  const beating = setInterval(() => utimesSync(home.paths.lock, new Date(), new Date()), 500);
  try {
    await hasCome();
    expect(written().join("")).toContain('"hook"');
    expect(await exit).toBe(0);
    expect(readFileSync(home.paths.lock, "utf8")).toContain("another-host");
  } finally {
    clearInterval(beating);
  }
});

test("a worker that hangs is not relied on", async () => {
  await wakeWorker();
  process.kill(home.workerPid() ?? 0, "SIGSTOP");
  await expect.poll(() => statSync(home.paths.watching).mtimeMs - Date.now()).toBeLessThan(-1_100); // some shells compare whole seconds
  const launcher = startLauncher();
  const exit = ended(launcher);
  await hasCome();
  expect(written().join("")).not.toContain('"hook"');
  expect(await exit).toBe(0);
});

test.each(["launcher", "entrypoint"])("many agents at once do not make the %s start a second worker", async (hook) => {
  await wakeWorker();
  const worker = home.workerPid();
  const spy = join(home.paths.root, "started");
  writeFileSync(home.paths.nodeRecord, `${spy}.sh\n`);
  writeFileSync(`${spy}.sh`, `#!/bin/sh\necho started >${spy}\n`, { mode: 0o700 });
  // Records that are being written at this moment, all of them newer than the worker's last heartbeat.
  const soon = Date.now() / 1000 + 60;
  for (const folder of ["tmp", "new"]) {
    for (let number = 0; number < 20; number += 1) {
      const path = join(home.paths.spool, folder, `r${number}`);
      writeFileSync(path, '{"v":1,"event":"Stop"}\n{"hook_event_name":');
      utimesSync(path, soon, soon);
    }
  }
  if (hook === "launcher") await home.launch(["Stop"], stop);
  else await home.enter("stop", [], stop);
  await expect.poll(isAccepted).toHaveLength(1);
  expect(existsSync(spy) || existsSync(home.paths.starting)).toBe(false);
  expect(home.workerPid()).toBe(worker);
});

test("a worker stays until the reading that it watches is over", async () => {
  home.writeConfig({ notifiers: {}, delivery: { linger: "2s" } });
  await wakeWorker();
  const worker = home.workerPid();
  const exit = ended(startLauncher());
  await hasCome();
  home.writeConfig({ notifiers: {}, delivery: { linger: "0s" } });
  expect(await exit).toBe(0);
  await expect.poll(isAccepted).toHaveLength(1);
  await expect.poll(() => home.workerPid()).toBeUndefined();
  expect(existsSync(home.paths.watching)).toBe(false);
  expect(worker).toBeDefined();
});

test("where the worker is killed meanwhile, the next one ends the reading", async () => {
  await wakeWorker();
  const exit = ended(startLauncher());
  await hasCome();
  await home.killWorker();
  await sleep(2_500);
  expect(written().join("")).toContain('"hook"'); // nobody has ended it
  await home.launch(["Stop"], stop.replace("s1", "next"));
  expect(await exit).toBe(0);
  await expect.poll(isAccepted).toHaveLength(1);
});

const namesOfChildren = (pid = 0) => childrenOf(pid).map(({ name }) => name);
