import { afterEach, beforeEach, expect, test } from "vitest";
import { AttentionWorld, type Session } from "./attention-world.ts";

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
