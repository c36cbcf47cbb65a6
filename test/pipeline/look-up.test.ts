import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { parseConfig } from "../../src/config/parse.ts";
import { createPorts } from "../../src/io/ports.ts";
import { lookUp } from "../../src/pipeline/look-up.ts";
import { eventAt } from "../world/arriving-events.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { answer, type Behaviour, type HostileServer, silence, startHostileServer } from "../world/hostile-server.ts";

const canary = "canary-4711-canary";
const event = eventAt("Stop", 0, {
  agent: "else",
  kind: "finished",
  sessionId: "session-1",
  lastMessage: "Everything is green.",
});
let server: HostileServer;
let secrets: string[];
beforeEach(() => {
  vi.stubEnv("BECKON_TEST_KEY", canary);
  secrets = [];
});
afterEach(() => void vi.unstubAllEnvs());

async function lookedUp(behaviour: Behaviour, more: object = {}) {
  server = await startHostileServer({ "/api/v0/sessions": behaviour });
  onTestFinished(() => server.close());
  const service = { baseUrl: server.origin, apiKey: "${env:BECKON_TEST_KEY}" };
  const config = await parseConfig(JSON.stringify({ lookups: ["transcript", "service"], service, ...more }));
  expect(config.findings).toEqual([]);
  const keepSecret = (values: readonly string[]): void => void secrets.push(...values);
  return lookUp(event, { config, ports: createPorts(), keepSecret });
}

describe("looking up an event's session", () => {
  test("merges the facts from all lookups", async () => {
    const page = { sessions: [{ sessionId: "session-1", title: "Fix it" }], pagination: { hasMore: false } };
    const json = { "content-type": "application/json" };
    const { facts, problems } = await lookedUp(answer(200, json, JSON.stringify(page)));
    expect(facts).toMatchObject({ title: "Fix it", summary: "Everything is green." });
    expect(problems).toEqual([]);
  });

  test.each<[string, Behaviour]>([
    ["rejects the key", answer(401)],
    ["is down", answer(503)],
    ["answers with garbage", answer(200, {}, "<html>")],
    ["is silent", silence],
  ])("keeps the other facts if the service %s, and reports why", async (_, behaviour) => {
    const { facts, problems } = await lookedUp(behaviour); // the silent service would never answer
    expect(facts).toMatchObject({ lastMessage: "Everything is green." });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^lookup service: /);
    expect(problems[0]).not.toContain(canary);
  });

  test("passes on secrets so that the journal hides them", async () => {
    await lookedUp(answer(500));
    expect(secrets).toContain(canary);
  });

  test("follows no redirect", async () => {
    const elsewhere = await startHostileServer();
    const { problems } = await lookedUp(answer(302, { location: `${elsewhere.origin}/api/v0/sessions` }));
    expect(problems).toHaveLength(1);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  test("reports a missing secret by its path, and finds the rest", async () => {
    vi.stubEnv("BECKON_TEST_KEY", "");
    const { facts, problems } = await lookedUp(answer(200));
    expect(problems).toEqual(["lookup service: service.apiKey: ${env:BECKON_TEST_KEY} is not set"]);
    expect(facts.summary).toBe("Everything is green.");
    expect(server.requests).toEqual([]);
  });

  test("resolves no secrets of a profile, as only commands use profiles", async () => {
    const marker = join(freshFolder(), "resolved");
    const apiKey = "${env:BECKON_TEST_KEY}";
    const profiles = { acme: { apiKey: `\${command:touch ${marker}}`, ca: "${file:/nowhere}" } };
    const service = { baseUrl: "http://127.0.0.1:9", apiKey, profiles };
    const { problems } = await lookedUp(answer(200), { service });
    expect(problems).toEqual([expect.stringContaining("127.0.0.1:9")]);
    expect(existsSync(marker)).toBe(false);
  });

  test("uses only the configured lookups", async () => {
    const { facts } = await lookedUp(answer(200), { lookups: ["transcript"] });
    expect(facts.summary).toBe("Everything is green.");
    expect(server.requests).toEqual([]);
  });
});
