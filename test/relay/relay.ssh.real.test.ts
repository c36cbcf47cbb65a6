import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolvePaths } from "../../src/files/paths.ts";
import { parseJournal } from "../../src/journal/journal-line.ts";
import { type DesktopSession, startDesktopSession } from "../world/desktop-session.ts";
import { dist, readAllJournal, removeRoot, run } from "../world/home.ts";
import { createUsers, type TwoUsers, type User } from "../world/two-users.ts";
import { type SshServer, startSshServer } from "./ssh-server.ts";

/** Time limit from the first of the two commands to the notification, including an installation over SSH. */
const ringLimitMs = 30_000;
/** Time limit for any wait, with two back-offs in it. */
const patience = { timeout: 60_000, interval: 50 };

const deskConfig = '{ "notifiers": { "desk": { "type": "desktop" } } } // mine\n';

let desktop: DesktopSession;
let users: TwoUsers;
let bob: User;
let ssh: SshServer;
let home: string;
let receiver: ChildProcess | undefined;

// Only root can create a second user. `.ci/run` counts a skipped test of this project as a failure.
describe.skipIf(process.getuid?.() !== 0)("another user's agents, over a real SSH server,", () => {
  beforeAll(async () => {
    desktop = await startDesktopSession();
    users = createUsers();
    bob = users.renew().bob;
    leaveOnlyNode(bob);
    home = mkdtempSync(join(realpathSync(tmpdir()), "beckon-desk-"));
    ssh = await startSshServer(bob, home);
    execFileSync(process.execPath, [join(dist, "cli.js"), "install", "--agent", "claude", "--yes"], options());
    writeFileSync(deskPaths().config, deskConfig);
  }, 120_000);

  afterAll(async () => {
    receiver?.kill("SIGKILL");
    await ssh?.stop();
    users?.remove();
    await desktop?.stop();
    if (home) await removeRoot(deskPaths().root, home);
  });

  test("ring here after two commands, with only Node on the other machine before", async () => {
    const startedAtMs = performance.now();
    const since = () => Math.round(performance.now() - startedAtMs);
    const added = await beckon("relay", "add", "--yes", "--", ...ssh.command);
    expect(added, added.stderr).toMatchObject({ exitCode: 0, stderr: "" });
    const addedAfterMs = since();
    const bodies = (await desktop.history()).map(({ body }) => body);
    expect(bodies).toContainEqual(expect.stringContaining("devbox is connected"));

    const stdio = ["ignore", "ignore", "inherit"] as const;
    receiver = spawn(process.execPath, [cli(), "relay", "run"], { ...options(), stdio: [...stdio] });
    await fire("Notification", { message: "Claude needs your permission to use Bash" });
    await expect.poll(() => desktop.displayed(), patience).toBe(1);
    const rangAfterMs = since();
    console.info(`relay add took ${addedAfterMs} ms; the agent's bubble showed after ${rangAfterMs} ms`);
    expect(rangAfterMs).toBeLessThan(ringLimitMs);
  }, 120_000);

  test("are closed here by a prompt there", async () => {
    expect(await desktop.displayed()).toBe(1);
    await fire("UserPromptSubmit", { prompt: "yes" });
    await expect.poll(() => desktop.displayed(), patience).toBe(0);
    const withdrawn = { status: "withdrawn", notifier: "desk", host: "devbox" };
    expect(deskJournal()).toContainEqual(expect.objectContaining(withdrawn));
    const body = "Claude needs your permission to use Bash";
    expect((await desktop.history()).at(-1)).toMatchObject({ summary: "shop@devbox · Claude Code needs you", body });
  }, 90_000);

  test("no longer wait there once they are seen here", async () => {
    await fire("Notification", { message: "May I push?" });
    await expect.poll(() => desktop.displayed(), patience).toBe(1);
    const { stdout } = await beckon("seen");
    expect(stdout).toMatch(/^seen: shop · Claude Code/m);
    await expect.poll(() => desktop.displayed(), patience).toBe(0);
    await expect.poll(edgeJournal, patience).toContainEqual(expect.objectContaining({ resolvedBy: "seen" }));
  }, 90_000);

  test("ring once each and none is lost, though ssh is repeatedly killed", async () => {
    await desktop.history();
    const before = new Set(deskJournal().map(({ id }) => id));
    const questions = Array.from({ length: 24 }, (_, index) => `question ${index}.`);
    let kills = 0;
    for (const [index, message] of questions.entries()) {
      await fire("Notification", { message, session_id: message });
      if (index % 6 !== 3) continue;
      await expect.poll(killSsh, patience).toBe(true);
      kills += 1;
    }
    const sentLines = () => deskJournal().filter(({ id, status }) => status === "sent" && !before.has(id));
    await expect.poll(() => sentLines().length, patience).toBe(questions.length);
    await expect.poll(waiting, patience).toBe(0);
    expect(kills).toBe(4);
    const bodies = (await desktop.history()).map(({ body }) => body).filter((body) => body.startsWith("question"));
    expect(bodies.toSorted()).toEqual(questions.toSorted());
  }, 180_000);

  test("leave no trace in either configuration", async () => {
    const left = await beckon("relay", "leave", "devbox");
    expect(left).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readFileSync(deskPaths().config, "utf8")).toBe(deskConfig);
    const starter = readFileSync(join(dist, "..", "templates", "config.jsonc"), "utf8");
    expect(readFileSync(bob.paths.config, "utf8")).toBe(starter);
    expect((await beckon("relay", "status")).stdout).toMatch(/^No other machines are set up/);
    await expect.poll(sshPids, patience).toEqual([]);
  }, 60_000);
});

/** Leaves a home as on a machine that has run an agent and has Node in nvm's folder. */
function leaveOnlyNode({ paths, home, uid }: User): void {
  rmSync(paths.root, { recursive: true });
  const bin = join(home, ".nvm", "versions", "node", process.version, "bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(home, ".claude"));
  symlinkSync(users.node, join(bin, "node"));
  execFileSync("chown", ["-R", "-h", `${uid}:${uid}`, home]);
}

const deskPaths = () => resolvePaths(join(home, ".beckon"));
const options = () => ({ env: { ...desktop.env, PATH: process.env["PATH"], HOME: home }, cwd: home });
const cli = () => join(deskPaths().app, "dist", "cli.js");
const beckon = (...args: readonly string[]) => run(process.execPath, [cli(), ...args], "", options());
const deskJournal = () => readAllJournal(deskPaths().journal);
const edgeJournal = () => parseJournal(bob.journal());

/** Runs an event's command in the other user's Claude Code settings, as Claude Code does. */
async function fire(event: string, payload: object): Promise<void> {
  const settings = JSON.parse(readFileSync(join(bob.home, ".claude", "settings.json"), "utf8"));
  const { command } = settings.hooks[event][0].hooks[0] as { command: string };
  const input = { hook_event_name: event, session_id: "s-1", cwd: "/home/ann/shop", ...payload };
  expect(await bob.run("sh", ["-c", command], JSON.stringify(input))).toMatchObject({ exitCode: 0, stderr: "" });
}

/** Lists the receiver's ssh clients. */
function sshPids(): number[] {
  const { stdout } = spawnSync("pgrep", ["-P", String(receiver?.pid), "-x", "ssh"], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean).map(Number);
}

/** Kills the receiver's ssh, if it is running. */
function killSsh(): boolean {
  const pids = sshPids();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  return pids.length > 0;
}

/** Counts the events that wait in the other user's outbox. */
function waiting(): number {
  const { stdout } = spawnSync("find", [bob.paths.relay, "-path", "*outbox/*.json"], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean).length;
}
