import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionTurns } from "../../src/pipeline/session-turns.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));
const sessionTurns = fc.array(fc.record({ session: fc.constantFrom("a", "b", "c"), fails: fc.boolean() }));

test("a session's turns come one at a time and in order, those of sessions side by side", async () => {
  await fc.assert(
    fc.asyncProperty(sessionTurns, fc.infiniteStream(fc.nat()), async (asked, choices) => {
      const turns = new SessionTurns();
      const running = new Map<string, () => void>();
      const waiting = asked.map(({ session }, index) => ({ session, index }));
      for (const [index, { session, fails }] of asked.entries()) {
        const act = async (): Promise<void> => {
          expect(waiting.find((one) => one.session === session)).toEqual({ session, index });
          expect(running.has(session)).toBe(false);
          await new Promise<void>((end) => running.set(session, end));
          if (fails) throw new Error("a fault");
        };
        turns.take(session, act).catch((error: Error) => expect(error.message).toBe("a fault"));
      }
      while (waiting.length > 0) {
        await settled();
        expect(turns.size).toBe(waiting.length);
        expect(new Set(running.keys())).toEqual(new Set(waiting.map(({ session }) => session)));
        const [session, end] = [...running][(choices.next().value ?? 0) % running.size] ?? [];
        waiting.splice(
          waiting.findIndex((one) => one.session === session),
          1,
        );
        running.delete(session ?? "");
        end?.();
        await turns.nextOver();
      }
      expect(turns.size).toBe(0);
      await turns.nextOver();
    }),
    { numRuns: 50 },
  );
});
