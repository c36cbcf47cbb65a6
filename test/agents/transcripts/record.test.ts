import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agents } from "../../../src/agents/registry.ts";
import { isWhole, recordsOf, textOf } from "../../../src/agents/transcripts/record.ts";
import { clean } from "../../../src/core/clean.ts";
import type { Facts } from "../../../src/core/facts.ts";
import { fixture } from "./fixture.ts";

const measured = ["droid", "claude", "codex", "qwen"].map((name) => fixture(`payloads/transcripts/${name}.jsonl`));
const lines = [...measured, fixture("gemini.jsonl"), fixture("droid-api-error.jsonl"), fixture("claude-turns.jsonl")]
  .flatMap((text) => text.split("\n"))
  .filter((line) => line !== "");
const formats = agents.flatMap((agent) => (agent.transcript ? [[agent.name, agent.transcript] as const] : []));

const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
const hostile = [
  ["nothing", ""],
  ["garbage", "\u0000\ufffd{]\n\n{\n}\n[1]\nnull\n"],
  ["nesting 200 000 deep", `{"type":"message","message":${deep}}\n{"type":"user","message":{"content":${deep}}}\n`],
  ["a line of 1 MB", `{"type":"message","message":{"role":"assistant","content":"${"x".repeat(1_000_000)}"}}\n`],
  ["prototype keys", '{"__proto__":{"type":"message","message":{"role":"assistant","content":"x"}}}\n'],
  ["wrong types everywhere", lines.join("\n").replace(/:"[^"]*"/g, ":[{}]")],
  ["numbers for everything", lines.join("\n").replace(/:"[^"]*"/g, ":-1e999")],
] as const;

describe.each(formats)("the transcript format of %s", (_, format) => {
  test.each(hostile)("stands %s", (_, text) => {
    expect(textsOf(format.read({ head: text, tail: text, companion: text }))).toEqual(expect.any(Array));
    expect(Object.hasOwn(Object.prototype, "type")).toBe(false);
  });

  test("has clean facts or none, whatever the lines are and wherever they are cut", () => {
    const anyLine = fc.oneof(
      fc.constantFrom(...lines),
      fc.constantFrom(...lines).chain((line) => fc.nat(line.length).map((end) => line.slice(0, end))),
      fc.json(),
      fc.string({ unit: "binary" }),
      fc
        .tuple(fc.constantFrom("user", "assistant"), fc.string({ unit: "binary" }))
        .map(([role, text]) => JSON.stringify({ type: "message", message: { role, content: text, timestamp: text } })),
    );
    const anyText = fc.array(anyLine, { maxLength: 12 }).map((some) => some.join("\n"));
    const check = (head: string, tail: string, companion: string): void => {
      const facts = format.read({ head, tail, companion });
      for (const text of textsOf(facts)) {
        expect(text).not.toBe("");
        expect(clean(text)).toBe(text);
      }
      for (const count of [facts.turnMs, facts.messageCount, ...Object.values(facts.tokens ?? {})]) {
        if (typeof count === "number") expect(count).toBeGreaterThanOrEqual(0);
      }
    };
    fc.assert(fc.property(anyText, anyText, anyText, check), { numRuns: 200 });
  });
});

describe("recordsOf", () => {
  test("skips lines that are not whole objects", () => {
    expect(recordsOf('{"a":1}\nnull\n[2]\n{"b":\n"c"\n {"d":3}\r\n')).toEqual([{ a: 1 }, { d: 3 }]);
  });

  test("returns every object that was written as a line", () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }));
    const check = (all: object[]): void => {
      const text = all.map((one) => JSON.stringify(one)).join("\n");
      expect(recordsOf(text)).toEqual(text === "" ? [] : text.split("\n").map((line) => JSON.parse(line)));
    };
    fc.assert(fc.property(objects, check), { numRuns: 300 });
  });
});

describe("isWhole", () => {
  test.each([
    ["a file shorter than both parts", "a\nb\n", "a\nb\n", true],
    ["a file shorter than the tail", "a\n", "a\nb\n", true],
    ["a tail that begins later", "a\n", "b\n", false],
    ["a first line longer than the head", "", "b\n", false],
  ])("recognizes %s", (_, head, tail, whole) => {
    expect(isWhole({ head, tail })).toBe(whole);
  });
});

describe("textOf", () => {
  test.each([
    ["a text", "a", "a"],
    [
      "blocks of text among others",
      [{ type: "text", text: "a" }, { type: "tool_use" }, { type: "text", text: "b" }],
      "a\nb",
    ],
    ["no text", [{ type: "tool_use" }], undefined],
    ["white space", " \n", undefined],
    ["nothing of the kind", 7, undefined],
  ])("reads %s", (_, content, text) => {
    expect(textOf(content)).toBe(text);
  });
});

function textsOf(facts: Facts): string[] {
  return Object.values(facts).filter((value) => typeof value === "string");
}
