import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { childrenOf } from "../../src/core/process-table.ts";
import { compiledWorker, createHome, type Home, sleep } from "../world/home.ts";
import { stop } from "./stop-hook.ts";

// An agent that keeps standard input open: a worker that is awake, or that the launcher starts, ends the reading.

let home: Home;
const children: ChildProcess[] = [];
beforeEach(() => {
  home = createHome();
  home.writeConfig({ notifiers: {}, delivery: { linger: "1m" } });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await home.remove();
});

const shells = ["dash", "bash", "busybox sh"].filter((shell) =>
  ["/usr/bin", "/bin"].some((folder) => existsSync(join(folder, shell.split(" ")[0] ?? ""))),
);

/** Starts a launcher, writes to it, and leaves its standard input open. */
function startLauncher(input = stop, shell = "sh", event = "Stop"): ChildProcess {
  const [program = "", ...args] = shell.split(" ");
  const child = spawn(program, [...args, home.paths.launcher, event, "--agent", "claude"], {
    env: home.env,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // a group of its own
  });
  child.stdin?.write(input);
  children.push(child);
  return child;
}

/** How a launcher ended, and after how long. */
const ended = (child: ChildProcess) => {
  const startedAtMs = performance.now();
  return new Promise<{ readonly code: unknown; readonly tookMs: number }>((resolve) =>
    child.on("exit", (code, signal) => resolve({ code: signal ?? code, tookMs: performance.now() - startedAtMs })),
  );
};

async function wakeWorker(): Promise<void> {
  await home.launch(["Stop"], stop.replace("s1", "first"));
  await home.until((journal) => journal.some(({ status }) => status === "skipped"));
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
    expect(await exit).toEqual({ code: 0, tookMs: expect.toSatisfy((ms: number) => ms > 1_500 && ms < 10_000) });
    await expect.poll(isAccepted).toHaveLength(1);
  });
});

describe.each(shells)("where a signal asks it to end, a launcher that a worker watches, in %s,", (shell) => {
  test.each([
    ["ends at once, if its group is asked", (pid: number): boolean => process.kill(-pid, "SIGTERM"), [0, 1_500]],
    [
      "ends with the reading, if it is asked alone",
      (pid: number): boolean => process.kill(pid, "SIGTERM"),
      [1_000, 10_000],
    ],
  ] as const)("%s, and stores what has come", async (_, ask, [minMs, maxMs]) => {
    await wakeWorker();
    const launcher = startLauncher(stop, shell);
    const exit = ended(launcher);
    await hasCome();
    ask(launcher.pid ?? Number.NaN);
    expect(await exit).toEqual({ code: 0, tookMs: expect.toSatisfy((ms: number) => ms > minMs && ms < maxMs) });
    await expect.poll(isAccepted).toHaveLength(1);
  });
});

test("of a writer that sends nothing the journal says so", async () => {
  await wakeWorker();
  expect((await ended(startLauncher(""))).code).toBe(0);
  await home.until((journal) => journal.some(({ reason }) => reason?.startsWith("input.timeout") === true));
});

test("the end of a session has a timer of its own, since half a second is shorter than a worker's look", async () => {
  await wakeWorker();
  const launcher = startLauncher(stop, "sh", "SessionEnd");
  const exit = ended(launcher);
  await hasCome();
  expect(written().join("")).not.toContain('"hook"');
  expect((await exit).code).toBe(0);
});

test("the first worker of an installation is not relied on: its program may not run at all", async () => {
  rmSync(join(home.paths.app, compiledWorker));
  const launcher = startLauncher();
  const exit = ended(launcher);
  await hasCome();
  expect(written().join("")).not.toContain('"hook"');
  expect((await exit).code).toBe(0);
});

test("a worker that finds the lock with another container's ends the reading all the same", async () => {
  const exit = ended(startLauncher());
  await expect.poll(() => existsSync(home.paths.starting), { interval: 1 }).toBe(true);
  writeFileSync(home.paths.lock, "4194400 token another-host\n", { flag: "wx" });
  const beating = setInterval(() => utimesSync(home.paths.lock, new Date(), new Date()), 500);
  try {
    await hasCome();
    expect(written().join("")).toContain('"hook"');
    expect((await exit).code).toBe(0);
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
  expect((await exit).code).toBe(0);
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
  expect((await exit).code).toBe(0);
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
  expect((await exit).code).toBe(0);
  await expect.poll(isAccepted).toHaveLength(1);
});

const namesOfChildren = (pid = 0) => childrenOf(pid).map(({ name }) => name);
