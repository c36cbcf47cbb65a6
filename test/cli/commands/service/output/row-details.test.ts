import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { detailsOf } from "../../../../../src/cli/commands/service/output/row-details.ts";
import { createTerminal, openServiceHome, type ServiceHome } from "../../../../world/service-home.ts";

const change = (settings: object) => ({ revision: 1, settings, user: {}, updatedAt: "" });
const changes = (from: object, to: object) => detailsOf("enterpriseControls.history")?.(change(to), change(from));

test("a change of settings is the old value and the new, setting by setting", () => {
  const from = { days: 30, policy: { ids: ["a"], isOpen: true }, gone: "x" };
  const to = { days: 31, policy: { ids: ["a", "b"], isOpen: true }, added: null };
  expect(changes(from, to)).toEqual([
    "days: 30 → 31",
    'policy.ids: ["a"] → ["a","b"]',
    'gone: "x" → (none)',
    "added: (none) → null",
  ]);
  expect(changes(from, from)).toEqual([]);
});

test("a secret that changed is named and not shown, however deep it is", () => {
  const models = (apiKey: string, header: string) => ({
    customModels: { own: { apiKey, extraHeaders: { x: header } } },
  });
  expect(changes(models("canary-1", "canary-2"), models("canary-3", "canary-4"))).toEqual([
    'customModels.own.apiKey: "[secret]" → "[secret]"',
    'customModels.own.extraHeaders.x: "[secret]" → "[secret]"',
  ]);
  expect(changes({}, models("canary-1", "canary-2"))?.join()).not.toContain("canary");
});

test("long values are cut, and the last row of a page has nothing to compare with", () => {
  expect(
    Math.max(...(changes({ list: [] }, { list: Array(500).fill("command") }) ?? []).map((line) => line.length)),
  ).toBeLessThan(90);
  expect(detailsOf("enterpriseControls.history")?.(change({}))).toEqual([]);
});

test("a readiness report names the criteria that fail, with the reason, those that fail most first", () => {
  const report = {
    some: { numerator: 1, denominator: 2, rationale: "Half\nof them." },
    all: { numerator: 2, denominator: 2, rationale: "Fine." },
    none: { numerator: 0, denominator: 3, rationale: "No tests." },
  };
  expect(detailsOf("readiness.reports")?.({ report })).toEqual([
    "none 0 of 3: No tests.",
    "some 1 of 2: Half of them.",
  ]);
});

describe("in the terminal", () => {
  let world: ServiceHome;
  beforeAll(async () => {
    world = await openServiceHome({ reports: 20 });
  });
  afterAll(() => world.close());

  test("details stand below their row, and fit the width", async () => {
    const terminal = createTerminal(60);
    const readiness = (await world.run("readiness reports --limit 20", { terminal })).stdout.split("\n");
    const at = readiness.findIndex((line) => line.includes("tests_exist"));
    expect(readiness[at]).toMatch(/^ {4}tests_exist [01] of 2: Unit tests run in CI\.$/);
    expect(readiness[at - 1]).toMatch(/ [12] of 3 /);
    const history = (await world.run("enterprise-controls history --limit 3", { terminal })).stdout.split("\n");
    expect(history).toContain("    sessionRetentionDays: 89 → 90");
    for (const line of [...readiness, ...history]) expect(line.length).toBeLessThanOrEqual(60);
  });
});
