import { describe, expect, test } from "vitest";
import { DeliveryError, InputError, readErrno } from "../../src/core/errors.ts";

describe("a beckon error", () => {
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
