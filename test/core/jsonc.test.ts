import fc from "fast-check";
import { parseTree } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { didYouMean, lineAndColumn, nearest, positionOf, showPath } from "../../src/config/did-you-mean.ts";

describe("line and column", () => {
  test.each([
    ["", 0, 1, 1],
    ["ab", 1, 1, 2],
    ["a\nb", 2, 2, 1],
    ["a\r\nb", 3, 2, 1],
    ["\n\n", 2, 3, 1],
    ["ä😀x", 3, 1, 4],
  ])("of %j at %i are %i and %i", (text, offset, line, column) => {
    expect(lineAndColumn(text, offset)).toEqual({ line, column });
  });

  test("lead back to the offset", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\n", "\r\n", "ä"), { maxLength: 30 }), fc.nat(), (bits, at) => {
        const text = bits.join("");
        const offset = text.length === 0 ? 0 : at % text.length;
        const { line, column } = lineAndColumn(text, offset);
        const before = text.split("\n").slice(0, line - 1);
        expect(before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1).toBe(offset);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the position of a path", () => {
  const text = '{\n  "a": {\n    "b": [1, {"c": 2}]\n  }\n}';
  const tree = parseTree(text);

  test.each([
    [["a"], 2, 3],
    [["a", "b"], 3, 5],
    [["a", "b", 0], 3, 11],
    [["a", "b", 1, "c"], 3, 15],
    [["a", "b", 1, "missing"], 3, 14],
    [["a", "missing", "deeper"], 2, 3],
    [["missing"], 1, 1],
    [[], 1, 1],
  ])("%j is line %i, column %i", (path, line, column) => {
    expect(positionOf(text, tree, path)).toEqual({ line, column });
  });

  test("is nowhere without a tree", () => {
    expect(positionOf("", undefined, ["a"])).toEqual({});
  });
});

test.each([
  [[], ""],
  [["notifiers", "team", "url"], "notifiers.team.url"],
  [["routes", 0, "to", 1], "routes[0].to[1]"],
  [["headers", "x y"], 'headers["x y"]'],
  [["needs-you", "$schema"], "needs-you.$schema"],
  [["a.b"], '["a.b"]'],
])("the path %j is shown as %j", (path, shown) => {
  expect(showPath(path)).toBe(shown);
});

describe("the nearest word", () => {
  const known = ["slack", "sound", "webhook"];

  test.each([
    ["slak", "slack"],
    ["SLACK", "slack"],
    ["webhok", "webhook"],
    ["telegram", undefined],
    ["", undefined],
  ])("to %j is %j", (word, near) => {
    expect(nearest(word, known)).toBe(near);
  });

  test("is a hint, or else all words are", () => {
    expect(didYouMean("slak", known)).toBe("Did you mean `slack`?");
    expect(didYouMean("telegram", known)).toBe("Known: slack, sound, webhook.");
    expect(didYouMean("x", [])).toBe("There is none.");
  });
});
