import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Pauses } from "../../src/pipeline/pauses.ts";

let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "beckon-pauses-"));
  file = join(root, "state", "pauses.json");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a receiver that asked for nothing is not paused", () => {
  expect(new Pauses(file).untilMs("team")).toBe(0);
});

test("a pause holds for its receiver alone, and over a new worker", () => {
  new Pauses(file).pause("team", 5_000);
  const pauses = new Pauses(file);
  expect(pauses.untilMs("team")).toBe(5_000);
  expect(pauses.untilMs("desk")).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a pause is never shortened", () => {
  const pauses = new Pauses(file);
  pauses.pause("team", 5_000);
  pauses.pause("team", 4_000);
  expect(new Pauses(file).untilMs("team")).toBe(5_000);
  pauses.pause("team", 6_000);
  expect(new Pauses(file).untilMs("team")).toBe(6_000);
});

test.each(["__proto__", "constructor", "toString"])("a receiver may be called %s", (name) => {
  const pauses = new Pauses(file);
  expect(pauses.untilMs(name)).toBe(0);
  pauses.pause(name, 5_000);
  expect(new Pauses(file).untilMs(name)).toBe(5_000);
});

test.each(["", "null", "5", "[1,2]", '{"team":"x","desk":null}', '{"team":1', "\0"])(
  "a file that says %j is no pause",
  (text) => {
    new Pauses(file).pause("other", 1);
    writeFileSync(file, text);
    const pauses = new Pauses(file);
    for (const name of ["team", "desk", "other"]) expect(pauses.untilMs(name)).toBe(0);
  },
);
