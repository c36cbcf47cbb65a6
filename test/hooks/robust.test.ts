import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, dist, type Home, type HookResult, run, sleep } from "../helpers/home.ts";

const stop = '{"hook_event_name":"Stop","session_id":"s1","cwd":"/home/dev/shop"}';
const quiet = { notifiers: {}, delivery: { lingerSeconds: 1 } };
type Fire = (home: Home, input: string | Buffer, options?: Parameters<Home["launch"]>[2]) => Promise<HookResult>;

const ways: Readonly<Record<string, Fire>> = {
  launcher: (home, input, options) => home.launch(["Stop", "--agent", "claude"], input, options),
  entrypoint: (home, input, options) => home.enter("stop", ["--agent", "claude"], input, options),
};

let home: Home;
beforeEach(() => {
  home = createHome();
  home.writeConfig(quiet);
});
afterEach(() => home.remove());

/** Everything an agent can see of a hook. */
function expectSilence(result: HookResult): void {
  expect(result).toMatchObject({ exitCode: 0, signal: null, stdout: "", stderr: "" });
}

describe.each(Object.entries(ways))("the %s", (way, fire) => {
  const rejected: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ["truncated JSON", '{"hook_event_name":"Stop"', /^input\.invalid_json/],
    ["trailing garbage", `${stop} and more`, /^input\.invalid_json/],
    ["two objects", `${stop}${stop}`, /^input\.invalid_json/],
    ["binary", Buffer.from([0xff, 0xfe, 0x00, 0x01]), /^input\.invalid_json/],
    ["an array", "[1]", /^input\.not_object/],
    ["a string", '"Stop"', /^input\.not_object/],
    ["null", "null", /^input\.not_object/],
    ["3 MiB", `{"message":"${"x".repeat(3 << 20)}"}`, /^input\.too_large/],
  ];
  test.each(rejected)("takes %s in silence; the journal says why", async (_, input, reason) => {
    expectSilence(await fire(home, input));
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line).toMatchObject({ status: "rejected", agent: "claude", event: "Stop" });
    expect(line?.reason).toMatch(reason);
    expect(JSON.stringify(line)).not.toContain("xxx");
    await home.until(() => home.spooled().every((file) => file.startsWith("dead/")));
  });

  test("takes empty input for the event it was called for, in the folder it was called in", async () => {
    const cwd = join(home.paths.root, 'we"ird \\ dir');
    mkdirSync(cwd);
    expectSilence(await fire(home, "", { cwd }));
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line).toMatchObject({ status: "accepted", event: "Stop", agent: "claude", project: 'we"ird \\ dir' });
  });

  test("processes a whole object even if the writer never closes", async () => {
    const result = await fire(home, stop, { keepOpen: true });
    expectSilence(result);
    expect(result.tookMs).toBeLessThan(4000);
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line).toMatchObject({ status: "accepted", sessionId: "s1" });
  });

  test("gives up on a writer that says nothing", async () => {
    const result = await fire(home, "", { keepOpen: true });
    expectSilence(result);
    expect(result.tookMs).toBeLessThan(4000);
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line).toMatchObject({ status: "rejected" });
    expect(line?.reason).toMatch(/^input\.timeout/);
  });

  test("does nothing but read its input when switched off", async () => {
    expectSilence(await fire(home, stop, { env: { BECKON_DISABLE: "1" } }));
    await sleep(200);
    expect(home.spooled()).toEqual([]);
    expect(home.workerPid()).toBeUndefined();
  });

  test("makes its folders anew when they are gone", async () => {
    rmSync(home.paths.spool, { recursive: true });
    expectSilence(await fire(home, stop));
    await home.until((journal) => journal.some(({ status }) => status === "skipped"));
    expect(statSync(home.paths.spool).mode & 0o777).toBe(0o700);
  });

  test("keeps the event and its silence when the worker is missing", async () => {
    rmSync(home.paths.app, { recursive: true });
    const env = way === "entrypoint" ? {} : { PATH: process.env["PATH"] };
    const result = await (way === "entrypoint" ? enterFromAfar(home) : fire(home, stop, { env }));
    expectSilence(result);
    await until(() => home.spooled().some((file) => file.startsWith("new/")));
  });

  test("writes files that only their owner can read", async () => {
    rmSync(join(home.paths.app, "dist", "worker.js"));
    await (way === "entrypoint" ? enterFromAfar(home) : fire(home, stop));
    await until(() => home.spooled().some((file) => file.startsWith("new/")));
    const [file = ""] = home.spooled();
    expect(statSync(join(home.paths.spool, file)).mode & 0o777).toBe(0o600);
  });

  test("waits with --wait until the event is delivered, and no longer", async () => {
    home.writeConfig({ ...quiet, notifiers: { slow: { type: "command", run: ["sleep", "1"] } } });
    const args = ["--agent", "claude", "--wait", "10"];
    const result = await (way === "launcher" ? home.launch(["Stop", ...args], stop) : home.enter("stop", args, stop));
    expectSilence(result);
    expect(result.tookMs).toBeGreaterThan(900);
    expect(result.tookMs).toBeLessThan(6000);
    expect(home.journal().at(-1)).toMatchObject({ status: "sent", notifier: "slow" });
  });

  test("stops waiting when the time of --wait is up", async () => {
    home.writeConfig({ ...quiet, notifiers: { slow: { type: "command", run: ["sleep", "8"] } } });
    const args = ["--agent", "claude", "--wait", "1"];
    const result = await (way === "launcher" ? home.launch(["Stop", ...args], stop) : home.enter("stop", args, stop));
    expectSilence(result);
    expect(result.tookMs).toBeLessThan(4000);
  });

  test("takes the payload as its last argument too", async () => {
    const payload = '{"type":"agent-turn-complete","thread-id":"t1","client":"codex-tui","cwd":"/home/dev/shop"}';
    const args = ["--agent", "codex", payload];
    expectSilence(await (way === "launcher" ? home.launch(["Stop", ...args], "") : home.enter("stop", args, "")));
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line).toMatchObject({ event: "Stop", agent: "codex", sessionId: "t1" });
  });

  test.each([
    ["no arguments", []],
    ["an option without its value", ["Stop", "--agent"]],
    ["odd options", ["Stop", "--wait", "x", "--agent", "$(id)", "--help"]],
  ])("exits 0 with %s", async (_, args) => {
    expectSilence(await (way === "launcher" ? home.launch(args, stop) : home.enter("stop", args.slice(1), stop)));
    await home.until((journal) => journal.some(({ status }) => status === "accepted"));
  });

  test.each(["SIGKILL", "SIGTERM", "SIGHUP"] as const)(
    "leaves a worker that survives %s to the agent's group",
    async (signal) => {
      home.writeConfig({ ...quiet, delivery: { lingerSeconds: 5 } });
      const file = way === "launcher" ? home.paths.launcher : process.execPath;
      const args = way === "launcher" ? ["Stop"] : [join(dist, "hooks", "stop.cjs")];
      const child = spawn(file, args, { detached: true, env: home.env, stdio: ["pipe", "ignore", "ignore"] });
      child.stdin?.end(stop);
      await new Promise((resolve) => child.on("exit", resolve));
      killGroup(child.pid ?? 0, signal);
      await home.until((journal) => journal.some(({ status }) => status === "skipped"));
      const worker = home.workerPid() ?? 0;
      const descriptors = [0, 1, 2].map((number) => realpathSync(`/proc/${worker}/fd/${number}`));
      expect(descriptors).toEqual(["/dev/null", "/dev/null", "/dev/null"]);
    },
  );
});

describe("the launcher", () => {
  test("cannot be broken by NODE_OPTIONS", async () => {
    expectSilence(await home.launch(["Stop"], stop, { env: { NODE_OPTIONS: "--no-such-option" } }));
    await home.until((journal) => journal.some(({ status }) => status === "skipped"));
  });

  test("finds Node on PATH when the recorded one is gone", async () => {
    writeFileSync(home.paths.nodeRecord, "/no/such/node\n");
    const bin = join(home.paths.root, "bin");
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, "node"));
    expectSilence(await home.launch(["Stop"], stop, { env: { PATH: `/usr/bin:/bin:${bin}` } }));
    await home.until((journal) => journal.some(({ status }) => status === "skipped"));
  });

  test("keeps the event when there is no Node at all", async () => {
    writeFileSync(home.paths.nodeRecord, "/no/such/node\n");
    expectSilence(await home.launch(["Stop"], stop, { env: { PATH: bareBin(home) } }));
    await until(() => home.spooled().some((file) => file.startsWith("new/")));
  });

  test("is not fooled by programs that the agent's PATH puts in front", async () => {
    const bin = join(home.paths.root, "evil");
    mkdirSync(bin);
    for (const name of ["cat", "mv", "setsid", "timeout"]) {
      writeFileSync(join(bin, name), "#!/bin/sh\necho evil; exit 2\n");
      chmodSync(join(bin, name), 0o755);
    }
    expectSilence(await home.launch(["Stop"], stop, { env: { PATH: `${bin}:${process.env["PATH"]}` } }));
    await home.until((journal) => journal.some(({ status }) => status === "skipped"));
  });

  test.each(["with space", "qu'ote", 'dou"ble', "dol$lar", "ünï", "semi;colon", "new\nline"])(
    "works below a folder named %j",
    async (name) => {
      const odd = join(home.paths.root, name);
      mkdirSync(odd);
      const moved = createHome(`${name}/beckon`.replace("/", "-"));
      try {
        moved.writeConfig(quiet);
        expectSilence(await moved.launch(["Stop"], stop));
        await moved.until((journal) => journal.some(({ status }) => status === "skipped"));
      } finally {
        await moved.remove();
      }
    },
  );

  test.each(["dash", "bash", "busybox sh"])("runs in %s", async (shell) => {
    const [file = "", ...args] = shell.split(" ");
    if (!existsSync(`/usr/bin/${file}`) && !existsSync(`/bin/${file}`)) return expect.soft(file).not.toBe("dash");
    expectSilence(await run(file, [...args, home.paths.launcher, "Stop"], stop, { env: home.env }));
    await home.until((journal) => journal.some(({ status }) => status === "skipped"));
  });

  test("says how it is used to a person at a terminal, and exits 0", async () => {
    const result = await run("script", ["-qec", `${home.paths.launcher} Stop`, "/dev/null"], "", { env: home.env });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout).toContain("usage: hook EVENT");
    expect(home.spooled()).toEqual([]);
  });

  test("takes no more than 2 MiB of an endless input", async () => {
    const child = spawn("sh", ["-c", `yes | ${home.paths.launcher} Stop; echo $?`], { env: home.env });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    await new Promise((resolve) => child.on("close", resolve));
    expect(output).toBe("0\n");
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line?.reason).toMatch(/^input\.too_large/);
    const [grave = ""] = home.spooled();
    expect(statSync(join(home.paths.spool, grave)).size).toBeLessThan(5 << 20);
  });
});

/** An entrypoint without a build or clone around it, so that it finds no worker. */
function enterFromAfar(home: Home): Promise<HookResult> {
  const file = join(home.paths.root, "stop.cjs");
  writeFileSync(file, readFileSync(join(dist, "hooks", "stop.cjs")));
  return run(process.execPath, [file, "--agent", "claude"], stop, { env: home.env });
}

/** A folder with what the launcher needs and no Node. */
function bareBin(home: Home): string {
  const bin = join(home.paths.root, "bare");
  mkdirSync(bin);
  return bin;
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // nobody of the group is left, as it should be
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within 10 s; spool: ${home.spooled().join(" ")}`);
    await sleep(25);
  }
}
