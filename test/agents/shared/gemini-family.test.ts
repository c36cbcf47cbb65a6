import { expect, test } from "vitest";
import { trustLevel } from "../../../src/agents/shared/gemini-family.ts";

test.each([
  ["no rule", {}, undefined],
  ["no rules at all", undefined, undefined],
  ["the folder itself", { "/code/shop": "TRUST_FOLDER" }, "yes"],
  ["a folder above it", { "/code": "TRUST_FOLDER" }, "yes"],
  ["a neighbour's parent", { "/code/other": "TRUST_PARENT" }, "yes"],
  ["a neighbour", { "/code/other": "TRUST_FOLDER" }, undefined],
  ["a name that only begins alike", { "/co": "TRUST_FOLDER" }, undefined],
  ["the folder itself, not trusted", { "/code": "TRUST_FOLDER", "/code/shop": "DO_NOT_TRUST" }, "no"],
  ["an unknown word", { "/code/shop": "PERHAPS" }, undefined],
])("trust of /code/shop by %s", (_, rules, level) => {
  expect(trustLevel(rules, "/code/shop")).toBe(level);
});
