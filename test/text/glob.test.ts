import picomatch from "picomatch";
import { expect, test } from "vitest";
import { explainPlainPart } from "../../src/text/glob.ts";

/** Parts that are matched as plain text, with globs that contain them. */
const plain = {
  "*(+(a))": ["*(+(a))", "~/code/*(+(a))/**", "@(x|*(+(a)))", "{*(+(a)),b}"],
  "+(+(a))": ["!(+(+(a)))", "x\\*(+(+(a)))"],
  "+(+(a|b)|c)": ["+(+(a|b)|c)"],
  "+(a|aa)": ["+(a|aa)"],
  "+(a|)": ["+(a|)"],
  "*(*|a)": ["*(*|a)"],
};
/** Globs that work as written, each with a name that it matches. */
const working = {
  ...{ "+(*(a))": "aa", "+(*(a)|*(b))": "abba", "+(*(\\.))": "...", "@(a|*(b))": "bb", "!(+(x))": "y" },
  ...{ "*(foo-+([0-9]))": "foo-1foo-22", "+(a|b)": "abab", "[*(+(a))]": "+", "**": "a/b", shop: "shop" },
  ...{ "\\*\\(+\\(a\\)\\)": "*(+(a))", '"*(+(a))"': "*(+(a))" },
};

test("a glob is explained if picomatch matches a part of it as plain text, and only then", () => {
  const rows = Object.entries(plain).flatMap(([part, globs]) => globs.map((glob) => [glob, part] as const));
  expect(rows.filter(([glob, part]) => !explainPlainPart(glob)?.includes(`\`${part}\``))).toEqual([]);
  expect(Object.keys(plain).filter((part) => !picomatch.isMatch(part, part))).toEqual([]);
  expect(picomatch.isMatch("a".repeat(10_000), "*(+(a))")).toBe(false); // at once
  expect(Object.keys(working).filter(explainPlainPart)).toEqual([]);
  expect(Object.entries(working).filter(([glob, name]) => !picomatch.isMatch(name, glob))).toEqual([]);
});
