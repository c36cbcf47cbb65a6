import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AttentionWorld, type Session } from "../world/attention-world.ts";
import { readAllJournal } from "../world/home.ts";

const shop: Session = { agent: "claude", id: "shop", pid: 4_100_000 };
const asks = (command: string) => ({ tool_name: "Bash", tool_input: { command } });
const routes = [{ kinds: ["needs-you", "failed", "finished"], to: ["desk", "phone"] }];

let world: AttentionWorld;
beforeEach(async () => {
  world = new AttentionWorld();
  await world.start({ routes, attention: { wait: "0s" } });
});
afterEach(() => world.remove());

const later = (seconds: number) => world.workUntil(world.nowMs + seconds * 1_000);
const told = () => world.calls.map(({ notifier, verb, message }) => `${notifier} ${verb} ${message}`);
const journal = () => readAllJournal(join(world.root, "journal"));
const ends = () => journal().filter(({ status }) => status === "resolved");

async function ask(command: string): Promise<void> {
  world.fire(shop, "PermissionRequest", asks(command));
  await later(1);
}

test("a button on one channel takes the message back on all", async () => {
  await ask("make");
  world.clicks.get(1)?.("seen");
  await later(1);
  expect(told()).toEqual(["desk ring 1", "phone ring 1", "desk withdraw 1", "phone withdraw 1"]);
  expect(ends()).toMatchObject([{ resolvedBy: "button" }]);
});

test("a button says nothing of what came after its message was sent", async () => {
  await ask("make");
  const click = world.clicks.get(1);
  await ask("make deploy");
  click?.("seen");
  await later(1);
  expect(ends()).toHaveLength(1);
  expect(world.context.alerts.all().flatMap(({ concerns }) => concerns.map(({ state }) => state))).toEqual([
    "resolved",
    "ringing",
  ]);
});

test("a newer question is a new message on a channel that keeps the old one, which is marked", async () => {
  await ask("make");
  await ask("make deploy");
  expect(told()).toEqual(["desk ring 1", "phone ring 1", "desk ring 1", "phone ring 2", "phone withdraw 1"]);
  expect(world.calls.at(-1)?.title).toBe("↓ shop · Claude Code: see the newer message");
  expect(journal().filter(({ status }) => status === "withdrawn")).toMatchObject([
    { notifier: "phone", reason: "a newer message took its place" },
  ]);
  world.fire(shop, "UserPromptSubmit", { prompt: "go on" });
  await later(1);
  expect(told().slice(5).sort()).toEqual(["desk withdraw 1", "phone withdraw 2"]);
});

test("each time it is told again, a request is a message with an id of its own", async () => {
  const again = [{ kinds: ["needs-you"], to: ["phone"], after: "5m", repeat: { every: "10m", times: 2 } }];
  await world.start({ routes: [...routes, ...again], attention: { wait: "0s" } });
  await ask("make");
  await later(1_700);
  const ids = world.calls.filter(({ notifier, verb }) => notifier === "phone" && verb === "ring").map(({ id }) => id);
  expect(ids).toEqual(["e001", "e001-1", "e001-2", "e001-3"]);
});

test("a click that leads to the terminal ends what asks for nothing, and acknowledges what does", async () => {
  world.fire(shop, "Stop");
  await later(10);
  world.clicks.get(1)?.("focus");
  await later(1);
  expect(told()).toContain("desk withdraw 1");
  await ask("make");
  world.clicks.get(2)?.("focus");
  await later(1);
  expect(world.context.alerts.all()[0]?.concerns.at(-1)?.state).toBe("acknowledged");
});

test("a message that was put away is not taken back any more, and is not what the others wait for", async () => {
  await ask("make");
  world.clicks.get(1)?.("closed");
  world.fire(shop, "UserPromptSubmit", { prompt: "go on" });
  await later(1);
  expect(told()).toEqual(["desk ring 1", "phone ring 1", "phone withdraw 1"]);
});

test("a receiver is asked for its buttons while a message stands there, and no longer", async () => {
  await ask("make");
  await later(120);
  const askedWhileOpen = world.asked;
  expect(askedWhileOpen).toBeGreaterThan(2);
  expect(ends()).toEqual([]);
  world.pressed.add(1);
  await later(60);
  expect(ends()).toMatchObject([{ resolvedBy: "button" }]);
  expect(told().slice(2).sort()).toEqual(["desk withdraw 1", "phone withdraw 1"]);
  const asked = world.asked;
  await later(600);
  expect(world.asked).toBe(asked);
});

test("a receiver that cannot say what was pressed is journalled once, and asked more and more rarely", async () => {
  world.isServiceDown = true;
  await ask("make");
  await later(3_000);
  const lines = journal().filter(({ id }) => id === "buttons-phone");
  expect(lines).toMatchObject([
    { notifier: "phone", status: "skipped", reason: expect.stringMatching(/another program/) },
  ]);
  expect(world.asked).toBeLessThan(15);
});
