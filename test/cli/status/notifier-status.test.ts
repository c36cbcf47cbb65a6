import { beforeEach, expect, test } from "vitest";
import type { ConfiguredNotifier } from "../../../src/config/config.ts";
import { parseConfig } from "../../../src/config/parse.ts";
import { NotifierQueues } from "../../../src/pipeline/notifier-queue.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { answer, type HostileServer, inTurn, startHostileServer } from "../../world/hostile-server.ts";

const noteBroken = (hint?: string) => {
  const refusal = { reason: `${server.origin} answered 410`, ...(hint && { hint }) };
  const queue = new NotifierQueues(home.paths, { now: Date.now }).of("team");
  return queue.noteBroken(team, refusal, async () => false);
};

const home = useCliHome();
let server: HostileServer;
let team: ConfiguredNotifier;
beforeEach(async () => {
  server = await startHostileServer({ "/in": inTurn(answer(410), answer(200)) });
  const value = { notifiers: { team: { type: "webhook", url: `${server.origin}/in` } }, lookups: [] };
  home.config(value);
  const { notifiers } = await parseConfig(JSON.stringify(value));
  team = notifiers.get("team") ?? expect.fail("no notifier");
  await noteBroken();
  return () => server.close();
});

test("status and doctor show since when and why a notifier is broken, with the cure", async () => {
  expect((await home.run(["status"])).stdout).toMatch(/team +webhook +broken since .*: http:.* answered 410/);
  const overview = JSON.parse((await home.run(["status", "--json"])).stdout);
  expect(overview.notifiers[0]).toMatchObject({ name: "team", usable: false, brokenSinceAt: expect.any(String) });
  const { stdout, exitCode } = await home.run(["doctor"]);
  expect(stdout).toMatch(/notifier team.*broken since .* answered 410/);
  expect(stdout).toContain("Fix its configuration. Then: beckon test team");
  expect(exitCode).toBe(1);
});

test("doctor shows the cure that the notifier gives", async () => {
  await noteBroken("Copy its address again.");
  expect((await home.run(["doctor"])).stdout).toContain("Copy its address again. Then: beckon test team");
});

test("a successful test ends the broken state, a failing one does not", async () => {
  expect((await home.run(["test", "team"])).exitCode).toBe(1);
  expect((await home.run(["status"])).stdout).toContain("broken since");
  expect((await home.run(["test", "team"])).exitCode).toBe(0);
  expect((await home.run(["status"])).stdout).not.toContain("broken since");
});

test("a changed configuration is not broken", async () => {
  home.config({ notifiers: { team: { type: "webhook", url: `${server.origin}/other` } }, lookups: [] });
  expect((await home.run(["status"])).stdout).not.toContain("broken since");
});
