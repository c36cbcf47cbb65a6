import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isPending, untilSettled } from "../../src/spool/wait.ts";
import { createSpool, type TestSpool } from "../helpers/spool.ts";

let at: TestSpool;
beforeEach(() => {
  at = createSpool();
});
afterEach(() => at.remove());

test.each([
  ["new/one.json", true],
  ["new/one.c1.json", true],
  ["cur/one.json", true],
  ["cur/one.t500.json", true],
  ["dead/one.json", false],
  ["tmp/one", false],
  ["new/one-more.json", false],
  ["new/none.json", false],
])("an event in %s is on its way: %s", (file, pending) => {
  at.write(file);
  expect(isPending(at.spool, "one")).toBe(pending);
});

describe("waiting for an event", () => {
  test("ends when it is settled", async () => {
    at.write("new/one.json");
    setTimeout(() => renameSync(join(at.spool, "new/one.json"), join(at.spool, "cur/one.json")), 60);
    setTimeout(() => rmSync(join(at.spool, "cur/one.json")), 120);
    const startedAtMs = performance.now();
    await untilSettled(at.spool, "one", 5_000);
    expect(performance.now() - startedAtMs).toBeGreaterThan(110);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });

  test("ends when the time is up", async () => {
    at.write("cur/one.t500.json");
    const startedAtMs = performance.now();
    await untilSettled(at.spool, "one", 200);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(195);
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
  });

  test("does not begin where it is over", async () => {
    await untilSettled(at.spool, "one", 5_000);
    at.write("new/one.json");
    await untilSettled(at.spool, "one", 0);
  });
});
