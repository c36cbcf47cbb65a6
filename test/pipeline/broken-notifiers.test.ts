import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { run } from "../../src/pipeline/run.ts";
import { claim } from "../../src/spool/claim.ts";
import { canary, DeliveryWorld, makeConfig } from "../world/delivery-world.ts";
import { answer, type Behaviour, type HostileServer, inTurn, startHostileServer } from "../world/hostile-server.ts";

let world: DeliveryWorld;
let server: HostileServer;
beforeEach(() => {
  world = new DeliveryWorld();
});
afterEach(() => server.close());

describe("a notifier that its receiver rejects", () => {
  const texts = (path: string): string[] =>
    server.requests.filter((found) => found.path === path).map(({ body }) => JSON.parse(body).data.body);
  const notices = () => texts("/good").filter((text) => text.includes("no longer works"));
  const to = (path: string, more: object = {}) => ({ type: "webhook", url: `${server.origin}/${path}`, ...more });
  const setUp = async (bad: Behaviour, good: Behaviour = answer(200)) => {
    server = await startHostileServer({ "/good": good, [`/${canary}`]: bad });
    return makeConfig({ notifiers: { bad: to(canary), good: to("good") } });
  };
  const next = async (config: Config, id: string) => {
    const context = world.worker(config);
    world.take(id);
    await world.drain(context);
    return context.journal.readLines(id).find(({ notifier }) => notifier === "bad");
  };

  test("is reported once through another notifier and not called for an hour", async () => {
    const config = await setUp(answer(410));
    for (const id of ["one", "two", "three"]) await next(config, id);
    const notice = /^The notifier bad \(webhook\) .*answered 410\. See `beckon doctor`/;
    expect(notices()).toEqual([expect.stringMatching(notice)]);
    expect(texts(`/${canary}`)).toHaveLength(1);
    world.nowMs += 3_600_000;
    expect((await next(config, "four"))?.reason).toMatch(/^auth: .*410/);
    expect(texts(`/${canary}`)).toHaveLength(2);
    expect(notices()).toHaveLength(1);
  });

  test("is reported at once if its secret is missing, is retried, and recovers with the secret", async () => {
    await setUp(answer(200));
    const bad = { type: "webhook", url: "${env:BECKON_TEST_HOOK}" };
    const config = await makeConfig({ notifiers: { bad, good: to("good") }, delivery: { retryDelays: ["10s"] } });
    for (const id of ["one", "two"]) expect((await next(config, id))?.reason).toMatch(/^auth: .*BECKON_TEST_HOOK/);
    expect(notices()).toEqual([expect.stringContaining("${env:BECKON_TEST_HOOK}")]);
    vi.stubEnv("BECKON_TEST_HOOK", `${server.origin}/${canary}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    world.nowMs += 12_000;
    await world.drain(world.worker(config));
    expect(texts(`/${canary}`)).toHaveLength(2);
    expect(world.worker(config).broken.find(config.notifiers.get("bad") ?? expect.fail())).toBeUndefined();
  });

  test("is reported in the language of the reporting notifier", async () => {
    await setUp(answer(410));
    const notifiers = { bad: to(canary), good: to("good", { language: "de" }) };
    const config = await makeConfig({ language: "fr", notifiers });
    await next(config, "one");
    expect(texts("/good").join("\n")).toMatch(/Der Notifier bad \(webhook\) funktioniert nicht mehr: .*answered 410/);
    expect(texts("/good").join("\n")).not.toMatch(/does not work|ne fonctionne/);
  });

  test("is reported once, however many events are rejected at once", async () => {
    const config = await setUp(answer(404));
    const context = world.worker(config);
    const ids = ["one", "two", "three", "four"];
    for (const id of ids) world.take(id);
    const held = ids.map((id) => claim(world.spool, { id, crashes: 0 })).filter((found) => found !== undefined);
    expect(held).toHaveLength(ids.length);
    await Promise.all(held.map((found) => run({ ...found, takenInAtMs: world.nowMs }, context)));
    expect(notices()).toHaveLength(1);
  });

  test("is reported by a notifier that people read rather than by a file", async () => {
    await setUp(answer(404));
    const path = join(world.root, "log.jsonl");
    const config = await makeConfig({ notifiers: { bad: to(canary), log: { type: "file", path }, good: to("good") } });
    await next(config, "one");
    expect(notices()).toHaveLength(1);
    expect(readFileSync(path, "utf8")).not.toContain("no longer works");
  });

  test("is called at once with changed settings, and reported again", async () => {
    await next(await setUp(answer(401)), "one");
    const moved = await makeConfig({ notifiers: { bad: to(`${canary}?moved`), good: to("good") } });
    expect((await next(moved, "two"))?.reason).toMatch(/^auth: /);
    expect(notices()).toHaveLength(2);
  });

  test("is forgotten when it works again, and reported at the next rejection", async () => {
    const config = await setUp(inTurn(answer(403), answer(200), answer(403)));
    await next(config, "one");
    world.nowMs += 3_600_000;
    expect((await next(config, "two"))?.status).toBe("sent");
    expect((await next(config, "three"))?.reason).toMatch(/^auth: /);
    expect(notices()).toHaveLength(2);
  });

  test("is reported later if no other notifier worked", async () => {
    const config = await setUp(answer(404), inTurn(answer(500), answer(500), answer(200)));
    await next(config, "one");
    world.nowMs += 3_600_000;
    await next(config, "two");
    expect(notices()).toHaveLength(2);
    const kept = readFileSync(join(world.root, "state", "broken.json"), "utf8");
    expect(JSON.parse(kept).bad).toMatchObject({ hint: expect.stringMatching(/^Check `url`/) });
    expect(kept).not.toContain(canary);
  });

  test("fails its events meanwhile so that they can be retried", async () => {
    const config = await setUp(answer(404));
    await next(config, "one");
    const reason = expect.stringMatching(/^not tried: /);
    expect(await next(config, "two")).toMatchObject({ status: "failed", reason });
  });
});
