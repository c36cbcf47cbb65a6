import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { quietly } from "../../src/core/quietly.ts";
import { recordedVariables } from "../../src/core/terminal-environment.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { decodeRecord } from "../../src/spool/record.ts";
import { dist, type Home, type HookResult, type RunOptions, run } from "../world/home.ts";
import { useHome } from "../world/use-home.ts";
import { callStop, expectSilence, quiet, stop, untilSkipped, untilStored, ways } from "./stop-hook.ts";

const home = useHome();
beforeEach(() => home.writeConfig(quiet));

const waits: readonly (readonly [args: readonly string[], wait: number | undefined])[] = [
  [["--wait", "3"], 3],
  [["--wait", "007"], 7],
  [[], undefined],
  [["--wait", "0"], undefined],
  [["--wait", "000"], undefined],
  [["--wait", "soon"], undefined],
  [["--wait", ""], undefined],
];

/** Reads the headers of the records that are still in the spool, because their payloads are not JSON. */
function headers(): { readonly agent: string; readonly wait?: number }[] {
  return home
    .spooled()
    .filter((file) => file.startsWith("dead/"))
    .map((file) => JSON.parse(readFileSync(join(home.paths.spool, file), "utf8").split("\n")[0] ?? ""));
}

const none = Object.fromEntries(recordedVariables.map((name) => [name, ""]));
const all = {
  ...{ TMUX: "/tmp/tmux-1000/de{f}ault,4711,0", TMUX_PANE: "%3" },
  ...{ ZELLIJ_SESSION_NAME: "happy-fox", ZELLIJ_PANE_ID: "2" },
  ...{ KITTY_LISTEN_ON: "unix:/tmp/$HOME `id` 'ünï'", KITTY_WINDOW_ID: "1", WEZTERM_PANE: "0" },
  ...{ WEZTERM_UNIX_SOCKET: "/run/user/1000/%s/gui-sock-1", TERM_PROGRAM: "iTerm.app", WINDOWID: "14680077" },
  ...{ ITERM_SESSION_ID: "w0t1p0:0A1B2C3D-0000-4000-8000-0123456789AB", TERM_SESSION_ID: "w0t1p0" },
  ...{ WARP_FOCUS_URL: "warp://action/focus?pane=1f", SSH_TTY: "/dev/pts/3" },
  ...{ DISPLAY: ":0", WAYLAND_DISPLAY: "wayland-0" },
  ...{ SWAYSOCK: "/run/user/1000/sway.sock", NIRI_SOCKET: "/run/user/1000/niri.sock" },
  HYPRLAND_INSTANCE_SIGNATURE: "9f1a_17_42",
};

describe.each(ways)("the %s", (way) => {
  const call = (args: readonly string[], input: string | Buffer, options?: RunOptions) =>
    callStop(home, way, args, { input, ...options });
  const fire = (input: string | Buffer, options?: RunOptions) => call(["--agent", "claude"], input, options);
  const rejected: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ["truncated JSON", '{"hook_event_name":"Stop"', /^input\.invalid_json/],
    ["trailing garbage", `${stop} and more`, /^input\.invalid_json/],
    ["two objects", `${stop}${stop}`, /^input\.invalid_json/],
    ["binary", Buffer.from([0xff, 0xfe, 0x00, 0x01]), /^input\.invalid_json/],
    ["an array", "[1]", /^input\.not_object/],
    ["a string", '"Stop"', /^input\.not_object/],
    ["null", "null", /^input\.not_object/],
  ];
  test("rejects other input than an object silently, and the journal says why", async () => {
    const fired = await Promise.all(rejected.map(([, input], index) => call(["--agent", `row${index}`], input)));
    for (const result of fired) expectSilence(result);
    const journal = await home.until((lines) => lines.length >= rejected.length);
    const reasons = journal.map(({ agent, event, status, reason }) => [agent, { event, status, reason }]);
    const expected = rejected.map(([, , reason], index) => [
      `row${index}`,
      { event: "Stop", status: "rejected", reason: expect.stringMatching(reason) },
    ]);
    expect(journal).toHaveLength(rejected.length);
    expect(Object.fromEntries(reasons)).toEqual(Object.fromEntries(expected));
    expect(JSON.stringify(journal)).not.toContain("x".repeat(20)); // a random id may contain three in a row
    await home.until(() => home.spooled().every((file) => file.startsWith("dead/")));
  });

  test("passes on an answer of 3 MiB as an event without its text", async () => {
    expectSilence(await fire(`{"session_id":"s1","message":"${"x".repeat(3 << 20)}"}`));
    const [line] = await untilSkipped(home);
    expect(line).toMatchObject({ status: "accepted", kind: "finished", sessionId: "s1" });
    expect(JSON.stringify(home.journal())).not.toContain("x".repeat(20));
  });

  test("takes empty input as the event and its working directory", async () => {
    const cwd = join(home.paths.root, 'we"ird \\ dir');
    mkdirSync(cwd);
    expectSilence(await fire("", { cwd }));
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line).toMatchObject({ status: "accepted", event: "Stop", agent: "claude", project: 'we"ird \\ dir' });
  });

  test("processes a complete object even if the writer never closes its end", async () => {
    expectSilence(await fire(stop, { keepOpen: true }));
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line).toMatchObject({ status: "accepted", sessionId: "s1" });
  });

  test("stops waiting for a silent writer", async () => {
    expectSilence(await fire("", { keepOpen: true }));
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line).toMatchObject({ status: "rejected", reason: expect.stringMatching(/^input\.timeout/) });
  });

  test("only reads its input when it is switched off", async () => {
    expectSilence(await fire(stop, { env: { BECKON_DISABLE: "1" } }));
    expect(home.workerPid()).toBeUndefined();
    await fire(stop.replace("s1", "s2")); // earlier events are journalled before it
    const journal = await untilSkipped(home);
    expect(journal.map(({ sessionId }) => sessionId)).not.toContain("s1");
    await home.until(() => home.spooled().length === 0);
  });

  test("recreates missing folders", async () => {
    rmSync(home.paths.spool, { recursive: true });
    expectSilence(await fire(stop));
    await untilSkipped(home);
    expect(statSync(home.paths.spool).mode & 0o777).toBe(0o700);
  });

  test("stores the event silently with mode 0600 if the worker is missing", async () => {
    rmSync(home.paths.app, { recursive: true });
    expectSilence(await (way === "entrypoint" ? enterOutsideBuild(home) : fire(stop)));
    expect(statSync(await untilStored(home)).mode & 0o777).toBe(0o600);
  });

  test("records its wait time, if it waits", async () => {
    const fired = waits.map(([args], index) => call(["--agent", `row${index}`, ...args], "no JSON"));
    for (const result of await Promise.all(fired)) expectSilence(result);
    await home.until(() => headers().length === waits.length);
    const noted = Object.fromEntries(headers().map(({ agent, wait }) => [agent, wait]));
    expect(noted).toEqual(Object.fromEntries(waits.map(([, wait], index) => [`row${index}`, wait])));
  });

  test("waits with --wait until the event is delivered", async () => {
    home.writeConfig({ ...quiet, notifiers: { slow: { type: "command", run: ["sleep", "1"] } } });
    expectSilence(await call(["--agent", "claude", "--wait", "25"], stop));
    expect(home.journal().at(-1)).toMatchObject({ status: "sent", notifier: "slow" });
  });

  test("stops waiting after the time given by --wait", async () => {
    home.writeConfig({ ...quiet, notifiers: { slow: { type: "command", run: ["sleep", "20"] } } });
    expectSilence(await call(["--agent", "claude", "--wait", "1"], stop));
    expect(home.spooled()).toHaveLength(1);
  });

  test("exits 0 with odd arguments or none", async () => {
    const odd = [[], ["Stop", "--agent"], ["Stop", "--wait", "x", "--agent", "$(id)", "--help"]];
    const fired = odd.map((args, index) => {
      const input = stop.replace("s1", `s${index}`);
      return way === "launcher" ? home.launch(args, input) : home.enter("stop", args.slice(1), input);
    });
    for (const result of await Promise.all(fired)) expectSilence(result);
    const isAccepted = (lines: readonly JournalLine[], index: number) =>
      lines.some(({ status, sessionId }) => status === "accepted" && sessionId === `s${index}`);
    await home.until((journal) => odd.every((_, index) => isAccepted(journal, index)));
  });

  test.each(["SIGKILL", "SIGTERM", "SIGHUP"] as const)(
    "starts a worker that survives %s to the agent's group",
    async (signal) => {
      home.writeConfig({ ...quiet, delivery: { linger: "5s" } });
      const file = way === "launcher" ? home.paths.launcher : process.execPath;
      const args = way === "launcher" ? ["Stop"] : [join(dist, "hooks", "stop.cjs")];
      const child = spawn(file, args, { detached: true, env: home.env, stdio: ["pipe", "ignore", "ignore"] });
      child.stdin?.end(stop);
      await new Promise((resolve) => child.on("exit", resolve));
      quietly(() => process.kill(-(child.pid ?? 0), signal)); // the group is empty, as it should be
      await untilSkipped(home);
      const worker = home.workerPid() ?? 0;
      const descriptors = [0, 1, 2].map((number) => realpathSync(`/proc/${worker}/fd/${number}`));
      expect(descriptors).toEqual(["/dev/null", "/dev/null", "/dev/null"]);
    },
  );

  describe("at a terminal", () => {
    // A worker that leaves the event in place
    beforeEach(() => writeFileSync(home.paths.worker, ""));

    /** Returns the recorded part of a hook that ran with only these terminal variables. */
    async function readRecorded(variables: NodeJS.ProcessEnv) {
      expectSilence(await fire(stop, { env: { ...none, ...variables } }));
      const file = await untilStored(home);
      const record = decodeRecord(readFileSync(file));
      rmSync(file);
      expect(record?.payload.toString()).toBe(stop);
      return record?.header;
    }

    test("records every variable that identifies the terminal", async () => {
      expect(Object.keys(all).sort()).toEqual([...recordedVariables].sort());
      expect((await readRecorded(all))?.terminal).toEqual(all);
    });

    test("records nothing if there are no such variables, and the rest is unchanged", async () => {
      expect(await readRecorded({})).not.toHaveProperty("terminal");
    });

    test("leaves out a value that could break the record, and keeps the others and the event", async () => {
      const values = ['/tmp/a","event":"x', "/tmp/a\\", "/tmp/a\nb", "/tmp/\u001b[2J", `/${"x".repeat(100_000)}`];
      const kept = { WINDOWID: "7", TMUX_PANE: "%1" };
      const recorded: unknown[] = [];
      for (const value of values) {
        const bad = Object.fromEntries(recordedVariables.map((name) => [name, value]));
        recorded.push((await readRecorded({ ...bad, ...kept }))?.terminal);
      }
      expect(recorded).toEqual(values.map(() => kept));
    });
  });
});

/** Runs a copy of the entrypoint outside the build and the clone, without a worker nearby. */
function enterOutsideBuild(home: Home): Promise<HookResult> {
  const file = join(home.paths.root, "stop.cjs");
  writeFileSync(file, readFileSync(join(dist, "hooks", "stop.cjs")));
  return run(process.execPath, [file, "--agent", "claude"], stop, { env: home.env });
}
