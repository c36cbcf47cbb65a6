import fc from "fast-check";
import { expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse.ts";

const url = "https://hooks.example/T0/B0/x";

const names = ["notifiers", "routes", "lookups", "templates", "delivery", "service", "transcript", "__proto__"];
const inner = [
  ...["type", "url", "to", "on", "kinds", "projects", "title", "body", "Stop", "linger", "expire"],
  ...["headers", "secret", "templates", "apiKey", "baseUrl", "constructor", "team"],
];
const leaf = fc.oneof(
  fc.constantFrom("slack", "webhook", "${env:A}", "${file:/a}", "team", "{project}", "{nope}", url, "", "Stop"),
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "config" },
    leaf,
    fc.array(tie("value"), { maxLength: 3, depthIdentifier: "config" }),
    fc.dictionary(fc.constantFrom(...inner), tie("value"), { maxKeys: 4, depthIdentifier: "config" }),
  ),
}));
const part = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 });

function expectUsable(config: Config): void {
  expect(config.delivery.retryDelays.length).toBeGreaterThan(0);
  expect(config.delivery.expire["needs-you"]).toBeGreaterThan(0);
  expect(config.delivery.linger).toBeGreaterThanOrEqual(0);
  for (const { to } of config.routes) for (const name of to) expect(config.notifiers.has(name)).toBe(true);
  for (const name of config.lookups) expect(typeof name).toBe("string");
  expect(typeof config.templates).toBe("object");
  for (const { level, path, message } of config.findings) {
    expect(["error", "warning"]).toContain(level);
    expect([typeof path, typeof message]).toEqual(["string", "string"]);
  }
}

test("any JSON gives a usable configuration", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(part, value, fc.jsonValue()), async (json) => {
      expectUsable(await parseConfig(JSON.stringify(json ?? null)));
    }),
    { numRuns: 300 },
  );
});

test("cut, shuffled or invalid JSON gives a usable configuration", async () => {
  const broken = fc
    .tuple(part, fc.nat(400), fc.string({ maxLength: 5 }))
    .map(([json, at, text]) => JSON.stringify(json).slice(0, at) + text + JSON.stringify(json).slice(at + 1));
  await fc.assert(
    fc.asyncProperty(fc.oneof(broken, fc.string({ unit: "binary" })), async (text) => {
      expectUsable(await parseConfig(text));
    }),
    { numRuns: 300 },
  );
});
