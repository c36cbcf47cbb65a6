import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Kind, kinds } from "../../src/core/vocabulary.ts";
import { type SlotOutcome, Slots } from "../../src/pipeline/slots.ts";
import { spoolBounds } from "../../src/spool/sweep.ts";

const makeConfigured = (name: string, maxInFlight?: number) => ({
  name,
  notifier: maxInFlight === undefined ? {} : { maxInFlight },
});

/** Requests a slot for each of some kinds and lists the outcomes in the order of arrival. */
function askAll(slots: Slots, asked: readonly Kind[], notifier = makeConfigured("slow")) {
  const outcomes: (readonly [number, SlotOutcome])[] = [];
  for (const [index, kind] of asked.entries()) {
    void slots.take(notifier, kind).then((outcome) => outcomes.push([index, outcome]));
  }
  return outcomes;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("slots", () => {
  test("are two per notifier unless it declares another number, and not shared", async () => {
    const slots = new Slots();
    const slow = askAll(slots, Array<Kind>(5).fill("finished"));
    const hook = askAll(slots, Array<Kind>(20).fill("finished"), makeConfigured("hook", 16));
    await settled();
    expect([slow.length, hook.length]).toEqual([2, 16]);
    slots.release({ name: "slow" });
    await settled();
    expect([slow.length, hook.length]).toEqual([3, 16]);
  });

  test("go to the most urgent first, and among equals to the earliest request", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { maxLength: 30 }), async (asked) => {
        const slots = new Slots();
        await Promise.all([slots.take(makeConfigured("slow"), "info"), slots.take(makeConfigured("slow"), "info")]);
        const granted = askAll(slots, asked);
        for (const _ of asked) slots.release({ name: "slow" });
        await settled();
        const expected = asked
          .map((kind, index) => ({ index, rank: kinds.indexOf(kind) }))
          .sort((a, b) => a.rank - b.rank || a.index - b.index);
        expect(granted).toEqual(expected.map(({ index }) => [index, "granted"]));
      }),
      { numRuns: 50 },
    );
  });

  test("are refused to the oldest of the least urgent if too many wait", async () => {
    const slots = new Slots();
    const outcomes = askAll(slots, ["failed", "failed", ...Array<Kind>(spoolBounds.files).fill("finished")]);
    const urgent = askAll(slots, ["needs-you"]);
    await settled();
    expect(outcomes.slice(2)).toEqual([[2, "evicted"]]);
    expect(urgent).toEqual([]);
    slots.release({ name: "slow" });
    await settled();
    expect(urgent).toEqual([[0, "granted"]]);
  });

  test("still pending end their wait on a recall and can be requested again", async () => {
    const slots = new Slots();
    const outcomes = askAll(slots, ["info", "info", "info"]);
    slots.recall();
    await settled();
    expect(outcomes.map(([, outcome]) => outcome)).toEqual(["granted", "granted", "recalled"]);
    slots.release({ name: "slow" });
    expect(await slots.take(makeConfigured("slow"), "info")).toBe("granted");
  });

  test("are no longer granted once the worker must stop", async () => {
    let isStopped = false;
    const slots = new Slots(() => isStopped);
    const outcomes = askAll(slots, ["info", "info", "needs-you"]);
    await settled();
    isStopped = true;
    slots.release({ name: "slow" });
    await settled();
    expect(outcomes.at(-1)).toEqual([2, "recalled"]);
    expect(await slots.take(makeConfigured("other"), "info")).toBe("recalled");
  });
});
