import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import picocolors from "picocolors";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CliContext } from "../../../src/cli/context.ts";
import { localTime } from "../../../src/cli/local-time.ts";
import { runStatus } from "../../../src/cli/commands/status.ts";
import { createDesktop } from "../../../src/io/desktop.ts";
import { createExec } from "../../../src/io/exec.ts";
import { createPorts } from "../../../src/io/ports.ts";
import { Pauses } from "../../../src/pipeline/pauses.ts";
import { type CliHome, createCliHome } from "../cli-home.ts";
import { alterAgent } from "./doctor/doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

const dueAtMs = Date.now() + 60_000;

function furnish(): void {
  const command = "~/.beckon/hook Stop --agent claude || :";
  home.write(
    join(home.home, ".claude", "settings.json"),
    JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } }),
  );
  mkdirSync(join(home.home, ".factory"));
  home.config({
    notifiers: {
      team: { type: "slack", url: "https://example.org/canary-7Xw" },
      bad: { type: "slack", url: "canary-7Xw" },
    },
  });
  const settings = { url: "https://example.org/canary-7Xw" };
  new Pauses(join(home.paths.state, "pauses.json")).pause({ name: "team", settings }, dueAtMs, Date.now());
  home.journal(
    { id: "event-0001", agent: "claude", event: "Stop", status: "accepted" },
    { id: "event-0001", agent: "claude", event: "Stop", status: "sent", notifier: "team" },
  );
  home.fresh("event-0002");
  home.bury("event-0003");
  home.write(join(home.paths.spool, "cur", `event-0004.t${dueAtMs}.json`), "");
  home.write(join(home.paths.spool, "cur", "event-0005.json"), "");
}

test("--json is one object with everything in it", async () => {
  furnish();
  const { exitCode, stdout } = await home.run(["status", "--json"]);
  expect(exitCode).toBe(0);
  const status = JSON.parse(stdout);
  expect(status).toMatchObject({
    home: home.paths.root,
    installed: false,
    config: {
      file: home.paths.config,
      exists: true,
      findings: [{ level: "error", path: "notifiers.bad.url", line: 1 }],
    },
    notifiers: [
      { name: "team", type: "slack", usable: true, pausedUntil: new Date(dueAtMs).toISOString() },
      { name: "bad", usable: false, problem: expect.stringContaining("notifiers.bad.url") },
    ],
    spool: { fresh: 1, waiting: 1, nextDueAt: new Date(dueAtMs).toISOString(), inFlight: 1, dead: 1 },
    worker: { running: false },
  });
  const byName = Object.fromEntries(status.agents.map((agent: { name: string }) => [agent.name, agent]));
  expect(byName["claude"]).toMatchObject({
    title: "Claude Code",
    found: true,
    files: [{ scope: "user", path: join(home.home, ".claude", "settings.json"), events: ["Stop"] }],
    lastEvent: { event: "Stop", status: "sent" },
  });
  expect(byName["droid"]).toEqual({
    name: "droid",
    title: "Droid",
    found: true,
    files: [],
    elsewhere: [],
    switches: [],
    beside: [],
    lastSeen: {},
  });
  expect(stdout).not.toContain("canary");
});

test("people see the same, with what to do", async () => {
  furnish();
  const { stdout } = await home.run(["status"]);
  for (const part of [
    /Claude Code +user: Stop \(.*settings\.json\) +last event \d{4}-\d\d-\d\d \d\d:\d\d:\d\d Stop sent/,
    /Droid +not set up: beckon install --agent droid +no event yet/,
    /config\.jsonc +1 to look at: beckon config check/,
    /bad +disabled: notifiers\.bad\.url \(line 1\): must be an http\(s\) URL/,
    /1 fresh, 1 in flight, 1 waiting for another attempt \(next .*\), 1 given up: beckon retry --failed/,
    /no worker installed: beckon install/,
  ]) {
    expect(stdout).toMatch(part);
  }
  expect(stdout).toContain(`team  slack  usable: paused until ${localTime(dueAtMs)}`);
  expect(stdout).not.toContain("canary");
});

test("the version of an agent's program is told, and each of its files", async () => {
  furnish();
  const undo = alterAgent("claude", { program: { files: ["claude"] } });
  chmodSync(home.write(join(home.home, "bin", "claude"), "#!/bin/sh\necho 2.1.329\n"), 0o755);
  const command = "~/.beckon/hook SessionEnd --agent claude || :";
  const hooks = { SessionEnd: [{ hooks: [{ type: "command", command }] }] };
  home.write(join(home.project, ".claude", "settings.json"), JSON.stringify({ hooks }));
  const env = { ...home.env, PATH: join(home.home, "bin") };
  const place = { home: home.home, project: home.project, env, platform: process.platform };
  const { stdout } = await home.run(["status"], { place });
  undo();
  expect(stdout).toMatch(/^ {2}Claude Code +2\.1\.329 +user: Stop \(.*settings\.json\) +last event/m);
  expect(stdout).toMatch(/^ {2,} +project: SessionEnd \(.*shop.*settings\.json\)$/m);
});

test("hooks in a project that is not the working directory are told as well", async () => {
  const env = { ...home.env, BECKON_DISABLE: "1" };
  const place = { home: home.home, project: home.project, env, platform: process.platform };
  home.write(join(home.home, ".claude", "settings.json"), "{}");
  await home.run(["install", "--agent", "claude", "--scope", "local"], { place });
  const elsewhere = { ...place, project: join(home.home, "code") };
  const { stdout } = await home.run(["status"], { place: elsewhere });
  expect(stdout).toMatch(
    /^ {2}Claude Code .*local: Notification, Stop, StopFailure, SubagentStop, SessionEnd \(.*shop.*\)/m,
  );
  home.write(join(home.project, ".claude", "settings.local.json"), "{");
  expect((await home.run(["doctor"], { place: elsewhere })).stdout).toMatch(
    /✗ Claude Code: settings: .*shop.*not valid JSON at line 1, column 2/,
  );
});

test("a notifier that has nothing to work with on this machine is not usable, as doctor says", async () => {
  home.config({ notifiers: { desk: { type: "desktop" }, mine: { type: "command", run: ["/nowhere/at/all"] } } });
  const exec = createExec({ PATH: "/nowhere" });
  const desktop = createDesktop(exec, { env: {}, platform: "linux" });
  const lines: string[] = [];
  const context: CliContext = {
    paths: home.paths,
    place: { home: home.home, project: home.project, env: {}, platform: process.platform },
    print: (text) => void lines.push(text),
    printError: () => {},
    colors: picocolors.createColors(false),
    errorColors: picocolors.createColors(false),
    interruption: () => new AbortController().signal,
  };
  await runStatus({}, context, { ...createPorts(), exec, desktop });
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}desk +desktop +not usable here: ./));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}mine +command +not usable here: ./));
  await runStatus({ json: true }, context, { ...createPorts(), exec, desktop });
  const { notifiers } = JSON.parse(lines.at(-1) ?? "");
  expect(notifiers).toMatchObject([
    { name: "desk", usable: false, problem: desktop.obstacle() },
    { name: "mine", usable: false },
  ]);
});

test("a notifier is not asked while its settings hold a reference: it would judge the reference", async () => {
  const { slack } = await import("../../../src/notifiers/slack.ts");
  slack.check = async ({ settings: { url } }) => `there is no lamp at ${url}`;
  home.config({
    notifiers: {
      known: { type: "slack", url: "https://example.org/canary-7Xw" },
      later: { type: "slack", url: "${env:BECKON_TEST_URL}" },
    },
  });
  const { stdout } = await home.run(["status"]);
  delete slack.check;
  expect(stdout).toMatch(/^ {2}known +slack +not usable here: there is no lamp at \[secret\]$/m);
  expect(stdout).toMatch(/^ {2}later +slack +usable$/m);
});

test("to look at a notifier runs no program of a reference's", async () => {
  const trace = join(home.home, "ran");
  home.config({ notifiers: { mine: { type: "command", run: [`\${command:touch ${trace}}`] } } });
  expect((await home.run(["status"])).stdout).toMatch(/mine +command +usable$/m);
  expect(existsSync(trace)).toBe(false);
});

test("on a machine with nothing the defaults hold and no agent is found", async () => {
  const { exitCode, stdout } = await home.run(["status"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/none found on this machine/);
  expect(stdout).toMatch(/0 fresh, 0 in flight, 0 waiting for another attempt, 0 given up/);
});
