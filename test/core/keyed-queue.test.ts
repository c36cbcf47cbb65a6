import fc from "fast-check";
import { expect, test } from "vitest";
import { KeyedQueue } from "../../src/core/keyed-queue.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));
const anyTurns = fc.array(fc.record({ name: fc.constantFrom("a", "b", "c"), fails: fc.boolean() }));

test("tasks of one key run in sequence, those of different keys in parallel", async () => {
  await fc.assert(
    fc.asyncProperty(anyTurns, fc.infiniteStream(fc.nat()), async (asked, choices) => {
      const turns = new KeyedQueue();
      const running = new Map<string, () => void>();
      const waiting = asked.map(({ name }, index) => ({ name, index }));
      for (const [index, { name, fails }] of asked.entries()) {
        const act = async (): Promise<void> => {
          expect(waiting.find((task) => task.name === name)).toEqual({ name, index });
          expect(running.has(name)).toBe(false);
          await new Promise<void>((end) => running.set(name, end));
          if (fails) throw new Error("a fault");
        };
        turns.run(name, act).catch((error: Error) => expect(error.message).toBe("a fault"));
      }
      while (waiting.length > 0) {
        await settled();
        expect(turns.size).toBe(waiting.length);
        expect(new Set(running.keys())).toEqual(new Set(waiting.map(({ name }) => name)));
        const [name, end] = [...running][(choices.next().value ?? 0) % running.size] ?? [];
        const first = waiting.findIndex((task) => task.name === name);
        waiting.splice(first, 1);
        running.delete(name ?? "");
        end?.();
        await turns.nextSettled();
      }
      expect(turns.size).toBe(0);
      await turns.nextSettled();
    }),
    { numRuns: 50 },
  );
});
