import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { type Header, parsed } from "../world/parsed.ts";

/** The error for a payload, if any. */
function readError(payload: string | Buffer, header: Header = {}, end = 0): InputError | undefined {
  try {
    parsed(payload, header, end);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  }
}

describe("an unusable input is an error that does not quote it", () => {
  const canary = "canary-4711";

  test.each<[string, string | Buffer, Header, number, string]>([
    ["empty, from an event that needs a payload", "", { event: "PreCompact" }, 0, "input.empty"],
    ["white space likewise", " \r\n\t", { event: "PreCompact" }, 0, "input.empty"],
    ["a byte-order mark alone likewise", "\ufeff", { event: "PreCompact" }, 0, "input.empty"],
    ["nothing until the deadline", "", {}, 124, "input.timeout"],
    ["unreadable", "", {}, 1, "input.unreadable"],
    ["cut off at the deadline", `{"message":"${canary}`, {}, 124, "input.timeout"],
    ["cut off at the bound", `{"message":"${canary}`, { event: "SessionEnd" }, 153, "input.too_large"],
    ["a byte over the bound", `{"a":"${"x".repeat(1024 * 1024 - 7)}"}`, { event: "SessionEnd" }, 0, "input.too_large"],
    ["malformed", `{"message":${canary}}`, {}, 0, "input.invalid_json"],
    ["with comments", `{"a":1 /* ${canary} */}`, {}, 0, "input.invalid_json"],
    ["UTF-16", Buffer.from(`{"a":"${canary}"}`, "utf16le"), {}, 0, "input.invalid_json"],
    ["a number", "4711", {}, 0, "input.not_object"],
    ["nested 200,000 deep, and a list", "[".repeat(200_000) + "]".repeat(200_000), {}, 0, "input.not_object"],
  ])("%s", (_, payload, header, end, code) => {
    const error = readError(payload, header, end);
    expect(error?.code).toBe(code);
    expect(`${error?.message}${error?.stack}${error?.cause}${JSON.stringify(error)}`).not.toContain("4711");
  });

  test("the error names the position", () => {
    expect(() => parsed('{"a":1} x')).toThrow(/at character 8$/);
    expect(() => parsed('{"a":')).toThrow(/after 5 characters$|at character 5$/);
    expect(() => parsed("[]")).toThrow(/not a JSON object but an array$/);
    expect(() => parsed("5")).toThrow(/not a JSON object but a number$/);
    expect(() => parsed("null")).toThrow(/not a JSON object but null$/);
  });
});

test.each(["Notification", "Stop", "SubagentStop", "SessionEnd"])("an empty input of %s is an event", (event) => {
  const { extra, ...rest } = parsed("", { event, agent: "droid", cwd: "/home/me/shop" });
  expect(rest).toMatchObject({ event, nativeEvent: event, agent: "droid", project: "shop", cwd: "/home/me/shop" });
  expect(extra).toEqual({});
});

test.each<[string, string | Buffer, string]>([
  ["invalid UTF-8", Buffer.from('{"message":"a\xffb"}', "latin1"), "a\ufffdb"],
  ["a byte-order mark", '\ufeff{"message":"hi"}', "hi"],
  ["NUL and escapes", '{"message":"a\\u0000b\\u001b[31mc"}', "abc"],
  ["halves of a surrogate pair", '{"message":"a\\ud83d b"}', "a\ufffd b"],
  ["Windows line ends", '{"message":"a\\r\\nb"}', "a\nb"],
  ["a raw line break in a text", '{"message":"a\nb"}', "a\nb"],
  ["a raw tab, and a raw line break between fields", '{"x":"\t",\n"message":"a \\"b\\" c"}', 'a "b" c'],
])("%s is read", (_, payload, message) => {
  expect(parsed(payload).message).toBe(message);
});

test("a payload one byte below the limit is accepted", () => {
  const payload = `{"message":"${"x".repeat(1024 * 1024 - 14)}"}`;
  expect(Buffer.byteLength(payload)).toBe(1024 * 1024);
  expect(parsed(payload).message?.length).toBeLessThanOrEqual(256 * 1024);
});

test("nesting 200,000 deep next to a message keeps the message", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  expect(parsed(`{"message":"hi","deep":${deep},"tool_input":${deep}}`).message).toBe("hi");
});

test("any input is an event or an input error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(0, 1, 124, 153), (bytes, end) => {
      const codes = "invalid_json not_object timeout too_large unreadable".split(" ").map((code) => `input.${code}`);
      expect([undefined, ...codes]).toContain(readError(Buffer.from(bytes), {}, end)?.code);
    }),
    { numRuns: 200 },
  );
});
