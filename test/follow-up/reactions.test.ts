import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { DeliveryError } from "../../src/core/errors.ts";
import { Reactions } from "../../src/follow-up/reactions.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { DeliveryWorld, makeConfig } from "../world/delivery-world.ts";
import { probeNotifier } from "../world/probe-notifier.ts";

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
