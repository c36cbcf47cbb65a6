import { describe, expect, test } from "vitest";
import {
  BeckonError,
  ConfigError,
  DeliveryError,
  InputError,
  readErrno,
  SettingsError,
} from "../../src/core/errors.ts";

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

  test("has only the given details", () => {
    const shown: unknown = JSON.parse(JSON.stringify(new DeliveryError("timeout", "late")));
    expect(shown).toEqual({ name: "DeliveryError", code: "timeout", reason: "timeout" });
    const cause = new Error("inner");
    const full = new DeliveryError("rate-limited", "slower", { hint: "wait", status: 429, retryAfterMs: 5, cause });
    expect(full).toMatchObject({ hint: "wait", status: 429, retryAfterMs: 5, cause });
    expect(new InputError("input.empty", "x")).not.toHaveProperty("cause");
  });
});

test("a system error has an error code, any other has none", () => {
  expect(readErrno(Object.assign(new Error("x"), { code: "ENOENT" }))).toBe("ENOENT");
  const others = [new Error("x"), { code: 5 }, null, undefined, "ENOENT"];
  expect(others.map(readErrno)).toEqual(others.map(() => undefined));
});
