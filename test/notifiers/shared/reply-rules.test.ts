import { describe, expect, test } from "vitest";
import type { Rejection } from "../../../src/core/http-port.ts";
import { classifyByCode, codeOf } from "../../../src/notifiers/shared/reply-rules.ts";

const busy: Rejection = { reason: "rate-limited", message: "too fast" };
const classifyReply = classifyByCode({
  service: "Acme",
  field: "errcode",
  meanings: [[[7], busy]],
  hint: "Look it up.",
});

describe("a reply with a code of the service's own", () => {
  test.each<[string, number, string, Partial<Rejection> | undefined]>([
    ["success", 200, '{"errcode":0}', undefined],
    ["a known code", 200, '{"errcode":7}', { reason: "rate-limited", message: "answered with code 7 (too fast)" }],
    ["a known code with an error's status", 400, '{"errcode":7}', { reason: "rate-limited" }],
    ["an unknown code", 200, '{"errcode":8,"errmsg":"words"}', { reason: "rejected", message: "answered with code 8" }],
    ["an unknown code with an error's status", 500, '{"errcode":8}', undefined],
    ["a success without a code", 200, "{}", { reason: "unavailable" }],
    ["a code that is no number", 200, '{"errcode":"0"}', { reason: "unavailable" }],
    ["a page", 200, "<html>", { reason: "unavailable" }],
    ["a page with an error's status", 502, "<html>", undefined],
    ["success with an error's status", 500, '{"errcode":0}', undefined],
  ])("%s", (_, status, body, expected) => {
    const rejection = classifyReply({ status, headers: {}, body });
    if (expected) expect(rejection).toMatchObject(expected);
    else expect(rejection).toBeUndefined();
  });
});

test.each([
  [19021, "19021"],
  ["M_FORBIDDEN", "M_FORBIDDEN"],
  ["error-too-many-requests", "error-too-many-requests"],
  ["May I run the tests?", "none"],
  [Number.NaN, "none"],
  [undefined, "none"],
])("the code %j is shown as %s", (value, shown) => {
  expect(codeOf(value)).toBe(shown);
});
