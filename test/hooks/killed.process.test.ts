import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dist } from "../world/home.ts";
import { useHome } from "../world/use-home.ts";
import { expectSilence, quiet, shells, stop } from "./stop-hook.ts";

// An agent that keeps standard input open and ends its hook at its own limit.

const home = useHome();
let child: ChildProcess | undefined;
beforeEach(() => home.writeConfig(quiet));
afterEach(() => void child?.kill("SIGKILL"));

const signals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** Starts a program with some input and leaves its standard input open. */
function start(file: string, args: readonly string[], input: string): ChildProcess {
  child = spawn(file, args, { env: home.env, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin?.write(input);
  return child;
}

function startLauncher(shell: string): ChildProcess {
  const [program = "", ...args] = shell.split(" ");
  return start(program, [...args, home.paths.launcher, "Stop", "--agent", "claude"], stop);
}

const ended = (child: ChildProcess) =>
  new Promise((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code)));

const waitFor = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 15_000, interval: 2 });

/** True once the launcher has stored everything written to it. */
function hasPayload(): boolean {
  const folder = join(home.paths.spool, "tmp");
  return readdirSync(folder).some((file) => readFileSync(join(folder, file), "utf8").includes(stop));
}

const isAccepted = () => home.journal().some(({ status, sessionId }) => status === "accepted" && sessionId === "s1");

describe.each(shells)("the launcher in %s", (shell) => {
  test.each(signals)("stores received input and exits 0 on %s", async (signal) => {
    const launcher = startLauncher(shell);
    await waitFor(hasPayload);
    const exit = ended(launcher);
    launcher.kill(signal);
    expect(await exit).toBe(0);
    await waitFor(isAccepted);
  });
});

test("an event whose launcher is killed while its input is open is processed once", async () => {
  const launcher = startLauncher("sh");
  await waitFor(hasPayload);
  launcher.kill("SIGKILL");
  const folder = join(home.paths.spool, "tmp");
  const longAgo = new Date(Date.now() - 10_000); // no launcher reads for ten seconds
  for (const file of readdirSync(folder)) utimesSync(join(folder, file), longAgo, longAgo);
  expectSilence(await home.launch(["Notification"], stop.replace("s1", "s2")));
  await waitFor(isAccepted);
  await waitFor(() => home.spooled().length === 0);
  expect(home.journal().filter(({ status, sessionId }) => status === "accepted" && sessionId === "s1")).toHaveLength(1);
});

test.each(signals)("the entrypoint stores received input and exits 0 on %s", async (signal) => {
  const entrypoint = start(process.execPath, [join(dist, "hooks", "stop.cjs")], stop.slice(0, -5));
  // The entrypoint handles SIGHUP, the lowest bit of the mask. Node itself does not.
  const handlesHangup = /^SigCgt:\s*[0-9a-f]*[13579bdf]$/m;
  await waitFor(() => handlesHangup.test(readFileSync(`/proc/${entrypoint.pid}/status`, "utf8")));
  const exit = ended(entrypoint);
  entrypoint.kill(signal);
  expect(await exit).toBe(0);
  await waitFor(() => home.journal().some(({ status }) => status === "rejected"));
  expect(home.journal()[0]?.reason).toMatch(/^input\.timeout/);
});

test("--wait ends on a signal, and the event stays stored", async () => {
  home.writeConfig({ ...quiet, notifiers: { slow: { type: "command", run: ["sleep", "20"] } } });
  const launcher = start(home.paths.launcher, ["Stop", "--wait", "60"], stop);
  launcher.stdin?.end();
  await waitFor(isAccepted);
  const exit = ended(launcher);
  launcher.kill("SIGTERM");
  expect(await exit).toBe(0);
  expect(home.spooled()).toHaveLength(1);
});
