import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Notifier } from "../../../src/core/notifier.ts";
import { createPorts } from "../../../src/io/ports.ts";
import { command } from "../../../src/notifiers/command.ts";
import { module } from "../../../src/notifiers/module.ts";
import { webhookBodySchema } from "../../../src/notifiers/shared/webhook-body-schema.ts";
import { webhook } from "../../../src/notifiers/webhook.ts";
import { attempt } from "../../../src/pipeline/attempt.ts";
import { change } from "../../../src/pipeline/change.ts";
import { configOf } from "../../world/delivery-world.ts";
import { createHome } from "../../world/home.ts";
import { configuredFor, event } from "../contract/deliver-to.ts";
import {
  type FollowingProgram,
  followingCommand,
  followingModule,
  followingServer,
  linesOf,
  toldTo,
} from "../contract/following-programs.ts";

const programs: readonly (readonly [Notifier, () => Promise<FollowingProgram>])[] = [
  [command, followingCommand],
  [module, followingModule],
  [webhook, followingServer],
];

test("a worker tells a program that the person has answered", async () => {
  const home = createHome();
  try {
    const log = join(home.paths.root, "log");
    const script = `printf '%s %s\\n' "$BECKON_ID" "$BECKON_STATE" >> "$0"`;
    const notifiers = { mine: { type: "command", run: ["/bin/sh", "-c", script, log], states: true } };
    home.writeConfig({ notifiers, attention: { wait: "0s" } });
    const fire = (name: string, more = {}) =>
      home.launch([name, "--agent", "claude"], JSON.stringify({ session_id: "s", cwd: "/code/shop", ...more }));
    await fire("Notification", { message: "May I?", notification_type: "permission_prompt" });
    await home.until((journal) => journal.some(({ status }) => status === "sent"));
    await fire("Prompt", { prompt: "Yes." });
    const journal = await home.until((lines) => lines.some(({ status }) => status === "withdrawn"));
    const id = journal.find(({ status }) => status === "sent")?.id;
    expect(linesOf(log)).toEqual([`${id} `, `${id} resolved`]);
  } finally {
    await home.remove();
  }
});

describe.each(programs)("what becomes of a message of $name", (notifier, start) => {
  let program: FollowingProgram;
  beforeEach(async () => {
    program = await start();
  });
  afterEach(() => program.close());

  const world = async () => ({ config: await configOf({}), ports: createPorts(), keepSecret() {} });
  const told = async (settings: object) => {
    const context = await world();
    const configured = await configuredFor(notifier, { ...program.settings, ...settings });
    const outgoing = { event, facts: {}, configured };
    const { receipt } = await attempt(outgoing, context);
    // The message tells of another event meanwhile, but keeps its id.
    const later = {
      ...outgoing,
      event: { ...event, id: "other", message: "Run it?" },
      receipt: receipt ?? { id: event.id },
    };
    expect(await change("update", later, context)).toEqual({});
    expect(await change("withdraw", { ...later, isMoved: true }, context)).toEqual({});
    expect(await change("withdraw", later, context)).toEqual({});
    return { receipt, all: toldTo(program) };
  };

  test("is told under its id, with its state", async () => {
    const { receipt, all } = await told({ states: true });
    expect(receipt).toEqual({ id: event.id });
    expect(all.map(({ data }) => data.id)).toEqual(Array(4).fill(event.id));
    expect(all.map(({ state, data }) => state ?? data.state)).toEqual([undefined, "updated", "moved", "resolved"]);
    expect(all[1]?.data.body).toBe("Run it?");
    if (notifier === module) return;
    expect(all.map(({ type }) => type)).toEqual(["agent.notification", ...Array(3).fill("agent.alert")]);
    for (const one of all) expect(webhookBodySchema.parse(one)).toEqual(one);
  });

  test("is not told unless that is asked for", async () => {
    const { receipt, all } = await told({});
    expect(receipt).toBeUndefined();
    expect(all).toHaveLength(1);
  });

  test("is not told by a receipt that is not its own", async () => {
    const configured = await configuredFor(notifier, { ...program.settings, states: true });
    for (const receipt of [{}, { id: 7 }, { id: "../x" }, { sequence: "x" }]) {
      expect(await change("withdraw", { event, facts: {}, configured, receipt }, await world())).toEqual({});
    }
    expect(toldTo(program)).toEqual([]);
  });
});
