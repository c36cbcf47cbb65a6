import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, dist, type Home, sleep } from "../world/home.ts";
import { expectSilence, quiet, stop } from "./stop-hook.ts";

// An agent that keeps standard input open and ends its hook at a limit of its own.

let home: Home;
let child: ChildProcess | undefined;
beforeEach(() => {
  home = createHome();
  home.writeConfig(quiet);
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await home.remove();
});

const shells = ["dash", "bash", "busybox sh"].filter((shell) =>
  ["/usr/bin", "/bin"].some((folder) => existsSync(join(folder, shell.split(" ")[0] ?? ""))),
);
const signals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** Starts a program with some input and leaves its standard input open. */
function start(file: string, args: readonly string[], input: string): ChildProcess {
  child = spawn(file, args, { env: home.env, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin?.write(input);
  return child;
}

function startLauncher(shell: string, event = "Stop"): ChildProcess {
  const [program = "", ...args] = shell.split(" ");
  return start(program, [...args, home.paths.launcher, event, "--agent", "claude"], stop);
}

const ended = (one: ChildProcess) =>
  new Promise((resolve) => one.on("exit", (code, signal) => resolve(signal ?? code)));

async function waitFor(condition: () => boolean): Promise<void> {
  for (const deadlineMs = Date.now() + 15_000; !condition(); await sleep(2)) {
    if (Date.now() > deadlineMs) throw new Error(`not within 15 s; spool: ${home.spooled().join(" ")}`);
  }
}

/** Whether the launcher has stored all that was written to it. */
function hasPayload(): boolean {
  const folder = join(home.paths.spool, "tmp");
  return readdirSync(folder).some((file) => readFileSync(join(folder, file), "utf8").includes(stop));
}

/**
 * Whether a process has a handler for SIGHUP, the lowest bit of the mask: Node itself has none, so it is the
 * entrypoint's.
 */
function catchesHangup(pid: number | undefined): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return /[13579bdf]$/.test(mask ?? "");
}

const isAccepted = () => home.journal().some(({ status, sessionId }) => status === "accepted" && sessionId === "s1");

describe.each(shells)("the launcher in %s", (shell) => {
  test.each(signals)("that is asked to end by %s stores what has come and exits 0", async (signal) => {
    const launcher = startLauncher(shell);
    await waitFor(hasPayload);
    const exit = ended(launcher);
    launcher.kill(signal);
    expect(await exit).toBe(0);
    await waitFor(isAccepted);
  });

  test("waits less for the end of the input at the end of a session", async () => {
    const tookMs = async (event: string) => {
      const startedAtMs = performance.now();
      const exit = ended(startLauncher(shell, event));
      expect(await exit).toBe(0);
      return performance.now() - startedAtMs;
    };
    const ordinaryMs = await tookMs("Stop");
    expect((await tookMs("SessionEnd")) / ordinaryMs).toBeLessThan(0.85);
  });
});

test("an event whose launcher is killed while its input is open is processed once", async () => {
  const launcher = startLauncher("sh");
  await waitFor(hasPayload);
  launcher.kill("SIGKILL");
  await sleep(2_100); // by then no launcher is at it
  expectSilence(await home.launch(["Notification"], stop.replace("s1", "s2")));
  await waitFor(isAccepted);
  await waitFor(() => home.spooled().length === 0);
  expect(home.journal().filter(({ status, sessionId }) => status === "accepted" && sessionId === "s1")).toHaveLength(1);
});

test.each(signals)("the entrypoint that is asked to end by %s stores what has come and exits 0", async (signal) => {
  const entrypoint = start(process.execPath, [join(dist, "hooks", "stop.cjs")], stop.slice(0, -5));
  await waitFor(() => catchesHangup(entrypoint.pid));
  const exit = ended(entrypoint);
  entrypoint.kill(signal);
  expect(await exit).toBe(0);
  await waitFor(() => home.journal().some(({ status }) => status === "rejected"));
  expect(home.journal()[0]?.reason).toMatch(/^input\.timeout/);
});

test("--wait ends when a signal asks for it, and the event stays stored", async () => {
  home.writeConfig({ ...quiet, notifiers: { slow: { type: "command", run: ["sleep", "20"] } } });
  const launcher = spawn(home.paths.launcher, ["Stop", "--wait", "60"], {
    env: home.env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child = launcher;
  launcher.stdin?.end(stop);
  await waitFor(isAccepted);
  const exit = ended(launcher);
  launcher.kill("SIGTERM");
  expect(await exit).toBe(0);
  expect(home.spooled()).toHaveLength(1);
});
