import { beforeEach, describe, expect, test } from "vitest";
import { KeeperWorld } from "./keeper-world.ts";
import { allow } from "./replies.ts";

let world: KeeperWorld;
beforeEach(() => {
  world = new KeeperWorld();
});

describe("a button", () => {
  test("answers its request once, and the hook's end is noticed", async () => {
    const id = await world.ask();
    const offer = world.offer(id);
    expect(offer?.lines).toEqual(["Bash: npm test"]);
    offer?.press(world.token(offer, "allow"));
    expect(world.take(id)).toBe(allow);
    world.poll();
    expect(world.files()).toEqual([`${id}.taken`]); // the hook may still read it
    await world.endHook();
    world.poll();
    expect(world.keeper.busy).toBe(false);
    expect(world.files()).toEqual([]);
    expect(world.statuses(id)).toEqual(["asked", "answered"]);
    expect(world.lines.at(-1)).toMatchObject({
      choice: "allow",
      via: "desk",
      waitedMs: 2_000,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("has a token of 128 bits that is not on disk", async () => {
    const id = await world.ask();
    const tokens = world.offer(id)?.choices.map(({ token }) => token) ?? [];
    expect(tokens).toHaveLength(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{22}$/);
    expect(JSON.stringify([world.lines, world.keeper.asks.findOpen(id)?.event])).not.toMatch(
      new RegExp(tokens.join("|")),
    );
  });
});

describe("a well-formed answer that beckon did not give", () => {
  const isReported = (id: string) => {
    expect(world.statuses(id)).toContain("foreign");
    expect(world.files()).toContain("off");
  };

  test("is noticed while it lies there, and switches answers off", async () => {
    const id = await world.ask();
    world.plant(id, allow);
    world.poll();
    expect(world.answer(id)).toBe("");
    isReported(id);
    expect(world.statuses(await world.ask({ sessionId: "s2" }))).toEqual(["given-up"]);
  });

  test("is not one of an earlier worker, according to the journal", async () => {
    const id = await world.ask();
    world.pressButtons(id, "allow");
    world.take(id);
    world.restart();
    await world.ask();
    world.poll();
    expect(world.statuses(id)).toEqual(["asked", "answered"]);
    expect(world.files()).not.toContain("off");
  });
});

test("an answer that its hook does not take is removed", async () => {
  const id = await world.ask();
  world.pressButtons(id, "allow");
  await world.endHook();
  world.poll();
  expect(world.answer(id)).toBeUndefined();
  expect(world.statuses(id)).toEqual(["asked", "answered", "late"]);
});

test("a session has at most three open requests", async () => {
  world.presence.now = { isLocked: true };
  for (let number = 0; number < 40; number += 1) await world.ask({ agentId: `sub-${number}` });
  expect(world.keeper.asks.open).toHaveLength(3);
  expect(world.statuses(await world.ask({ sessionId: "s2" }))).toEqual(["asked"]);
});

test("a session has twenty requests again after ten minutes", async () => {
  for (let number = 0; number < 21; number += 1) await world.ask({ input: { command: `echo ${number}` } });
  expect(world.statuses("ask-21")).toEqual(["given-up"]);
  world.clock.skip(600_000);
  expect(world.statuses(await world.ask())).toEqual(["asked"]);
});

describe("the user's presence", () => {
  const held = async (call: object, when: "away" | "always", now: object) => {
    world.settings.when = when;
    world.presence.now = now;
    return world.statuses(await world.ask(call)).join() === "asked";
  };

  test("decides if a request is held", async () => {
    const main = {};
    const background = { agentId: "a1" };
    expect(await held(main, "always", { idleMs: 0 })).toBe(true);
    expect(await held(main, "away", { idleMs: 0 })).toBe(false);
    expect(await held(main, "away", { idleMs: 180_000 })).toBe(true);
    expect(await held(main, "away", { isLocked: true, idleMs: 0 })).toBe(true);
    expect(await held(main, "away", {})).toBe(true);
    expect(await held(main, "away", { typedAtMs: world.clock.now() - 1_000 })).toBe(false);
    expect(await held(background, "always", { idleMs: 0 })).toBe(false);
    expect(await held(background, "always", {})).toBe(false);
    expect(await held(background, "always", { idleMs: 180_000 })).toBe(true);
  });

  test("releases a background agent's hook at a key in its terminal, not the main session's", async () => {
    world.presence.now = { isLocked: true };
    const [main, background] = [await world.ask(), await world.ask({ agentId: "a1" })];
    world.clock.skip(1_000);
    world.presence.typedAtMs = world.clock.now();
    world.poll();
    expect(world.statuses(main)).toEqual(["asked"]);
    expect(world.statuses(background)).toEqual(["asked", "given-up"]);
    expect(world.answer(background)).toBe("");
  });
});

test("a request that another worker had is given back", async () => {
  const id = await world.ask({}, { isNew: false });
  expect(world.statuses(id)).toEqual(["given-up"]);
  expect(world.answer(id)).toBe("");
});

test("the end of the worker gives everything back, and leaves no description", async () => {
  const ids = [await world.ask(), await world.ask({ sessionId: "s2" })];
  expect(world.files()).toEqual(["ask-1.json", "ask-2.json"]);
  world.keeper.asks.endAll("the worker ended");
  expect(ids.map((id) => world.answer(id))).toEqual(["", ""]);
  expect(world.files()).toEqual(["ask-1", "ask-2"]);
});

test("a prompt about a permission belongs to the request that waits", async () => {
  const id = await world.ask();
  const ask = world.keeper.asks.findOpen(id);
  expect(ask && world.keeper.asks.isAwaited({ ...ask.event, id: "other" }, world.context)).toBe(true);
});
