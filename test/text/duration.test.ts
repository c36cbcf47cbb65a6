import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { duration } from "../../src/text/duration.ts";

const upToAWeek = duration({ min: "0s", max: "7d" });

const findProblem = (value: unknown, schema: z.ZodType = upToAWeek): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message;

test.each([
  ["250ms", 250],
  ["0s", 0],
  ["30s", 30_000],
  ["5m", 300_000],
  ["90m", 5_400_000],
  ["1h", 3_600_000],
  ["3d", 259_200_000],
])("%s is %i milliseconds, and is formatted the same", (text, ms) => {
  expect(upToAWeek.parse(text)).toBe(ms);
  expect(z.encode(upToAWeek, ms)).toBe(text);
});

test.each([
  ["a number", 30],
  ["no unit", "30"],
  ["no number", "s"],
  ["nothing", ""],
  ["an unknown unit", "2w"],
  ["a capital unit", "5M"],
  ["a word", "5 minutes"],
  ["a fraction", "1.5h"],
  ["two units", "1h30m"],
  ["a sign", "-5s"],
  ["a space", "5 s"],
  ["a line end", "5s\n"],
  ["an exponent", "1e3s"],
  ["more digits than any duration has", `${"9".repeat(400)}s`],
  ["null", null],
])("%s is not a duration", (_, value) => {
  expect(findProblem(value)).toBe('must be a duration such as "30s" or "5m"');
});

test("the limits themselves are accepted", () => {
  const bounded = duration({ min: "100ms", max: "1m" });
  expect(["100ms", "60s", "1m"].map((text) => findProblem(text, bounded))).toEqual([undefined, undefined, undefined]);
  expect(["99ms", "0s", "61s", "1d"].map((text) => findProblem(text, bounded))).toEqual(
    Array(4).fill('must be a duration from "100ms" to "1m"'),
  );
});

test("every formatted duration parses to the same value", () => {
  fc.assert(fc.property(fc.nat(7 * 86_400_000), (ms) => upToAWeek.parse(z.encode(upToAWeek, ms)) === ms));
});

test("an editor's schema has the default in text form, and a pattern", () => {
  const schema = upToAWeek.prefault("5s").describe("How long.");
  const { pattern, ...rest } = z.toJSONSchema(schema, { io: "input" }) as { pattern: string };
  expect(rest).toMatchObject({ type: "string", default: "5s", description: "How long." });
  expect(["5s", "250ms"].every((text) => new RegExp(pattern).test(text))).toBe(true);
  expect(new RegExp(pattern).test("5")).toBe(false);
});
