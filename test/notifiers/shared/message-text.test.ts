import { expect, test } from "vitest";
import { textWithKeyword } from "../../../src/notifiers/shared/message-text.ts";

test.each([
  ["no keyword", undefined, "title", "body", "title\nbody"],
  ["no body", undefined, "title", "", "title"],
  ["a keyword that is missing", "beckon", "title", "body", "beckon: title\nbody"],
  ["a keyword in the title", "tit", "title", "body", "title\nbody"],
  ["a keyword in the body", "bod", "title", "body", "title\nbody"],
] as const)("%s", (_, keyword, title, body, text) => {
  expect(textWithKeyword({ title, body }, keyword)).toBe(text);
});
