import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "../../../../src/cli/commands/install/print-plan.ts";
import { measureCpuMs } from "../../../core/cpu-time.ts";

test("shows changes with three lines of context", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  expect(unifiedDiff("/x", before, before.replace("5\n", "five\nsix\n"))).toBe(
    ["--- /x", "+++ /x", "@@ -2,7 +2,8 @@", " 2", " 3", " 4", "-5", "+five", "+six", " 6", " 7", " 8"].join("\n"),
  );
});

test("an absent side is /dev/null", () => {
  expect(unifiedDiff("/x", undefined, "a\n")).toBe("--- /dev/null\n+++ /x\n@@ -0,0 +1,1 @@\n+a");
  expect(unifiedDiff("/x", "a\n", undefined)).toBe("--- /x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a");
});

test("a missing final newline is marked", () => {
  expect(unifiedDiff("/x", "a", "a\n")).toContain("-a\n\\ No newline at end of file\n+a");
});

test("terminal sequences in the file do not reach the terminal", () => {
  expect(unifiedDiff("/x", "a\n", "\u001b]0;title\u0007b\n")).not.toContain("\u001b");
});

test("each line of the file is one line of the diff, whatever its line end", () => {
  expect(unifiedDiff("/x", "a\r\nb\r\n", "a\r\nc\r\n").split("\n").slice(3)).toEqual([" a", "-b", "+c"]);
  expect(unifiedDiff("/x", "", "a\r+forged\u2028-line\n").split("\n").slice(3)).toEqual(["+a +forged -line"]);
});

test("a small change in a file of five megabytes is shown at once", () => {
  const before = `${JSON.stringify(
    Array.from({ length: 150_000 }, (_, index) => `line ${index}, rather long`),
    null,
    2,
  )}\n`;
  const after = before.replace("line 75000", "LINE 75000").replace("]", '  "more"\n]');
  const diff = () => unifiedDiff("/x", before, after);
  expect(measureCpuMs(diff)).toBeLessThan(3000);
  expect(diff().match(/^@@/gm)).toHaveLength(2);
});

const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
const unmarked = (diff: string, marks: string) =>
  diff
    .split("\n")
    .filter((line) => marks.includes(line[0] ?? ""))
    .map((line) => line.slice(1));

test("the lines of a diff are lines of both sides, in order", () => {
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
  });
  fc.assert(property, { numRuns: 500 });
});
