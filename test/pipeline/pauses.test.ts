import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { Pauses } from "../../src/pipeline/slots.ts";
import { freshFolder } from "../world/fresh-folder.ts";

const makeConfigured = (name: string, settings: Readonly<Record<string, unknown>> = { url: "https://a.example" }) => ({
  name,
  settings,
});

let file: string;
beforeEach(() => {
  file = join(freshFolder(), "state", "pauses.json");
});

test("a pause is initially unset, applies to one notifier and outlasts the worker", () => {
  expect(new Pauses(file).untilMs(makeConfigured("team"))).toBe(0);
  new Pauses(file).pause(makeConfigured("team"), 5_000, 0);
  const pauses = new Pauses(file);
  expect(pauses.untilMs(makeConfigured("team"))).toBe(5_000);
  expect(pauses.untilMs(makeConfigured("desk"))).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a pause is never shortened", () => {
  const pauses = new Pauses(file);
  pauses.pause(makeConfigured("team"), 5_000, 0);
  pauses.pause(makeConfigured("team"), 4_000, 0);
  expect(new Pauses(file).untilMs(makeConfigured("team"))).toBe(5_000);
  pauses.pause(makeConfigured("team"), 6_000, 0);
  expect(new Pauses(file).untilMs(makeConfigured("team"))).toBe(6_000);
});

test("a notifier with changed settings is not paused", () => {
  const pauses = new Pauses(file);
  pauses.pause(makeConfigured("team"), 5_000, 0);
  expect(pauses.untilMs(makeConfigured("team", { url: "https://b.example" }))).toBe(0);
  expect(readFileSync(file, "utf8")).not.toContain("example");
});

test("a pause that has ended, or was set while the clock was wrong, is forgotten", () => {
  const years = 4 * 365 * 86_400_000;
  const pauses = new Pauses(file);
  pauses.pause(makeConfigured("team"), years, years - 5_000);
  pauses.pause(makeConfigured("desk"), 5_000, 0);
  pauses.pause(makeConfigured("team"), 6_000, 0);
  expect(new Pauses(file).untilMs(makeConfigured("team"))).toBe(6_000);
  pauses.pause(makeConfigured("team"), 9_000, 7_000);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")))).toHaveLength(1);
});

test.each(["__proto__", "constructor", "toString"])("a notifier may be called %s", (name) => {
  const pauses = new Pauses(file);
  expect(pauses.untilMs(makeConfigured(name))).toBe(0);
  pauses.pause(makeConfigured(name), 5_000, 0);
  expect(new Pauses(file).untilMs(makeConfigured(name))).toBe(5_000);
});

test.each(["", "null", "5", "[1,2]", '{"team":"x","desk":null}', '{"team":1', "\0"])(
  "a file that contains %j pauses nothing",
  (text) => {
    new Pauses(file).pause(makeConfigured("other"), 1, 0);
    writeFileSync(file, text);
    const pauses = new Pauses(file);
    for (const name of ["team", "desk", "other"]) expect(pauses.untilMs(makeConfigured(name))).toBe(0);
  },
);
