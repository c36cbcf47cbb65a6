import fc from "fast-check";
import { expect, test } from "vitest";
import { compareVersions } from "../../src/text/version.ts";

test("versions of any length can be compared", () => {
  const expected = [
    ["0.9.0", "0.10.0", -1],
    ["1.0.0", "0.99.99", 1],
    ["1.2.3", "1.2.3", 0],
    ["1.2", "1.2.0", 0],
    ["2", "1.9.9", 1],
    ["", "0.0.0", 0],
  ] as const;
  expect(expected.map(([a, b]) => [a, b, Math.sign(compareVersions(a, b))])).toEqual(expected);
});

const parts = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300));
test("versions are ordered by their numbers, in sequence", () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const at = [0, 1, 2].find((index) => a[index] !== b[index]);
      const expected = at === undefined ? 0 : Math.sign((a[at] ?? 0) - (b[at] ?? 0));
      expect(Math.sign(compareVersions(a.join("."), b.join(".")))).toBe(expected);
      expect(Math.sign(compareVersions(b.join("."), a.join(".")))).toBe(expected === 0 ? 0 : -expected);
    }),
    { numRuns: 300 },
  );
});
