import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { DeliveryWorld, makeConfig, startMs } from "../world/delivery-world.ts";

let world: DeliveryWorld;
beforeEach(() => {
  world = new DeliveryWorld();
});

const desk = { notifiers: { desk: { type: "command", run: ["true"], for: "person" } } };
const fixtures = join(import.meta.dirname, "..", "fixtures", "transcripts");

test("the line of an accepted event has the turn's length, from the prompt", async () => {
  const context = world.worker(await makeConfig(desk));
  world.take("prompt", { hook_event_name: "UserPromptSubmit", session_id: "s-1", cwd: "/home/me/shop" });
  await world.drain(context);
  world.nowMs = startMs + 65_000;
  world.take("stop", { hook_event_name: "Stop", session_id: "s-1", cwd: "/home/me/shop" });
  await world.drain(context);
  const [accepted] = context.journal.readLines("stop");
  expect(accepted).toMatchObject({ status: "accepted", turnMs: 65_000 });
  expect(accepted).not.toHaveProperty("tokens");
});

test("an accepted event's line has the session's usage, without cache reads", async () => {
  const context = world.worker(await makeConfig({ ...desk, lookups: ["transcript"] }));
  const transcript_path = join(fixtures, "claude-turns.jsonl");
  world.take("stop", { hook_event_name: "Stop", session_id: "s-1", cwd: "/home/me/shop", transcript_path });
  await world.drain(context);
  // Of three messages, each with 10 sent and 100 cached.
  expect(context.journal.readLines("stop")[0]?.tokens).toBe(117 + 115 + 130);
});

test("a held message's line has the reason", async () => {
  const routes = [{ to: ["desk"] }, { to: ["desk"], after: "5m" }];
  const context = world.worker(await makeConfig({ ...desk, routes }));
  const asks = { hook_event_name: "Notification", notification_type: "permission_prompt", message: "May I?" };
  world.take("ask", { ...asks, session_id: "s-1", cwd: "/home/me/shop" });
  await world.drain(context);
  const held = context.journal.readLines("ask").filter(({ status }) => status === "held");
  expect(held.map(({ heldFor }) => heldFor)).toEqual(["wait", "step"]);
});
