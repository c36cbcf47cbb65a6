import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { DeliveryError } from "../../src/core/errors.ts";
import { AlertKeeper } from "../../src/follow-up/keep-alerts.ts";
import { Reactions, Repeats } from "../../src/follow-up/reactions.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { DeliveryWorld, makeConfig } from "../world/delivery-world.ts";
import { probeNotifier } from "../world/probe-notifier.ts";

describe("reactions", () => {
  let world: DeliveryWorld;
  let context: RunContext;
  let isDown: boolean;

  /** Counts the runs of the program that knows the token. */
  const ran = () => readFileSync(join(world.root, "ran"), "utf8").length;
  let asked: number;
  beforeEach(async () => {
    [world, isDown, asked] = [new DeliveryWorld(), false, 0];
    const program = join(world.root, "token");
    writeFileSync(program, `#!/bin/sh\nprintf . >>${join(world.root, "ran")}\necho secret\n`, { mode: 0o700 });
    const notifier = probeNotifier({
      settings: z.strictObject({ token: z.literal("secret"), button: z.boolean() }),
      audience: "machine",
      send: async () => ({ id: 1 }),
      lifecycle: {
        reactions: {
          everyMs: 10_000,
          isOn: ({ button }) => button === true,
          async find() {
            asked += 1;
            if (isDown) throw new DeliveryError("unavailable", "is down");
            return [];
          },
        },
      },
    });
    const settings = { token: `\${command:${program}}`, button: true };
    const notifiers = new Map([["phone", { name: "phone", notifier, settings, templates: {} }]]);
    context = world.worker({ ...(await makeConfig({})), notifiers, routes: [{ to: ["phone"] }], hasRoutes: true });
    world.take("one");
    await world.drain(context);
  });

  /** Polls everything that is due, this many times, ten minutes apart. */
  async function askTimes(times: number, within: RunContext = context): Promise<void> {
    const reactions = new Reactions();
    for (let time = 0; time < times; time += 1) {
      for (const question of reactions.due(within)) await reactions.ask(question, within);
      world.nowMs += 600_000;
    }
  }

  test("a program that a setting refers to runs for the first poll only", async () => {
    const before = ran();
    await askTimes(5);
    expect([ran() - before, asked]).toEqual([1, 5]);
  });

  test("the program runs again after a failed poll, as the secret may have changed", async () => {
    const before = ran();
    isDown = true;
    await askTimes(3);
    expect([ran() - before, asked]).toEqual([3, 3]);
  });

  test("for messages without buttons the program runs once and nothing is polled", async () => {
    const before = ran();
    const off = [...context.config.notifiers].map(
      ([name, one]) => [name, { ...one, settings: { ...one.settings, button: false } }] as const,
    );
    await askTimes(5, { ...context, config: { ...context.config, notifiers: new Map(off) } });
    expect([ran() - before, asked]).toEqual([1, 0]);
  });
});

describe("repeats", () => {
  const everyMs = 30_000;
  let world: DeliveryWorld;
  let newWorker: () => RunContext;
  let context: RunContext;
  let isDown: boolean;

  /** The repeated texts, with their receipts. */
  let repeated: [body: string, receipt: object][];
  beforeEach(async () => {
    [world, isDown, repeated] = [new DeliveryWorld(), false, []];
    const notifier = probeNotifier({
      audience: "machine",
      send: async ({ message }) => ({ sent: message.id }),
      withdraw: async () => {},
      lifecycle: {
        replaces: true,
        repeats: {
          everyMs,
          kinds: ["needs-you"],
          async repeat({ message, receipt }) {
            if (isDown) throw new DeliveryError("unavailable", "is down");
            repeated.push([message.body, receipt]);
          },
        },
      },
    });
    const notifiers = new Map([["pager", { name: "pager", notifier, settings: {}, templates: {} }]]);
    const config = { ...(await makeConfig({})), notifiers, routes: [{ to: ["pager"] }], hasRoutes: true };
    newWorker = () => world.worker(config);
    context = newWorker();
  });

  let count = 0;
  async function take(payload: object): Promise<string> {
    count += 1;
    world.take(`event-${count}`, { session_id: "s", cwd: "/code/shop", ...payload });
    await world.drain(context);
    return `event-${count}`;
  }
  const asks = (command: string) =>
    take({ hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: { command } });

  /** Repeats the messages that are due after this many milliseconds. */
  async function lookAfter(ms: number, repeats: Repeats, within: RunContext = context): Promise<void> {
    world.nowMs += ms;
    for (const message of repeats.due(within)) await repeats.repeat(message, within);
  }

  test("a message is repeated at an interval while its alert is open", async () => {
    const id = await asks("make");
    const repeats = new Repeats();
    await lookAfter(everyMs - 1, repeats);
    expect(repeated).toEqual([]);
    await lookAfter(1, repeats);
    await lookAfter(1, repeats);
    await lookAfter(everyMs, repeats);
    const message = [expect.stringContaining("make"), { sent: id }];
    expect(repeated).toEqual([message, message]);
    await take({ hook_event_name: "UserPromptSubmit", prompt: "go on" });
    await lookAfter(everyMs, repeats);
    expect(repeated).toHaveLength(2);
  });

  test("only a session's newest message is repeated, and it names all open requests", async () => {
    await asks("make");
    const id = await asks("npm test");
    await lookAfter(everyMs, new Repeats());
    expect(repeated).toEqual([[expect.stringMatching(/make · .*npm test/), { sent: id }]]);
  });

  test("a message of another kind is not repeated, and a worker stays for it for a minute only", async () => {
    await take({ hook_event_name: "Stop" });
    expect(new AlertKeeper().isNeeded(context)).toBe(true); // another hook may refuse the turn's end
    world.nowMs += 60_000;
    await lookAfter(everyMs, new Repeats());
    expect(repeated).toEqual([]);
    expect(new AlertKeeper().isNeeded(context)).toBe(false);
  });

  test("a worker stays for repeats, and a later one repeats overdue messages at once", async () => {
    await asks("make");
    world.nowMs += 20 * 3_600_000; // only repeats keep the worker that long
    expect(new AlertKeeper().isNeeded(newWorker())).toBe(true);
    await lookAfter(0, new Repeats(), newWorker());
    expect(repeated).toHaveLength(1);
  });

  test("only the first of several failures is journalled, and repeats keep their interval", async () => {
    const id = await asks("make");
    const repeats = new Repeats();
    const failures = () => context.journal.readLines(id).filter(({ status }) => status === "skipped");
    isDown = true;
    for (let time = 0; time < 3; time += 1) await lookAfter(everyMs, repeats);
    expect(failures()).toMatchObject([{ notifier: "pager", reason: "it could not be repeated: unavailable: is down" }]);
    isDown = false;
    await lookAfter(everyMs, repeats);
    isDown = true;
    await lookAfter(everyMs, repeats);
    expect([repeated.length, failures().length]).toEqual([1, 2]);
  });

  test("the keeper repeats due messages, and none twice at once", async () => {
    await asks("make");
    const keeper = new AlertKeeper();
    world.nowMs += everyMs;
    keeper.repeat(context);
    keeper.repeat(context);
    await expect.poll(() => repeated).toHaveLength(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(repeated).toHaveLength(1);
  });
});
