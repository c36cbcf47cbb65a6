import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { run } from "../../src/pipeline/run.ts";
import { claim, freshEntries } from "../../src/spool/claim.ts";
import { settle } from "../../src/spool/settle.ts";
import { AttentionWorld, type Session } from "../world/attention-world.ts";

const shop: Session = { agent: "claude", id: "shop", pid: 4_100_000 };
const permission = { tool_name: "Bash", tool_input: { command: "npm test" } };
const toDesk = [{ kinds: ["needs-you", "failed", "finished"], to: ["desk", "chime"] }];

let world: AttentionWorld;
beforeEach(() => {
  world = new AttentionWorld();
});
afterEach(() => world.remove());

/** What was called, with seconds since the beginning. */
function told(): string[] {
  const [startMs] = [Date.parse("2026-11-20T12:00:00Z")];
  return world.calls.map(
    ({ atMs, notifier, verb, title }) => `${(atMs - startMs) / 1000} ${notifier} ${verb} ${title}`,
  );
}

test("a request rings after the wait, and is taken back by the next prompt", async () => {
  await world.start({ routes: toDesk });
  world.fire(shop, "PermissionRequest", permission);
  await world.workUntil(world.nowMs + 10_000);
  world.fire(shop, "UserPromptSubmit", { prompt: "go on" });
  await world.workUntil(world.nowMs + 1_000);
  expect(told()).toEqual([
    "2 desk ring shop · Claude Code needs you",
    "2 chime ring shop · Claude Code needs you",
    "10 desk withdraw ✓ shop · Claude Code",
  ]);
});

test("what a question about the person needs is loaded while a request waits", async () => {
  await world.start({ routes: toDesk });
  world.fire(shop, "PermissionRequest", permission);
  await world.workUntil(world.nowMs + 1_000);
  expect(new Set(world.asks)).toEqual(new Set(["prepare"]));
  await world.workUntil(world.nowMs + 10_000);
  expect(world.asks.at(-1)).toBe("ask");
});

test("a request that is answered within the wait is never told", async () => {
  await world.start({ routes: toDesk });
  world.fire(shop, "PermissionRequest", permission);
  await world.workUntil(world.nowMs + 1_000);
  world.fire(shop, "UserPromptSubmit", { prompt: "go on" });
  await world.workUntil(world.nowMs + 60_000);
  expect(told()).toEqual([]);
});

test("twelve ends of turns within a second are one bubble and one chime, which shrinks as sessions go on", async () => {
  await world.start({ routes: toDesk });
  const sessions = Array.from({ length: 12 }, (_, index) => ({
    ...shop,
    id: `s${index}`,
    pid: 4_100_000 + index * 10,
  }));
  for (const session of sessions) {
    world.fire(session, "Stop");
    await world.workUntil(world.nowMs + 80);
  }
  await world.workUntil(world.nowMs + 10_000);
  expect(told()).toEqual(["2 desk ring 12 sessions are done", "2 chime ring 12 sessions are done"]);
  for (const session of sessions.slice(0, 11)) world.fire(session, "UserPromptSubmit");
  await world.workUntil(world.nowMs + 1_000);
  expect(world.calls.at(-1)).toMatchObject({ verb: "update", title: "s11 · Claude Code is done" });
  for (const session of sessions.slice(11)) world.fire(session, "UserPromptSubmit");
  await world.workUntil(world.nowMs + 1_000);
  expect(world.calls.at(-1)).toMatchObject({ verb: "withdraw", message: 1 });
});

test("a lid that was closed for eight hours brings one message of all that came together, and no reminder twice", async () => {
  const routes = [...toDesk, { kinds: ["needs-you"], to: ["phone"], after: "5m", repeat: { every: "10m", times: 3 } }];
  await world.start({ routes });
  const sessions = ["a", "b", "c"].map((id, index) => ({ ...shop, id, pid: 4_100_000 + index * 10 }));
  world.fire(shop, "PermissionRequest", permission);
  await world.workUntil(world.nowMs + 10_000);
  for (const session of sessions) world.fire(session, "Stop");
  await world.work();
  world.nowMs += 8 * 3_600_000; // nothing runs meanwhile
  world.reboot();
  world.calls.length = 0;
  await world.workUntil(world.nowMs + 3_600_000);
  const hours = (8 * 3_600_000 + 10_000) / 1_000;
  expect(told().sort()).toEqual([
    `${hours} chime ring 3 sessions are done`,
    `${hours} desk ring 3 sessions are done`,
    `${hours} phone ring shop · Claude Code needs you`,
  ]);
});

test("an event that is handled late resolves nothing that came after it", async () => {
  await world.start({ routes: toDesk });
  const startMs = world.nowMs;
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
  expect(told()).toContain("3 desk ring shop · Claude Code needs you");
});

test("ten requests of one session are one bubble, which rings for each and goes with the last answer", async () => {
  await world.start({ routes: toDesk });
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

/** A process that stands for an agent. */
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

test("the end of the agent's process takes its request back", async () => {
  const { session, end } = startAgent();
  await world.start({ routes: toDesk });
  world.fire(session, "PermissionRequest", permission);
  await world.workUntil(world.nowMs + 40_000);
  await end();
  await world.workUntil(world.nowMs + 40_000);
  expect(told().at(-1)).toMatch(/desk withdraw/);
  expect(world.context.alerts.all()[0]?.concerns[0]?.resolvedBy).toBe("agent gone");
});

test("a process that ends as soon as it has run the hook is not the agent: its request rings", async () => {
  const { session, end } = startAgent();
  await world.start({ routes: toDesk });
  world.fire(session, "PermissionRequest", permission);
  await world.work();
  await end();
  await world.workUntil(world.nowMs + 100_000);
  expect(told()).toEqual(["2 desk ring shop · Claude Code needs you", "2 chime ring shop · Claude Code needs you"]);
});

test("the installer's sample event is told at once, whoever looks at which terminal", async () => {
  await world.start({ routes: toDesk });
  world.focused = shop;
  world.fire({ ...shop, id: "beckon-install-4711" }, "Stop");
  await world.work();
  expect(world.calls.map(({ notifier, verb }) => `${notifier} ${verb}`).sort()).toEqual(["chime ring", "desk ring"]);
});
