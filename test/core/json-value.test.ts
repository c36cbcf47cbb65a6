import { expect, test } from "vitest";
import { extractErrorText } from "../../src/core/json-value.ts";

test.each([
  ["400 too long", "400 too long"],
  ['400 {"error":{"message":"too long"}}', "400 too long"],
  ['{"error":"too long"}', "too long"],
  ['[API Error: {"error":{"message":"{\\"error\\":{\\"message\\":\\"too long\\"}}"}}]', "API Error: too long"],
  ['400 {"code":5}', '400 {"code":5}'],
  ['400 {"error":{"mess', '400 {"error":{"mess'],
  ["a {b} c", "a {b} c"],
  ["[in brackets]", "[in brackets]"],
  ["", ""],
])("%j says %j", (text, words) => {
  expect(extractErrorText(text)).toBe(words);
});
