import { expect, test } from "vitest";
import { findMutants } from "../../../scripts/mutate/mutants.ts";

const changed = (text: string): string[] =>
  findMutants(text).map(({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end));

test.each<[string, string, string[]]>([
  ["a comparison", "x = a < b;", [";", "x = a <= b;"]],
  ["a condition", "if (a) b++;", ["if (true) b++;", "if (false) b++;"]],
  ["a negation", "y(!a);", [";", "y(a);"]],
  ["an operator that a comment names first", "y(a /* && */ && b);", [";", "y(a /* && */ || b);"]],
  ["the anchors of a pattern", "y(/^a$/);", [";", "y(/a$/);", "y(/^a/);"]],
  ["values", "y(1, true, 'a', '');", [";", "y(2, true, 'a', '');", "y(1, false, 'a', '');", "y(1, true, \"\", '');"]],
])("%s is changed", (_, text, expected) => {
  expect(changed(text)).toEqual(expected);
});

test("types and names of modules stay", () => {
  expect(changed('import { a } from "./a.ts"; type B = "x" | 1; const c = a as "x";')).toEqual([]);
});

test("crash points for tests stay", () => {
  expect(changed('crashPoint("sent"); a();')).toEqual(['crashPoint("sent"); ;']);
});

test("a mutant is described without its position in the file", () => {
  const [first] = findMutants("const a = 1;");
  const [later] = findMutants("\n\n  const a = 1;");
  expect(first?.description).toBe("const a = 1; | 10: 1 → 2");
  expect(later).toMatchObject({ description: first?.description, line: 3 });
});
