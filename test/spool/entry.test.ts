import fc from "fast-check";
import { expect, test } from "vitest";
import { entryFile, isDue, parseEntry } from "../../src/spool/entry.ts";
import { newId } from "../../src/spool/put.ts";

const id = fc.string({ unit: fc.constantFrom(..."abzABZ019_-"), minLength: 1, maxLength: 64 });

test("an entry is restored from its file name", () => {
  const dueAtMs = fc.option(fc.integer({ min: 0, max: 999_999_999_999_999 }), { nil: undefined });
  const property = fc.property(id, fc.nat(9), dueAtMs, (name, crashes, due) => {
    const entry = { id: name, crashes, ...(due !== undefined && { dueAtMs: due }) };
    expect(parseEntry(entryFile(entry))).toEqual(entry);
  });
  fc.assert(property, { numRuns: 200 });
});

test.each([
  [{ id: "a", crashes: 0 }, "a.json"],
  [{ id: "a", crashes: 2 }, "a.c2.json"],
  [{ id: "a", crashes: 0, dueAtMs: 1_700_000_000_000 }, "a.t1700000000000.json"],
  [{ id: "a", crashes: 1, dueAtMs: 5.4 }, "a.c1.t5.json"],
])("%j is %s", (entry, file) => {
  expect(entryFile(entry)).toBe(file);
});

test("no other file is an entry", () => {
  const names = ".json a a.json.tmp a.txt ä.json ../a.json .a.json a..json a.c.json a.c12.json".split(" ");
  const times = "a.t.json a.tNaN.json a.t1e9.json a.t-5.json a.t5.c1.json".split(" ");
  const others = [...names, ...times, "", "a b.json", "a.json\n", `${"x".repeat(65)}.json`];
  expect(others.filter((file) => parseEntry(file) !== undefined)).toEqual([]);
});

const nowMs = 1_700_000_000_000;
const hourMs = 3_600_000;
test.each([
  ["now", 0, true],
  ["a moment ago", -1, true],
  ["soon", 1, false],
  ["in the longest delay, a day and a fifth", 28.8 * hourMs, false],
  ["in two days, by a clock that was wrong", 48 * hourMs, true],
  ["in years", 1e12, true],
  ["at an invalid time", Number.NaN, true],
  ["at infinity", Number.POSITIVE_INFINITY, true],
])("an event scheduled %s (%d ms from now) is due: %s", (_, inMs, due) => {
  expect(isDue(nowMs + inMs, nowMs)).toBe(due);
});

test("ids are unique and valid in a file name", () => {
  const ids = Array.from({ length: 10_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids.slice(0, 100)) expect(parseEntry(`${id}.json`)).toEqual({ id: id, crashes: 0 });
});
