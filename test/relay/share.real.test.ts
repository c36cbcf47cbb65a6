import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newIdentity } from "../../src/relay/seal.ts";
import { freshHomes, type TwoHomes } from "../world/two-homes.ts";
import { freshServer, type NatsServer } from "./nats-server.ts";

let server: NatsServer;
let alice: TwoHomes;
let bob: TwoHomes;
beforeEach(async () => {
  server = await freshServer();
  alice = freshHomes();
  bob = freshHomes();
});

/** Configures a user's desk, with messages that can be withdrawn, and a second message for open requests. */
async function configure(home: TwoHomes, person: string, identity?: string): Promise<void> {
  home.configureDesk([await server.source(person, identity)], {
    notifiers: {
      desk: { type: "command", run: ["tee", "-a", home.notificationsFile], for: "person", states: true },
      later: { type: "file", path: `${home.notificationsFile}.later`, for: "person" },
    },
    routes: [{ to: ["desk"] }, { kinds: ["needs-you"], to: ["later"], after: "15s" }],
  });
}

/** Makes a request on ci-7, whose agents notify both users. */
async function askBoth(words: string, identity?: string): Promise<void> {
  alice.configureEdge(await server.edge("ci-7", ["alice", "bob"]));
  await configure(alice, "alice", identity);
  await configure(bob, "bob", identity);
  await alice.ask(words);
}

const findLines = (home: TwoHomes, status: string) => home.deskJournal().filter((line) => line.status === status);
const untilBoth = (isSo: (home: TwoHomes) => boolean) =>
  Promise.all([alice, bob].map((home) => home.until(() => isSo(home))));

async function seesSessions(home: TwoHomes): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await home.beckon(home.desk, "sessions", "--team", "--json");
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const timeout = 90_000;

test("an alert seen by one user is withdrawn for the other, without later messages", { timeout }, async () => {
  await askBoth("May I?");
  alice.receive();
  bob.receive();
  await untilBoth((home) => findLines(home, "sent").length === 1);
  expect((await alice.beckon(alice.desk, "seen")).exitCode).toBe(0);
  await bob.until(() => findLines(bob, "withdrawn").length === 1);
  expect(findLines(bob, "resolved")).toMatchObject([{ host: "ci-7", resolvedBy: "seen by alice" }]);
  await bob.until(() => findLines(bob, "skipped").length === 1);
  expect(findLines(bob, "skipped")).toMatchObject([{ notifier: "later", reason: "already resolved: seen by alice" }]);
  const { id = "" } = findLines(bob, "resolved")[0] ?? {};
  expect((await bob.beckon(bob.desk, "why", id)).stdout).toContain("seen by alice");
  expect((await alice.beckon(alice.desk, "why", id)).stdout).toContain("you have seen it");
});

test("an event after the seen one still waits for the other user", { timeout: 90_000 }, async () => {
  await askBoth("May I?");
  alice.receive();
  await alice.until(() => findLines(alice, "sent").length === 1);
  await alice.beckon(alice.desk, "seen");
  const again = { notification_type: "permission_prompt", message: "And this?", session_id: "May I?" };
  await alice.fire("Notification", again);
  await alice.until(() => findLines(alice, "sent").length === 2);
  bob.receive();
  await bob.until(() => findLines(bob, "resolved").length === 1 && findLines(bob, "accepted").length === 2);
  const { stdout } = await bob.beckon(bob.desk, "sessions", "--json");
  const waiting = stdout.split("\n").filter((line) => line.includes('"waiting"'));
  expect(waiting).toEqual([expect.stringContaining("And this?")]);
});

test("the team sees waiting sessions, sealed for all others, until they are resolved", { timeout }, async () => {
  const { identity } = await newIdentity();
  await askBoth("May I?", identity);
  alice.receive();
  bob.receive();
  await untilBoth((home) => findLines(home, "sent").length === 1);
  await expect.poll(() => seesSessions(bob), { timeout: 20_000 }).toHaveLength(2);
  const sessions = await seesSessions(bob);
  const same = { host: "ci-7", project: "shop", agent: "claude", kind: "needs-you", sinceAt: expect.any(String) };
  const sorted = sessions.toSorted((a, b) => (String(a["person"]) < String(b["person"]) ? -1 : 1));
  expect(sorted).toMatchObject(["alice", "bob"].map((person) => ({ person, ...same })));
  const { stdout } = await bob.beckon(bob.desk, "sessions", "--team");
  expect(stdout).toMatch(/^Waiting in your team\n {2}(alice|bob) +shop@ci-7 +Claude Code +needs-you +\d+ s/);
  const kept = await server.shared();
  const bothKeys = /^team\.alice\.ci-7\.[0-9a-f]{32} team\.bob\.ci-7\.[0-9a-f]{32}$/;
  expect(Object.keys(kept).toSorted().join(" ")).toMatch(bothKeys);
  for (const value of Object.values(kept)) {
    expect(value).toMatch(/^age-encryption\.org/);
    expect(value).not.toMatch(/shop|claude/);
  }
  await alice.beckon(alice.desk, "seen");
  await expect.poll(() => seesSessions(bob), { timeout: 20_000 }).toEqual([]);
  const none = "No session is waiting for anyone on your team.\n";
  expect((await bob.beckon(bob.desk, "sessions", "--team")).stdout).toBe(none);
});

test("the board shows waits of others as they change", { timeout: 90_000 }, async () => {
  await askBoth("May I?");
  alice.receive();
  bob.receive();
  const args = [join(bob.desk.paths.app, "dist", "cli.js"), "board", "--team"];
  const board = spawn(process.execPath, args, { env: bob.desk.env, stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [line] = (await once(board.stdout, "data")) as [Buffer];
    const page = async (): Promise<string> => {
      const [, part = ""] = (await (await fetch(line.toString().trim())).text()).split("For others in the team");
      return part.split("</section>")[0] ?? "";
    };
    await expect.poll(page, { timeout: 20_000 }).toMatch(/<bdi>alice<\/bdi>.*<bdi>shop<\/bdi>/);
    expect(await page()).not.toMatch(/bob|<button/);
    await alice.beckon(alice.desk, "seen");
    await expect.poll(page, { timeout: 20_000 }).toContain("No session is waiting for them.");
    await server.signal("SIGKILL");
    await expect.poll(page, { timeout: 30_000 }).toMatch(/127\.0\.0\.1:\d+ cannot be reached: /);
  } finally {
    const ended = once(board, "exit");
    board.kill("SIGINT");
    await ended;
  }
});

test("state recovers after an absent server and a killed receiver", { timeout }, async () => {
  await askBoth("May I?");
  const receiver = alice.receive();
  bob.receive();
  await untilBoth((home) => findLines(home, "sent").length === 1);
  await expect.poll(() => server.shared().then(Object.keys), { timeout: 20_000 }).toHaveLength(2);
  await server.signal("SIGKILL");
  await alice.end(receiver, "SIGKILL");
  await alice.beckon(alice.desk, "seen");
  const away = await bob.beckon(bob.desk, "sessions", "--team");
  const says = /^beckon: cannot read the sessions of the team on 127\.0\.0\.1:\d+: ECONNREFUSED\n {2}/;
  expect(away).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(says) });
  await server.start();
  alice.receive();
  await bob.until(() => findLines(bob, "resolved").length === 1, 60_000);
  expect(findLines(bob, "resolved")).toMatchObject([{ resolvedBy: "seen by alice" }]);
  await expect.poll(() => server.shared(), { timeout: 60_000 }).toEqual({});
});
