import { expect, test } from "vitest";
import { startBudget, withinBudget } from "../../src/pipeline/within-budget.ts";
import { FakeClock } from "../world/fake-clock.ts";

test("a signal aborts at the end of its budget like `AbortSignal.timeout`", async () => {
  const clock = new FakeClock();
  const { signal } = startBudget(5_000, clock);
  await clock.advance(4_999);
  expect(signal.aborted).toBe(false);
  await clock.advance(1);
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("a call that has ended or throws at once leaves no timer that could reject later", async () => {
  const clock = new FakeClock();
  expect(await withinBudget(5_000, clock, async () => "sent")).toBe("sent");
  const refuse = () => {
    throw new Error("refused");
  };
  await expect(withinBudget(5_000, clock, async () => refuse())).rejects.toThrow("refused");
  await expect(withinBudget(5_000, clock, refuse)).rejects.toThrow("refused");
  expect(clock.nextMs).toBeUndefined();
});
