import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Delivery } from "../../src/pipeline/run-state.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { makeDue, openWorkerResources, waitingDeliveries } from "../../src/worker/worker-resources.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { listSpool } from "../world/home.ts";
import { WorkerWorld } from "../world/worker-world.ts";

describe("worker resources", () => {
  let world: WorkerWorld;
  beforeEach(() => {
    world = new WorkerWorld();
    mkdirSync(world.paths.state);
  });

  const open = () => openWorkerResources(world.paths, world.ports, () => false);

  test("the configuration is reloaded only when its file has changed", async () => {
    const { context, silencesVersion } = open();
    const first = await context();
    const version = silencesVersion();
    expect((await context()).config).toBe(first.config);
    expect(silencesVersion()).toBe(version);
    world.linger("7s");
    expect((await context()).config.delivery.linger).toBe(7_000);
    expect(silencesVersion()).not.toBe(version);
  });

  test("a secret learned while a worker runs stays out of its journal from then on", async () => {
    const { keepSecret, journal } = await open().context();
    keepSecret(["canary-one"]);
    keepSecret(["canary-two"]);
    journal.write({ id: "one", status: "failed", reason: "it said canary-one, and canary-two" });
    expect(world.journal().map(({ reason }) => reason)).toEqual(["it said [secret], and [secret]"]);
  });
});

describe("waiting deliveries", () => {
  const nowMs = Date.parse("2026-11-20T12:00:00Z");
  const dueAtMs = nowMs + 600_000;

  /** Makes a spool with an event that waits with these deliveries, and a torn record. */
  function spoolWith(deliveries: Readonly<Record<string, Partial<Delivery>>>): string {
    const spool = join(freshFolder(), "spool");
    makeSpool(spool);
    const whole = Object.entries(deliveries).map(([key, one]) => [key, { status: "open", attempts: 1, ...one }]);
    const state = { atMs: 5, freshAtMs: 5, kind: "failed", facts: {}, deliveries: Object.fromEntries(whole) };
    const record = encodeRecord({ v: 1, event: "Stop", agent: "claude", state }, Buffer.from("{}"));
    writeFileSync(join(spool, "cur", `a.t${dueAtMs}.json`), record);
    writeFileSync(join(spool, "cur", `torn.t${dueAtMs}.json`), "{");
    return spool;
  }

  test("only failed, open deliveries wait for an attempt", () => {
    const spool = spoolWith({
      hook: {},
      "hook#2": { notifier: "hook", step: 2 },
      held: { attempts: 0, heldFor: "silence" },
      done: { status: "sent" },
    });
    const common = { notifier: "hook", id: "a", atMs: 5, kind: "failed" };
    expect(waitingDeliveries(spool)).toEqual([
      { ...common, step: 0 },
      { ...common, step: 2 },
    ]);
  });

  test("only a waiting event is made due", () => {
    const spool = spoolWith({ hook: {} });
    makeDue(spool, "gone", nowMs);
    makeDue(spool, "a", nowMs);
    expect(listSpool(spool)).toEqual([`cur/a.t${nowMs}.json`, `cur/torn.t${dueAtMs}.json`]);
  });
});
