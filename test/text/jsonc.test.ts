import fc from "fast-check";
import { parseTree } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { findPosition, lineAndColumn, parseJsonc, scanTokens, showPath } from "../../src/text/jsonc.ts";

describe("a text", () => {
  test("with comments and trailing commas has a tree and no problem", () => {
    const { tree, problem } = parseJsonc('{ "a": [1,], } // c', 10);
    expect(tree?.type).toBe("object");
    expect(problem).toBeUndefined();
  });

  test("that is broken has a message for its first problem, and the tree up to there", () => {
    const { tree, problem } = parseJsonc('{\n  "a": 1\n', 10);
    expect(tree?.children).toHaveLength(1);
    expect(problem).toEqual({ type: "syntax", words: "close brace expected", line: 3, column: 1 });
  });

  test("that is empty is a problem", () => {
    expect(parseJsonc("", 10)).toMatchObject({ tree: undefined, problem: { words: "value expected", line: 1 } });
  });

  test("nested deeper than allowed has no tree; brackets in strings and comments do not count", () => {
    expect(parseJsonc("[[\n[]]]", 3).problem).toBeUndefined();
    const problem = { type: "depth", words: "nested more than 2 levels deep", line: 2, column: 1 };
    expect(parseJsonc("[[\n[]]]", 2)).toEqual({ tree: undefined, problem });
    expect(parseJsonc('["[[[" /* [[[ */]', 1).problem).toBeUndefined();
    expect(parseJsonc("[".repeat(100_000), 200).problem?.column).toBe(201);
  });
});

test("the tokens between two offsets are those that start there, including comments", () => {
  const text = '{ "a": 1, // c\n "b": [] }';
  expect([...scanTokens(text)].map(({ char }) => char).join(" ")).toBe('{ " : 1 , / " : [ ] }');
  expect([...scanTokens(text, 9, 17)].map(({ start, end }) => text.slice(start, end))).toEqual(["// c", '"b"']);
});

describe("line and column", () => {
  test.each([
    ["", 0, 1, 1],
    ["ab", 1, 1, 2],
    ["a\nb", 2, 2, 1],
    ["a\r\nb", 3, 2, 1],
    ["\n\n", 2, 3, 1],
    ["ä😀x", 3, 1, 4],
    ["a\rb", 2, 2, 1],
    ["a\r\r\nb", 4, 3, 1],
  ])("of %j at %i are %i and %i", (text, offset, line, column) => {
    expect(lineAndColumn(text, offset)).toEqual({ line, column });
  });

  test("lead back to the offset", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\n", "\r", "\r\n", "ä"), { maxLength: 30 }), fc.nat(), (bits, at) => {
        const text = bits.join("");
        // Not between the two characters of one line end.
        const offset = text.length === 0 ? 0 : at % text.length;
        fc.pre(text.slice(offset - 1, offset + 1) !== "\r\n");
        const { line, column } = lineAndColumn(text, offset);
        const ends = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map(({ 0: end, index }) => index + end.length)];
        expect((ends[line - 1] ?? Number.NaN) + column - 1).toBe(offset);
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
    expect(findPosition(text, tree, path)).toEqual({ line, column });
  });

  test("is undefined without a tree", () => {
    expect(findPosition("", undefined, ["a"])).toEqual({});
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
