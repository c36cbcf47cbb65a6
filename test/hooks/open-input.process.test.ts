import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { bootSeconds, isAwake } from "../../src/files/lock-line.ts";
import { freshHome } from "../world/fresh-home.ts";
import { type Home, type HookResult, sleep } from "../world/home.ts";
import { expectSilence, stop } from "./stop-hook.ts";

// An agent that writes its payload and keeps standard input open. A hook reads for two seconds at most.

/** Time limit for such a hook on a busy machine, in milliseconds. */
const maxMs = 6_000;

const lingering = { notifiers: {}, delivery: { linger: "1m" } };

const launchOpen = (home: Home, event = "Stop"): Promise<HookResult> =>
  home.launch([event, "--agent", "claude"], stop, { keepOpen: true });
const isAccepted = (home: Home, session = "s1") =>
  home.journal().some(({ status, sessionId }) => status === "accepted" && sessionId === session);

async function wakeWorker(home: Home): Promise<number> {
  expectSilence(await home.launch(["Stop"], stop.replace("s1", "first")));
  await home.until(() => isAccepted(home, "first") && isAwake(home.paths.lock));
  return home.workerPid() ?? Number.NaN;
}

const signalWorker = (signal: NodeJS.Signals) => async (home: Home) => {
  const worker = await wakeWorker(home);
  process.kill(worker, signal);
  if (signal === "SIGSTOP") onTestFinished(() => void process.kill(worker, "SIGKILL")); // its lock names another by then
};

const workers: Readonly<Record<string, (home: Home) => unknown>> = {
  absent: () => {},
  awake: wakeWorker,
  stopped: signalWorker("SIGSTOP"),
  killed: signalWorker("SIGKILL"),
};

test("a hook whose input stays open ends in time and stores the input, whatever a worker does", async () => {
  const check = async ([name, prepare]: [string, (home: Home) => unknown]) => {
    const home = freshHome(lingering);
    await prepare(home);
    const result = await launchOpen(home);
    expectSilence(result);
    expect(result.tookMs).toBeLessThan(maxMs);
    // A later hook replaces a worker that was suspended after its promise.
    for (let count = 0; name === "stopped" && !isAccepted(home) && count < 60; count += 1) {
      expectSilence(await home.launch(["Stop"], stop.replace("s1", `later-${count}`)));
      await sleep(250);
    }
    await home.until(() => isAccepted(home));
    return [name, home.journal().filter(({ sessionId, status }) => sessionId === "s1" && status === "accepted").length];
  };
  const accepted = await Promise.all(Object.entries(workers).map(check));
  expect(Object.fromEntries(accepted)).toEqual({ absent: 1, awake: 1, stopped: 1, killed: 1 });
});

/** A running process other than a worker. */
function startStranger(): ChildProcess {
  const stranger = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void stranger.kill());
  return stranger;
}

const inAnHour = Date.now() / 1000 + 3_600;
const odd: Readonly<Record<string, (file: string) => unknown>> = {
  "a pipe": (file) => execFileSync("mkfifo", [file]),
  "a folder": (file) => mkdirSync(file),
  "a link to a pipe": (file) => {
    execFileSync("mkfifo", [`${file}-target`]);
    symlinkSync(`${file}-target`, file);
  },
  empty: (file) => writeFileSync(file, ""),
  garbage: (file) => writeFileSync(file, "x".repeat(65_536)),
  "zeros in front of its numbers": (file) => writeFileSync(file, `007 0${bootSeconds() + 3} host\n`),
  "a promise in an hour, of a live process": (file) => {
    writeFileSync(file, `${startStranger().pid} ${bootSeconds() + 3_600} host\n`);
    utimesSync(file, inAnHour, inAnHour);
  },
  "a promise an hour ago, of a live process": (file) => {
    writeFileSync(file, `${startStranger().pid} ${Math.max(1, bootSeconds() - 3_600)} host\n`);
    utimesSync(file, 1, 1);
  },
  "a promise for now, of a dead process": (file) => writeFileSync(file, `4194305 ${bootSeconds() + 4} host\n`),
  "an older version's": (file) => writeFileSync(file, `${startStranger().pid} token host\n`),
};

test.each(["lock", "starting"] as const)("a hook is not delayed by a silent %s", async (control) => {
  const check = async ([name, plant]: [string, (file: string) => unknown]) => {
    const home = freshHome(lingering);
    plant(home.paths[control]);
    const result = await launchOpen(home);
    expectSilence(result);
    expect(result.tookMs).toBeLessThan(maxMs);
    await home.until(() => isAccepted(home));
    if (control === "starting") rmSync(home.paths.starting, { recursive: true, force: true });
    return name;
  };
  expect(await Promise.all(Object.entries(odd).map(check))).toEqual(Object.keys(odd));
});

test("a session-end hook reads for less than a second", async () => {
  const home = freshHome(lingering);
  const [ordinary, last] = [await launchOpen(home), await launchOpen(home, "SessionEnd")];
  expect(last.tookMs / ordinary.tookMs).toBeLessThan(0.85);
});

test("a worker resumed after a long suspension stays the only one, and nothing is sent twice", async () => {
  const home = freshHome(lingering);
  const worker = await wakeWorker(home);
  process.kill(worker, "SIGSTOP");
  await expect.poll(() => isAwake(home.paths.lock), { timeout: 10_000 }).toBe(false);
  expectSilence(await home.launch(["Stop"], stop));
  process.kill(worker, "SIGCONT");
  await home.until(() => isAccepted(home));
  expect(home.workerPid()).toBe(worker);
  expect(home.journal().filter(({ status }) => status === "accepted")).toHaveLength(2);
});
