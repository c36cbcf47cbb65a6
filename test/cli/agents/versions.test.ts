import fc from "fast-check";
import { expect, test } from "vitest";
import { compareVersions, versionIn } from "../../../src/cli/agents/versions.ts";

test.each([
  ["2.1.329 (Claude Code)\n", "2.1.329"],
  ["codex-cli 0.169.0", "0.169.0"],
  ["v20.18.1", "20.18.1"],
  ["1.2.3-beta.4+5.6.7", "1.2.3"],
  ["warning: node 20\n0.61.0", "0.61.0"],
  ["no version", undefined],
  ["", undefined],
])("the version in %j is %j", (text, version) => expect(versionIn(text)).toBe(version));

test.each([
  ["0.9.0", "0.10.0", -1],
  ["1.0.0", "0.99.99", 1],
  ["1.2.3", "1.2.3", 0],
  ["1.2", "1.2.0", 0],
  ["2", "1.9.9", 1],
  ["", "0.0.0", 0],
])("%j against %j is %i", (a, b, sign) => expect(Math.sign(compareVersions(a, b))).toBe(sign));

const parts = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300));
test("versions are ordered as their numbers are, one after the other", () => {
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
