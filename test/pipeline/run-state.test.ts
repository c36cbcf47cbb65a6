import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "../../src/core/vocabulary.ts";
import { type RunState, readState, withState } from "../../src/pipeline/run-state.ts";
import { decodeRecord, encodeRecord, type SpoolRecord } from "../../src/spool/record.ts";

const state = fc.record({
  atMs: fc.nat(),
  freshAtMs: fc.nat(),
  kind: fc.constantFrom(...kinds),
  facts: fc.dictionary(fc.constantFrom("title", "summary"), fc.string({ unit: "grapheme" })),
  deliveries: fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => name !== "__proto__"),
    fc.record({ status: fc.constantFrom("open", "sent", "failed"), attempts: fc.nat() }),
  ),
});

function decode(bytes: Buffer): SpoolRecord {
  const record = decodeRecord(bytes);
  if (!record) throw new Error("not a record");
  return record;
}

test("a state can be read back from its record, and the payload is unchanged", () => {
  fc.assert(
    fc.property(state, fc.uint8Array(), fc.constantFrom(0, 124), (left, bytes, end) => {
      const fresh = decode(encodeRecord({ v: 1, event: "Stop", agent: "droid", cwd: "/a" }, Buffer.from(bytes), end));
      const again = decode(withState(fresh, left as RunState));
      expect(readState(again)).toEqual(left);
      expect(again.payload.equals(Buffer.from(bytes))).toBe(true);
      expect(again).toMatchObject({ end, header: { event: "Stop", agent: "droid", cwd: "/a" } });
    }),
    { numRuns: 200 },
  );
});

test("a record that is new or has a malformed state has no state", () => {
  const fresh = decode(encodeRecord({ v: 1, event: "Stop" }, Buffer.from("{}")));
  expect(readState(fresh)).toBeUndefined();
  const odd = [5, "x", null, {}, { atMs: "x", freshAtMs: 1, kind: "info", facts: {}, deliveries: {} }];
  for (const state of odd) expect(readState({ ...fresh, header: { ...fresh.header, state: state } })).toBeUndefined();
});
