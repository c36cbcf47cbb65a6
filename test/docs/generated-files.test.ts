import { expect, test } from "vitest";
import { fillBlocks } from "../../src/docs/generated-files.ts";

const text = "before\n<!-- begin one -->\nold\n<!-- end one -->\nafter\n";

test("a block is put between its marks, and what is around stays", () => {
  expect(fillBlocks([text], { one: "new" })).toEqual([
    "before\n<!-- begin one -->\n\nnew\n\n<!-- end one -->\nafter\n",
  ]);
});

test("filling twice gives the same as filling once", () => {
  const once = fillBlocks([text], { one: "a $& b" });
  expect(fillBlocks(once, { one: "a $& b" })).toEqual(once);
});

test("a mark without a block, and a block without a mark, are errors", () => {
  expect(() => fillBlocks([text], {})).toThrow('a mark "one", but there is no such block');
  expect(() => fillBlocks([text], { one: "", two: "" })).toThrow("no document has a mark for: two");
});
