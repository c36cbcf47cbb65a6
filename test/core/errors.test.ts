import { describe, expect, test } from "vitest";
import { BeckonError, ConfigError, DeliveryError, errnoOf, InputError, SettingsError } from "../../src/core/errors.ts";

describe("a beckon error", () => {
  test.each([
    ["InputError", new InputError("input.empty", "nothing came in"), { code: "input.empty" }],
    ["ConfigError", new ConfigError("notifiers.team.url", "wrong"), { code: "config", path: "notifiers.team.url" }],
    ["DeliveryError", new DeliveryError("auth", "no"), { code: "auth", reason: "auth" }],
    ["SettingsError", new SettingsError("settings.broken", "/a", "no"), { code: "settings.broken", file: "/a" }],
  ])("%s has its name and its fields, and is an Error", (name, error, fields) => {
    expect(error).toBeInstanceOf(BeckonError);
    expect(error.name).toBe(name);
    expect(error).toMatchObject(fields);
  });

  test("has only the details that were given", () => {
    const shown: unknown = JSON.parse(JSON.stringify(new DeliveryError("timeout", "late")));
    expect(shown).toEqual({ name: "DeliveryError", code: "timeout", reason: "timeout" });
    const cause = new Error("inner");
    const full = new DeliveryError("rate-limited", "slower", { hint: "wait", status: 429, retryAfterMs: 5, cause });
    expect(full).toMatchObject({ hint: "wait", status: 429, retryAfterMs: 5, cause });
    expect(new InputError("input.empty", "x")).not.toHaveProperty("cause");
  });
});

test.each([
  ["a system error", Object.assign(new Error("x"), { code: "ENOENT" }), "ENOENT"],
  ["an error without a code", new Error("x"), undefined],
  ["a code that is no text", { code: 5 }, undefined],
  ["null", null, undefined],
  ["undefined", undefined, undefined],
  ["a text", "ENOENT", undefined],
])("the error code of %s", (_, error, word) => {
  expect(errnoOf(error)).toBe(word);
});
