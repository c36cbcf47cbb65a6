import { expect, test } from "vitest";
import { startedVariants, variantFindings, variantsText } from "../../src/config/check.ts";

const ways = [["url"], ["server", "token", "channel"]];
const at = ["notifiers", "team"];

test("variants read naturally", () => {
  expect(variantsText(ways)).toBe("`url`, or `server`, `token` and `channel`");
});

test.each([
  [{}, []],
  [{ url: undefined, icon: "x" }, []],
  [{ channel: "c" }, [["server", "token", "channel"]]],
  [{ url: "u", token: "t" }, ways],
])("%j belongs to %j", (settings, begun) => {
  expect(startedVariants(ways, settings)).toEqual(begun);
});

test.each<[string, object, string[], string]>([
  ["no variant", {}, ["url"], "notifiers.team.url is missing, or instead `server`, `token` and `channel`"],
  ["part of one", { server: "s", channel: "c" }, ["token"], "notifiers.team.token is missing"],
])("an entry with %s is an error", (_, settings, keys, message) => {
  const findings = variantFindings(ways, { ...settings }, at);
  expect(findings).toMatchObject(keys.map((key) => ({ level: "error", path: [...at, key], message })));
});

test("an entry with one complete variant has no error", () => {
  expect(variantFindings(ways, { url: "u", icon: "x" }, at)).toEqual([]);
  expect(variantFindings(ways, { server: "s", token: "t", channel: "c" }, at)).toEqual([]);
});

test("an entry with settings of two ways is an error that says what to keep", () => {
  const message = "has settings for two ways of sending, but only one can be used";
  const hint = "Keep `url`, or `server`, `token` and `channel`.";
  expect(variantFindings(ways, { url: "u", server: "s" }, at)).toEqual([{ level: "error", path: at, message, hint }]);
});
