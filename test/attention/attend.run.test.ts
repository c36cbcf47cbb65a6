import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { writeStateFile } from "../../src/files/atomic-file.ts";
import { run } from "../../src/pipeline/run.ts";
import { claim, freshEntries } from "../../src/spool/claim.ts";
import { settle } from "../../src/spool/settle.ts";
import { AttentionWorld, type Session } from "../world/attention-world.ts";
import { startMs } from "../world/delivery-world.ts";
import { readAllJournal } from "../world/home.ts";

const shop: Session = { agent: "claude", id: "shop", pid: 4_100_000 };
const permission = { tool_name: "Bash", tool_input: { command: "npm test" } };
const toDesk = [{ kinds: ["needs-you", "failed", "finished"], to: ["desk", "chime"] }];

let world: AttentionWorld;
beforeEach(async () => {
  world = new AttentionWorld();
  await world.start({ routes: toDesk });
});

const sessionsNamed = (...ids: readonly string[]) =>
  ids.map((id, index) => ({ ...shop, id, pid: 4_100_000 + index * 10 }));

/** Lists the calls made, with seconds since the start. */
function listCalls(): string[] {
  const calls = world.calls.map((call) => ({ ...call, seconds: (call.atMs - startMs) / 1000 }));
  return calls.map(({ seconds, notifier, verb, title }) => `${seconds} ${notifier} ${verb} ${title}`);
}

test("a text that the user asked for is sent once as finished, opens nothing, and is silent if the turn ended with it", async () => {
  const push = (message: string) =>
    world.fire(shop, "Notification", { notification_type: "push_notification", message });
  push("The build is green.");
  await world.workUntil(world.nowMs + 20_000);
  world.fire(shop, "Stop", { last_assistant_message: "All tests pass." });
  await world.workUntil(world.nowMs + 20_000);
  for (const text of ["All tests pass.", "The release is out."]) push(text);
  await world.workUntil(world.nowMs + 20_000);
  const bodies = world.calls.filter(({ notifier, verb }) => notifier === "desk" && verb === "ring");
  expect(bodies.map(({ body }) => body)).toEqual([
    "The build is green.",
    "Claude Code finished",
    "The release is out.",
  ]);
  const open = world.context.alerts.all().flatMap(({ concerns }) => concerns);
  expect(open.map(({ event }) => event.event)).toEqual(["Stop"]);
});

test("presence probes are loaded while a request waits", async () => {
  world.fire(shop, "PermissionRequest", permission);
  await world.workUntil(world.nowMs + 1_000);
  expect(new Set(world.asks)).toEqual(new Set(["prepare"]));
  await world.workUntil(world.nowMs + 10_000);
  expect(world.asks.at(-1)).toBe("ask");
});

test("a sample event rings at once, whichever terminal you look at, and disappears after ten seconds without a resolution line", async () => {
  world.focused = shop;
  world.fire({ ...shop, id: "beckon-install-0123456789ab" }, "Notification", { message: "beckon is installed." });
  await world.workUntil(startMs + 9_000);
  expect(world.calls.map(({ verb }) => verb)).toEqual(["ring", "ring"]);
  await world.workUntil(startMs + 10_000);
  await world.work();
  expect(world.calls.map(({ notifier, verb, atMs }) => [notifier, verb, atMs - startMs])).toEqual([
    ["desk", "ring", 0],
    ["chime", "ring", 0],
    ["desk", "withdraw", 10_000],
  ]);
  world.nowMs = startMs + 61_000;
  await world.work();
  expect(world.context.alerts.all()).toEqual([]);
  const statuses = readAllJournal(join(world.root, "journal")).map(({ status }) => status);
  expect(statuses).toEqual(["accepted", "sent", "sent", "withdrawn"]);
});

test("a sample whose message is late is shown for ten seconds all the same", async () => {
  world.fire({ ...shop, id: "beckon-install-0123456789ab" }, "Notification", { message: "beckon is installed." });
  world.nowMs = startMs + 15_000;
  await world.workUntil(startMs + 24_000);
  expect(world.calls.map(({ verb }) => verb)).toEqual(["ring", "ring"]);
  await world.workUntil(startMs + 25_000);
  await world.work();
  expect(world.calls.map(({ verb }) => verb)).toEqual(["ring", "ring", "withdraw"]);
});

test("a sample of kind info is withdrawn too, although it raises no concern otherwise", async () => {
  await world.start({ routes: [{ to: ["desk"] }] });
  world.fire({ ...shop, id: "beckon-install-0123456789ab" }, "SubagentStop", {});
  await world.workUntil(startMs + 10_000);
  await world.work();
  expect(world.calls.map(({ verb, atMs }) => [verb, atMs - startMs])).toEqual([
    ["ring", 0],
    ["withdraw", 10_000],
  ]);
});

test("twelve turn ends within a second share one message and ring, updated as sessions go on", async () => {
  const sessions = sessionsNamed(...Array.from({ length: 12 }, (_, index) => `s${index}`));
  for (const session of sessions) {
    world.fire(session, "Stop");
    await world.workUntil(world.nowMs + 80);
  }
  await world.workUntil(world.nowMs + 10_000);
  expect(listCalls()).toEqual(["2 desk ring 12 sessions are done", "2 chime ring 12 sessions are done"]);
  for (const session of sessions.slice(0, 11)) world.fire(session, "UserPromptSubmit");
  await world.workUntil(world.nowMs + 1_000);
  expect(world.calls.at(-1)).toMatchObject({ verb: "update", title: "s11 · Claude Code is done" });
  for (const session of sessions.slice(11)) world.fire(session, "UserPromptSubmit");
  await world.workUntil(world.nowMs + 1_000);
  expect(world.calls.at(-1)).toMatchObject({ verb: "withdraw", message: 1 });
});

test("two requests of a session that were held together are one session, and each stands there once", async () => {
  writeStateFile(world.context.silencesFile, [{ untilMs: startMs + 60_000, atMs: startMs }]);
  Object.assign(world.context.config.notifiers.get("chime") ?? {}, { detail: "minimal" }); // leaves the session's id out
  for (const command of ["npm test", "npm start"])
    world.fire(shop, "PermissionRequest", { tool_name: "Bash", tool_input: { command } });
  await world.workUntil(startMs + 70_000);
  expect(listCalls()).toEqual(["60 desk ring 1 session needs you", "60 chime ring 1 session needs you"]);
  expect(world.calls[0]?.body.match(/npm \w+/g)).toEqual(["npm test", "npm start"]);
});

test.each([
  ["of the folder of a session holds messages", "main", ["main", "other"], [60, 60]],
  ["of the folder to which an agent went holds none", "other", ["main", "other"], [3, 3]],
  ["of a repository holds messages of its worktree", "main", ["fix"], [60, 60]],
  ["of a worktree holds none of its repository", "fix", ["main"], [3, 3]],
])("a snooze %s", async (_, snoozed, [start = "", next = start], expected) => {
  const inFolder = (name: string) => join(world.root, name);
  for (const name of ["main", "other", "fix"]) mkdirSync(inFolder(name), { recursive: true });
  writeFileSync(join(inFolder("fix"), ".git"), `gitdir: ${inFolder("main")}/.git/worktrees/fix\n`);
  const silence = { untilMs: startMs + 60_000, atMs: startMs, project: inFolder(snoozed) };
  writeStateFile(world.context.silencesFile, [silence]);
  world.fire(shop, "UserPromptSubmit", { cwd: inFolder(start), prompt: "go" });
  await world.workUntil(startMs + 1_000);
  world.fire(shop, "PermissionRequest", { ...permission, cwd: inFolder(next) });
  await world.workUntil(startMs + 70_000);
  expect(world.calls.map(({ atMs }) => (atMs - startMs) / 1000)).toEqual(expected);
});

test("a lid closed for eight hours causes one combined message and no duplicate reminder", async () => {
  const routes = [...toDesk, { kinds: ["needs-you"], to: ["phone"], after: "5m", repeat: { every: "10m", times: 3 } }];
  await world.start({ routes });
  const sessions = sessionsNamed("a", "b", "c");
  world.fire(shop, "PermissionRequest", permission);
  await world.workUntil(world.nowMs + 10_000);
  for (const session of sessions) world.fire(session, "Stop");
  await world.work();
  world.nowMs += 8 * 3_600_000; // nothing runs meanwhile
  world.reboot();
  world.calls.length = 0;
  await world.workUntil(world.nowMs + 3_600_000);
  const hours = (8 * 3_600_000 + 10_000) / 1_000;
  expect(listCalls().sort()).toEqual([
    `${hours} chime ring 3 sessions are done`,
    `${hours} desk ring 3 sessions are done`,
    `${hours} phone ring shop · Claude Code needs you`,
  ]);
});

test("an event handled late resolves no newer events", async () => {
  world.fire(shop, "UserPromptSubmit", { prompt: "go" });
  world.nowMs = startMs + 1_000;
  world.fire(shop, "PermissionRequest", permission);
  const [late, ask] = freshEntries(world.spool);
  if (!late || !ask) throw new Error("two events");
  for (const entry of [ask, late]) {
    const held = claim(world.spool, entry);
    if (held) settle(world.spool, held, await run(held, world.context));
  }
  await world.workUntil(startMs + 10_000);
  expect(listCalls()).toContain("3 desk ring shop · Claude Code needs you");
});

test("ten requests of a session share one message, ring each time and end with the last answer", async () => {
  for (let count = 0; count < 10; count += 1) {
    world.fire(shop, "PermissionRequest", { tool_name: "Bash", tool_input: { command: `step ${count}` } });
    await world.workUntil(world.nowMs + 5_000);
  }
  const rings = world.calls.filter(({ notifier }) => notifier === "desk");
  expect(rings).toHaveLength(10);
  expect(new Set(rings.map(({ message }) => message))).toEqual(new Set([1]));
  world.fire(shop, "UserPromptSubmit", { prompt: "go on" });
  await world.workUntil(world.nowMs + 1_000);
  expect(world.calls.filter(({ verb }) => verb === "withdraw")).toHaveLength(1);
});

/** Starts a process that represents an agent. */
function startAgent() {
  const child = spawn("sleep", ["600"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const end = async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return { session: { ...shop, processes: [process.pid, child.pid ?? 0] }, end };
}

test("the end of the agent's process withdraws its request", async () => {
  const { session, end } = startAgent();
  world.fire(session, "PermissionRequest", permission);
  await world.workUntil(world.nowMs + 40_000);
  await end();
  await world.workUntil(world.nowMs + 40_000);
  expect(listCalls().at(-1)).toMatch(/desk withdraw/);
  expect(world.context.alerts.all()[0]?.concerns[0]?.resolvedBy).toBe("agent gone");
});

test("a process that ends right after the hook is not the agent, and its request rings", async () => {
  const { session, end } = startAgent();
  world.fire(session, "PermissionRequest", permission);
  await world.work();
  await end();
  await world.workUntil(world.nowMs + 100_000);
  expect(listCalls()).toEqual([
    "2 desk ring shop · Claude Code needs you",
    "2 chime ring shop · Claude Code needs you",
  ]);
});

describe("a reaction", () => {
  const asks = (command: string) => ({ tool_name: "Bash", tool_input: { command } });
  const routes = [{ kinds: ["needs-you", "failed", "finished"], to: ["desk", "phone"] }];
  beforeEach(() => world.start({ routes, attention: { wait: "0s" } }));

  const later = (seconds: number) => world.workUntil(world.nowMs + seconds * 1_000);
  const listCalls = () => world.calls.map(({ notifier, verb, message }) => `${notifier} ${verb} ${message}`);
  const journal = () => readAllJournal(join(world.root, "journal"));
  const ends = () => journal().filter(({ status }) => status === "resolved");

  async function ask(command: string): Promise<void> {
    world.fire(shop, "PermissionRequest", asks(command));
    await later(1);
  }

  test("a button on one channel withdraws the message on all", async () => {
    await ask("make");
    world.clicks.get(1)?.("seen");
    await later(1);
    expect(listCalls()).toEqual(["desk ring 1", "phone ring 1", "desk withdraw 1", "phone withdraw 1"]);
    expect(ends()).toMatchObject([{ resolvedBy: "button" }]);
  });

  test("a button does not resolve events after its message was sent", async () => {
    await ask("make");
    const click = world.clicks.get(1);
    await ask("make deploy");
    click?.("seen");
    await later(1);
    expect(ends()).toHaveLength(1);
    const states = world.context.alerts.all().flatMap(({ concerns }) => concerns.map(({ state }) => state));
    expect(states).toEqual(["resolved", "ringing"]);
  });

  test("a newer question is a new message on a channel that keeps the old one, which is marked", async () => {
    await ask("make");
    await ask("make deploy");
    expect(listCalls()).toEqual(["desk ring 1", "phone ring 1", "desk ring 1", "phone ring 2", "phone withdraw 1"]);
    expect(world.calls.at(-1)?.title).toBe("↓ shop · Claude Code: see the newer message");
    const withdrawn = journal().filter(({ status }) => status === "withdrawn");
    expect(withdrawn).toMatchObject([{ notifier: "phone", reason: "a newer message took its place" }]);
    world.fire(shop, "UserPromptSubmit", { prompt: "go on" });
    await later(1);
    expect(listCalls().slice(5).sort()).toEqual(["desk withdraw 1", "phone withdraw 2"]);
  });

  test("an open request rings again after five minutes, then every ten, under a new id each time", async () => {
    const again = [{ kinds: ["needs-you"], to: ["phone"], after: "5m", repeat: { every: "10m", times: 2 } }];
    await world.start({ routes: [...routes, ...again], attention: { wait: "0s" } });
    await ask("make");
    await later(1_700);
    const ids = world.calls.filter(({ notifier, verb }) => notifier === "phone" && verb === "ring").map(({ id }) => id);
    expect(ids).toEqual(["e001", "e001-1", "e001-2", "e001-3"]);
  });

  test("a click that opens the terminal resolves ends and acknowledges requests", async () => {
    world.fire(shop, "Stop");
    await later(10);
    world.clicks.get(1)?.("focus");
    await later(1);
    expect(listCalls()).toContain("desk withdraw 1");
    await ask("make");
    world.clicks.get(2)?.("focus");
    await later(1);
    expect(world.context.alerts.all()[0]?.concerns.at(-1)?.state).toBe("acknowledged");
  });

  test("a dismissed message is not withdrawn, and the others do not wait for it", async () => {
    await ask("make");
    world.clicks.get(1)?.("closed");
    world.fire(shop, "UserPromptSubmit", { prompt: "go on" });
    await later(1);
    expect(listCalls()).toEqual(["desk ring 1", "phone ring 1", "phone withdraw 1"]);
  });

  test("a receiver is polled for button presses only while a message is visible", async () => {
    await ask("make");
    await later(120);
    const askedWhileOpen = world.asked;
    expect(askedWhileOpen).toBeGreaterThan(2);
    expect(ends()).toEqual([]);
    world.pressed.add(1);
    await later(60);
    expect(ends()).toMatchObject([{ resolvedBy: "button" }]);
    expect(listCalls().slice(2).sort()).toEqual(["desk withdraw 1", "phone withdraw 1"]);
    const asked = world.asked;
    await later(600);
    expect(world.asked).toBe(asked);
  });

  test("a failing poll is journalled once and repeated at growing intervals", async () => {
    world.isServiceDown = true;
    await ask("make");
    await later(3_000);
    const lines = journal().filter(({ id }) => id === "buttons-phone");
    const reason = expect.stringMatching(/another program/);
    expect(lines).toMatchObject([{ notifier: "phone", status: "skipped", reason }]);
    expect(world.asked).toBeLessThan(15);
  });
});
