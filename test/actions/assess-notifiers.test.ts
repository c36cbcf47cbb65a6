import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { runDoctor } from "../../src/cli/commands/doctor/doctor.ts";
import { runStatus } from "../../src/cli/commands/status.ts";
import { runTest } from "../../src/cli/commands/test.ts";
import { runTry } from "../../src/cli/commands/try.ts";
import { createCliPorts } from "../../src/cli/ports.ts";
import type { ConfiguredNotifier } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { NotifierQueues } from "../../src/pipeline/notifier-queue.ts";
import { makeContext, useCliHome } from "../world/cli-home.ts";
import { answer, type HostileServer, inTurn, openHostileServer } from "../world/hostile-server.ts";

/** Tells what every command says of the notifiers, with these ports. */
async function askEveryCommand(ports = createCliPorts(home.paths)) {
  const ask = async (run: (context: ReturnType<typeof makeContext>) => Promise<number>) => {
    const lines: string[] = [];
    const print = (text: string) => void lines.push(text);
    return { exitCode: await run({ ...makeContext(home), print }), text: lines.join("\n") };
  };
  return {
    try: await ask((context) => runTry("needs-you", {}, context, ports)),
    test: await ask((context) => runTest([], {}, context, { ports })),
    status: await ask((context) => runStatus({}, context, ports)),
    doctor: await ask((context) => runDoctor({}, context, { ports, agents: [] })),
  };
}

describe("every command tells the same", () => {
  test("without a desktop session and a player: nothing can ring, and why", async () => {
    const empty = { DBUS_SESSION_BUS_ADDRESS: "", DISPLAY: "", WAYLAND_DISPLAY: "", XDG_RUNTIME_DIR: home.project };
    for (const [name, value] of Object.entries(empty)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    home.config({ notifiers: { desk: { type: "desktop" }, chime: { type: "sound", program: "/nowhere/player" } } });
    const said = await askEveryCommand();
    const reasons = [/desk\b.*: (there is no desktop session|notify-send)/, /chime\b.*player does not exist/];
    for (const { text } of Object.values(said)) for (const reason of reasons) expect(text).toMatch(reason);
    expect(said.try.text).toMatch(/^ {2}desk +cannot ring: .*\n {2}chime +cannot ring: ./m);
    expect([said.try.exitCode, said.test.exitCode, said.doctor.exitCode]).toEqual([1, 1, 1]);
    const lines = (await home.run(["try", "needs-you", "--json"])).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(["skipped", "skipped"]);
    expect(await home.run(["test", "chime"])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/ skipped /),
    });
  });

  test("in tmux without passthrough: bell only, with tmux's line as the only cure", async () => {
    const hint = "Add `set -g allow-passthrough all` to ~/.tmux.conf.";
    const obstacle = async () => ({ message: "tmux blocks notifications", hint });
    const write = vi.fn(async () => {});
    const of = async () => ({ env: { TMUX: "/tmp/t,1,0" }, write, obstacle });
    home.config({ notifiers: { here: { type: "terminal" } } });
    const said = await askEveryCommand({ ...createCliPorts(home.paths), terminal: { of, here: of } });
    for (const { text } of Object.values(said)) expect(text).toContain("bell only: tmux blocks notifications");
    expect(said.test.text).toMatch(/here +sent .*bell only: .*\n {2}Add `set -g/);
    expect(write).toHaveBeenCalledWith("\u0007");
    expect(said.doctor.text).toContain(`! notifier here: bell only: tmux blocks notifications\n    ${hint}\n`);
    expect([said.try.exitCode, said.test.exitCode]).toEqual([0, 0]);
  });

  test("an error in the configuration: its notifier is disabled, and try mentions it", async () => {
    home.config({ notifiers: { good: { type: "command", run: ["true"] }, bad: { type: "slack", url: "no" } } });
    const said = await askEveryCommand();
    for (const { text } of [said.test, said.status, said.doctor]) expect(text).toMatch(/bad\b.*must be an http/);
    expect(said.try.text).toMatch(/\n1 problem in the configuration: beckon config check\n {2}good +rings/);
  });

  test("a paused notifier rings after its pause", async () => {
    const entry = { name: "team", settings: { url: `${server.origin}/in` } };
    new NotifierQueues(home.paths, Date).of(entry.name).pause(entry, Date.now() + 3_000_000);
    new NotifierQueues(home.paths, Date).of(team.name).forgetBroken();
    expect((await home.run(["try", "Stop"])).stdout).toMatch(/team +rings in 50 min .the receiver asked for a pause/);
    expect((await home.run(["status"])).stdout).toMatch(/team +webhook +ready: paused until/);
  });
});

const refusal = (hint?: string) => ({ reason: `${server.origin} answered 410`, ...(hint && { hint }) });

const home = useCliHome();
let server: HostileServer;
let team: ConfiguredNotifier;
beforeEach(async () => {
  server = await openHostileServer({ "/in": inTurn(answer(410), answer(200)) });
  const value = { notifiers: { team: { type: "webhook", url: `${server.origin}/in` } }, lookups: [] };
  home.config(value);
  const found = (await parseConfig(JSON.stringify(value))).notifiers.get("team");
  if (!found) throw new Error("no notifier");
  team = found;
  await new NotifierQueues(home.paths, Date).of(team.name).noteBroken(team, refusal(), async () => false);
});

test("status and doctor show since when and why a notifier is broken, with the cure", async () => {
  expect((await home.run(["status"])).stdout).toMatch(/team +webhook +broken since .*: http:.* answered 410/);
  const overview = JSON.parse((await home.run(["status", "--json"])).stdout);
  expect(overview.notifiers[0]).toMatchObject({ name: "team", usable: false, brokenSinceAt: expect.any(String) });
  const { stdout, exitCode } = await home.run(["doctor"]);
  expect(stdout).toMatch(/notifier team.*broken since .* answered 410/);
  expect(stdout).toContain("Fix its configuration. Then: beckon test team");
  expect(exitCode).toBe(1);
  const tried = await home.run(["try", "needs-you"]);
  expect(tried).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/team +cannot ring: broken since .* 410/) });
});

test("doctor shows the cure that the notifier gives", async () => {
  await new NotifierQueues(home.paths, Date)
    .of(team.name)
    .noteBroken(team, refusal("Copy its address again."), async () => false);
  expect((await home.run(["doctor"])).stdout).toContain("Copy its address again. Then: beckon test team");
});

test("a successful test ends the broken state and counts as the newest message, a failing one does not", async () => {
  home.journal({ id: "event-0001", notifier: "team", status: "retrying", reason: "unavailable: it is down" });
  expect((await home.run(["test", "team"])).exitCode).toBe(1);
  expect((await home.run(["status"])).stdout).toContain("broken since");
  expect((await home.run(["test", "team"])).exitCode).toBe(0);
  expect((await home.run(["status"])).stdout).toMatch(/team +webhook +ready\n/);
  expect((await home.run(["log"])).stdout).toMatch(/beckon +beckon\n.* sent +team/);
});

test("a changed configuration is not broken", async () => {
  home.config({ notifiers: { team: { type: "webhook", url: `${server.origin}/other` } }, lookups: [] });
  expect((await home.run(["status"])).stdout).not.toContain("broken since");
});
