import { expect, test } from "vitest";
import { begunWays, wayFindings, waysText } from "../../src/config/ways.ts";

const ways = [["url"], ["server", "token", "channel"]];
const at = ["notifiers", "team"];

test("ways read as a person would say them", () => {
  expect(waysText(ways)).toBe("`url`, or `server`, `token` and `channel`");
});

test.each([
  [{}, []],
  [{ url: undefined, icon: "x" }, []],
  [{ channel: "c" }, [["server", "token", "channel"]]],
  [{ url: "u", token: "t" }, ways],
])("%j has begun %j", (settings, begun) => {
  expect(begunWays(ways, settings)).toEqual(begun);
});

test.each<[string, object, string[], string]>([
  ["no way", {}, ["url"], "notifiers.team.url is missing, or instead `server`, `token` and `channel`"],
  ["a part of one", { server: "s", channel: "c" }, ["token"], "notifiers.team.token is missing"],
])("an entry with %s is an error", (_, settings, keys, message) => {
  const findings = wayFindings(ways, { ...settings }, at);
  expect(findings).toMatchObject(keys.map((key) => ({ level: "error", path: [...at, key], message })));
});

test("an entry with one way, whole, is none", () => {
  expect(wayFindings(ways, { url: "u", icon: "x" }, at)).toEqual([]);
  expect(wayFindings(ways, { server: "s", token: "t", channel: "c" }, at)).toEqual([]);
});

test("an entry with settings of two ways is an error that says what to keep", () => {
  const message = "has settings of two ways to send, and only one can be used";
  const hint = "Keep `url`, or `server`, `token` and `channel`.";
  expect(wayFindings(ways, { url: "u", server: "s" }, at)).toEqual([{ level: "error", path: at, message, hint }]);
});
