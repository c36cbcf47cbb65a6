import { describe, expect, test } from "vitest";
import { lookupLoaders } from "../../src/lookups/registry.ts";

describe.each(Object.entries(lookupLoaders))("the lookup %s", (name, load) => {
  test("is registered under its own name, with one sentence and a budget", async () => {
    const lookup = await load();
    expect(lookup.name).toBe(name);
    expect(lookup.summary).toMatch(/^[A-Z].*[^.]\.$/);
    expect(lookup.budgetMs).toBeGreaterThan(0);
    expect(lookup.budgetMs).toBeLessThanOrEqual(2000);
  });
});
