import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Status as StatusOutput } from "../../../docs/output.d.ts";
import { usageLimitsFile } from "../../../src/attention/usage-limits.ts";
import { runStatus } from "../../../src/cli/commands/status.ts";
import { createDesktop } from "../../../src/io/desktop.ts";
import { createExec } from "../../../src/io/exec.ts";
import { slack } from "../../../src/notifiers/slack.ts";
import { NotifierQueues } from "../../../src/pipeline/notifier-queue.ts";
import { localTime } from "../../../src/text/time.ts";
import { makeContext, useCliHome } from "../../world/cli-home.ts";
import { addProgram, hooksFor, installHealthy } from "../../world/doctor-home.ts";
import { fixDate } from "../../world/fixed-date.ts";
import { readOutput } from "../../world/json-output.ts";
import { localPorts } from "../../world/local-ports.ts";

const home = useCliHome();
const nowMs = new Date(2026, 10, 21, 13).getTime();
fixDate(nowMs);

const claudeSettings = () => join(home.home, ".claude", "settings.json");
const dueAtMs = nowMs + 60_000;

function setUp(): void {
  home.write(claudeSettings(), JSON.stringify({ hooks: hooksFor("claude", "Stop") }));
  mkdirSync(join(home.home, ".factory"));
  const settings = { url: "https://example.org/canary-7Xw" };
  home.config({ notifiers: { team: { type: "slack", ...settings }, bad: { type: "slack", url: "canary-7Xw" } } });
  new NotifierQueues(home.paths, { now: () => nowMs }).of("team").pause({ settings }, dueAtMs);
  home.journal(
    { id: "event-0001", agent: "claude", event: "Stop", status: "accepted" },
    { id: "event-0001", agent: "claude", event: "Stop", status: "sent", notifier: "team" },
  );
  home.fresh("event-0002");
  home.addDeadLetter("event-0003");
  home.write(join(home.paths.spool, "cur", `event-0004.t${dueAtMs}.json`), "");
  home.write(join(home.paths.spool, "cur", "event-0005.json"), "");
}

test("--json is one object with everything in it", async () => {
  setUp();
  const { exitCode, stdout } = await home.run(["status", "--json"]);
  expect(exitCode).toBe(0);
  const status = readOutput("status", stdout)[0] as unknown as StatusOutput;
  const findings = [{ level: "error", path: "notifiers.bad.url", line: 1 }];
  expect(status).toMatchObject({
    home: home.paths.root,
    installed: false,
    config: { file: home.paths.config, exists: true, findings },
    notifiers: [
      { name: "team", type: "slack", usable: true, pausedUntilAt: new Date(dueAtMs).toISOString() },
      { name: "bad", usable: false, problem: expect.stringContaining("notifiers.bad.url") },
    ],
    spool: { fresh: 1, waiting: 1, nextDueAt: new Date(dueAtMs).toISOString(), inFlight: 1, dead: 1, lost: 0 },
    worker: { running: false },
  });
  const byName = Object.fromEntries(status.agents.map((agent) => [agent.name, agent]));
  expect(byName["claude"]).toMatchObject({
    title: "Claude Code",
    found: true,
    files: [{ scope: "user", path: claudeSettings(), events: ["Stop"] }],
    lastEvent: { event: "Stop", status: "sent" },
  });
  const nothing = { files: [], elsewhere: [], tools: [], plugins: [], switches: [], beside: [], lastSeenAt: {} };
  expect(byName["droid"]).toEqual({ name: "droid", title: "Droid", found: true, ...nothing });
  expect(stdout).not.toContain("canary");
});

test("people see the same, with advice", async () => {
  setUp();
  const { stdout } = await home.run(["status"]);
  for (const part of [
    /^ {2}Claude Code +1 hook +last event \d+ (s|ms|min) ago\n {2}Droid +no hooks yet: beckon install --agent droid\n/m,
    /config\.jsonc +1 problem: beckon config check/,
    /bad +disabled: notifiers\.bad\.url \(line 1\): must be an http\(s\) URL/,
    /1 new, 1 being delivered, 1 held or waiting for a retry \(next .*\), 1 failed: beckon log --failed/,
    /worker is not installed: beckon install/,
  ]) {
    expect(stdout).toMatch(part);
  }
  expect(stdout).toContain(`team  slack  ready: paused until ${localTime(dueAtMs)}`);
  expect(stdout).not.toContain("canary");
});

test.each([
  ["launcher", "hooks do nothing"],
  ["worker", "events wait in the spool"],
] as const)("a missing half is a problem: the %s", async (half, effect) => {
  installHealthy(home);
  expect((await home.run(["status"])).stdout).not.toContain("✗");
  rmSync(home.paths[half]);
  const shown = home.paths[half].replace(home.home, "~");
  const { stdout } = await home.run(["status"]);
  expect(stdout).toContain(`✗ ${shown} is missing: ${effect}. Run \`beckon install\`.\n`);
});

test("an agent whose hooks call another home says which", async () => {
  const launcher = join(home.home, "second", "hook");
  home.write(launcher, "# beckon\n");
  const hooks = { Stop: [{ hooks: [{ type: "command", command: `${launcher} Stop --agent claude || :` }] }] };
  home.write(claudeSettings(), JSON.stringify({ hooks }));
  expect((await home.run(["status"])).stdout).toMatch(/Claude Code +its hooks call .*second: beckon install/);
});

test("a problem has short paths, and its cure full ones that a shell accepts", async () => {
  installHealthy(home);
  chmodSync(home.paths.launcher, 0o600);
  const says = `✗ ~/.beckon/hook is not executable: hooks do nothing. chmod 700 ${home.paths.launcher}\n`;
  expect((await home.run(["status"])).stdout).toContain(says);
});

test("events that did not fit on the disk are counted, with the time of the last", async () => {
  for (const id of ["one", "two"]) home.write(join(home.paths.spool, `${id}.lost`), "");
  expect((await home.run(["status"])).stdout).toMatch(/ 2 events lost because the disk was full, most recently at /);
});

test("what beckon does itself is not an agent's last event", async () => {
  setUp();
  const seen = { agent: "claude", event: "Seen", kind: "info", status: "accepted" } as const;
  const at = new Date(nowMs).toISOString();
  home.journal({ ...seen, at });
  home.journal({ ...seen, event: "Stop", at, status: "resolved", resolvedBy: "seen" });
  const [status] = readOutput("status", (await home.run(["status", "--json"])).stdout) as unknown as StatusOutput[];
  expect(status?.agents.find(({ name }) => name === "claude")?.lastEvent).toMatchObject({
    event: "Stop",
    status: "sent",
  });
});

test("the version of an agent's program is shown, and each of its files with --verbose", async () => {
  setUp();
  addProgram(home, "claude", "echo 2.1.329");
  const hooks = hooksFor("claude", "SessionEnd");
  home.write(join(home.project, ".claude", "settings.json"), JSON.stringify({ hooks }));
  const environment = { ...home.environment, env: { ...home.env, PATH: join(home.home, "bin") } };
  expect((await home.run(["status"], { environment })).stdout).toMatch(
    /^ {2}Claude Code 2\.1\.329 +2 hooks +last event .* ago\n {2}Droid/m,
  );
  const { stdout } = await home.run(["status", "--verbose"], { environment });
  expect(stdout).toMatch(/^ {2}Claude Code 2\.1\.329 +2 hooks +last event.*\n +user: Stop \(~\/.*settings\.json\)$/m);
  expect(stdout).toMatch(/^ {2,} +project: SessionEnd \(.*shop.*settings\.json\)$/m);
});

test("hooks in other projects than the working directory are shown as well", async () => {
  const place = { ...home.environment, env: { ...home.env, BECKON_DISABLE: "1" } };
  home.write(claudeSettings(), "{}");
  await home.run(["install", "--agent", "claude", "--scope", "local"], { environment: place });
  const elsewhere = { ...place, project: join(home.home, "code") };
  const { stdout } = await home.run(["status", "--verbose"], { environment: elsewhere });
  expect(stdout).toMatch(
    /^ {2}Claude Code +7 hooks +no event yet\n +local: UserPromptSubmit, Notification, Elicitation, Stop, StopFailure, SubagentStop, SessionEnd \(.*shop.*\)/m,
  );
  home.write(join(home.project, ".claude", "settings.local.json"), "{");
  expect((await home.run(["doctor"], { environment: elsewhere })).stdout).toMatch(
    /✗ Claude Code: settings: .*shop.*not valid JSON at line 1, column 2/,
  );
});

test("a notifier that lacks its programs on this machine is not usable", async () => {
  home.config({ notifiers: { desk: { type: "desktop" }, mine: { type: "command", run: ["/nowhere/at/all"] } } });
  const exec = createExec({ PATH: "/nowhere" }, []);
  const desktop = createDesktop(exec, { env: {}, platform: "linux" });
  const lines: string[] = [];
  const print = (text: string) => void lines.push(text);
  const context = { ...makeContext({ ...home, environment: { ...home.environment, env: {} } }), print };
  await runStatus({}, context, { ...localPorts(), exec, desktop });
  for (const line of [/^ {2}desk +desktop +not usable here: ./, /^ {2}mine +command +not usable here: ./])
    expect(lines).toContainEqual(expect.stringMatching(line));
  await runStatus({ json: true }, context, { ...localPorts(), exec, desktop });
  const { notifiers } = JSON.parse(lines.at(-1) ?? "");
  expect(notifiers).toMatchObject([
    { name: "desk", usable: false, problem: desktop.obstacle()?.message },
    { name: "mine", usable: false },
  ]);
});

test("a notifier's check gets its resolved settings, and a missing secret is a reason of its own", async () => {
  const verification = slack.verification ?? {};
  verification.check = async ({ settings: { url } }) => `there is no lamp at ${url}`;
  const known = { type: "slack", url: "https://example.org/canary-7Xw" };
  home.config({ notifiers: { known, later: { type: "slack", url: "${env:BECKON_TEST_URL}" } } });
  const { stdout } = await home.run(["status"]);
  delete verification.check;
  expect(stdout).toMatch(/^ {2}known +slack +not usable here: there is no lamp at \[secret\]$/m);
  expect(stdout).toMatch(/^ {2}later +slack +not usable here: .*\$\{env:BECKON_TEST_URL\} is not set$/m);
});

test("status says that there is no notifier", async () => {
  home.config({ notifiers: {} });
  expect((await home.run(["status"])).stdout).toMatch(/^Notifiers\n {2}none, so events only reach the journal\./m);
});

test("status does not run the command of a reference", async () => {
  const trace = join(home.home, "ran");
  home.config({ notifiers: { mine: { type: "command", run: [`\${command:touch ${trace}}`] } }, routes: [] });
  expect((await home.run(["status"])).stdout).toMatch(/mine +command +ready, but no route leads to it$/m);
  expect(existsSync(trace)).toBe(false);
});

test("on an empty machine the defaults apply and no agent is found", async () => {
  const { exitCode, stdout } = await home.run(["status"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/none found on this machine/);
  expect(stdout).toMatch(/0 new, 0 being delivered, 0 held or waiting for a retry$/m);
});

test("a snooze comes first, with the way to end it", async () => {
  setUp();
  await home.run(["snooze", "1h", "--project", "shop"]);
  const [first] = (await home.run(["status"])).stdout.split("\n");
  expect(first).toBe("Snoozed until 14:00 (1 h), project shop. To resume: beckon snooze off");
  const status = JSON.parse((await home.run(["status", "--json"])).stdout);
  expect(status.snoozed).toMatchObject([{ untilAt: new Date(2026, 10, 21, 14).toISOString(), project: "shop" }]);
  const later = await home.run(["status"], { now: () => nowMs + 3_600_000 });
  expect(later.stdout).not.toContain("nooze");
});

test("quiet hours in force are named, with their end and what they hold", async () => {
  home.config({ attention: { quiet: ["12:00-14:00", { at: "08:00-13:30", hold: ["info"], notifiers: ["desk"] }] } });
  expect((await home.run(["status"])).stdout.split("\n").slice(0, 2)).toEqual([
    "Quiet hours until 14:00 (1 h) hold these kinds: needs-you, finished, info",
    "Quiet hours until 13:30 (30 min) hold these kinds for desk: info",
  ]);
  expect(JSON.parse((await home.run(["status", "--json"])).stdout).quiet).toEqual([
    { untilAt: new Date(2026, 10, 21, 14).toISOString(), hold: ["needs-you", "finished", "info"] },
    { untilAt: new Date(2026, 10, 21, 13, 30).toISOString(), hold: ["info"], notifiers: ["desk"] },
  ]);
  expect((await home.run(["status"], { now: () => nowMs + 3_600_000 })).stdout).not.toContain("Quiet");
});

test("the latest figures of usage limits are shown with their age, once there are any", async () => {
  expect((await home.run(["status"])).stdout).not.toContain("Limits");
  const limit = { agent: "codex", account: "/home/me/.codex", id: "codex plus", windowMs: 5 * 3_600_000 };
  const figures = { usedPercent: 82.5, resetsAtMs: nowMs + 3_600_000, atMs: nowMs - 180_000 };
  const over = {
    ...limit,
    account: "/home/me/.codex-work",
    usedPercent: 40,
    resetsAtMs: nowMs - 1,
    atMs: nowMs - 2 * 86_400_000,
  };
  home.write(usageLimitsFile(home.paths), JSON.stringify([{ ...limit, ...figures, notifiedPercent: 80 }, over]));
  const { stdout } = await home.run(["status"]);
  const lines = [
    /^Limits$/m,
    /^ {2}Codex \(\.codex\): 82% of the 5-hour limit used, resets at 14:00 +3 min ago$/m,
    /^ {2}Codex \(\.codex-work\): 40% of the 5-hour limit used, has reset since +2 d ago$/m,
  ];
  for (const line of lines) expect(stdout).toMatch(line);
  const { limits } = readOutput("status", (await home.run(["status", "--json"])).stdout)[0] as unknown as StatusOutput;
  expect(limits?.[0]).toEqual({
    ...{ agent: "codex", account: "/home/me/.codex", windowMs: 5 * 3_600_000, usedPercent: 82.5 },
    ...{ resetsAt: new Date(nowMs + 3_600_000).toISOString(), at: new Date(nowMs - 180_000).toISOString() },
  });
});
