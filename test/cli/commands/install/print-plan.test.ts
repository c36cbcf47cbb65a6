import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "../../../../src/settings/diff.ts";

test("shows what changes with three lines around it", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  expect(unifiedDiff("/x", before, before.replace("5\n", "five\nsix\n"))).toBe(
    ["--- /x", "+++ /x", "@@ -2,7 +2,8 @@", " 2", " 3", " 4", "-5", "+five", "+six", " 6", " 7", " 8"].join("\n"),
  );
});

test("an absent side is /dev/null", () => {
  expect(unifiedDiff("/x", undefined, "a\n")).toBe("--- /dev/null\n+++ /x\n@@ -0,0 +1,1 @@\n+a");
  expect(unifiedDiff("/x", "a\n", undefined)).toBe("--- /x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a");
});

test("a missing final newline is told of", () => {
  expect(unifiedDiff("/x", "a", "a\n")).toContain("-a\n\\ No newline at end of file\n+a");
});

test("terminal sequences in the file do not reach the terminal", () => {
  expect(unifiedDiff("/x", "a\n", "\u001b]0;title\u0007b\n")).not.toContain("\u001b");
});

const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
const unmarked = (diff: string, marks: string) =>
  diff
    .split("\n")
    .filter((line) => marks.includes(line[0] ?? ""))
    .map((line) => line.slice(1));

test("the lines of a diff are the lines of both sides, in order, as few changed as can be", () => {
  const property = fc.property(lines, lines, (before, after) => {
    fc.pre(before.join() !== after.join());
    const around = ["x", "y", "z"];
    const text = (middle: string[]) => [...around, ...middle, ...around].map((line) => `${line}\n`).join("");
    const body = unifiedDiff("/p", text(before), text(after))
      .split("\n")
      .slice(2)
      .filter((line) => !line.startsWith("@@"));
    const shown = body.join("\n");
    const isPart = (part: string[], whole: string[]) => {
      let at = 0;
      for (const line of whole) if (line === part[at]) at += 1;
      return at === part.length;
    };
    expect(isPart(unmarked(shown, " -"), [...around, ...before, ...around])).toBe(true);
    expect(isPart(unmarked(shown, " +"), [...around, ...after, ...around])).toBe(true);
    const changes = unmarked(shown, "+-").length;
    expect(changes).toBe(before.length + after.length - 2 * longestCommon(before, after));
  });
  fc.assert(property, { numRuns: 500 });
});

/** Length of the longest common subsequence, the slow and plain way. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const best = Math.max(table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0);
      (table[i] as number[])[j] = a[i - 1] === b[j - 1] ? (table[i - 1]?.[j - 1] ?? 0) + 1 : best;
    }
  }
  return table[a.length]?.[b.length] ?? 0;
}
