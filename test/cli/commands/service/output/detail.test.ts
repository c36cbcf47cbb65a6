import picocolors from "picocolors";
import { expect, test } from "vitest";
import { showDetail } from "../../../../../src/cli/commands/service/output/detail.ts";

function detailOf(value: object): string[] {
  const lines: string[] = [];
  showDetail(value, { print: (line) => void lines.push(line), colors: picocolors.createColors(false) });
  return lines;
}

test("one object has a line for each field, those of inner objects by their path", () => {
  const createdAt = new Date(2026, 5, 1, 12, 34, 56).getTime();
  const settings = { model: "m", tokenUsage: { inputTokens: 1234567 }, enabledToolIds: ["Read", "Edit"], absent: null };
  expect(detailOf({ sessionId: "s", createdAt, isError: false, title: undefined, settings })).toEqual([
    "sessionId                        s",
    "createdAt                        2026-06-01 12:34:56",
    "isError                          false",
    "settings.model                   m",
    "settings.tokenUsage.inputTokens  1,234,567",
    "settings.enabledToolIds          Read, Edit",
  ]);
});

test("of a list of objects each has a line, the name stands once", () => {
  const steps = [
    { name: "clone", status: "done" },
    { name: "install", error: "exit\ncode" },
  ];
  expect(detailOf({ steps, id: "c" })).toEqual([
    "steps  name clone, status done",
    "       name install, error exit code",
    "id     c",
  ]);
});

test("a message's text has the lines it has, and no terminal sequence", () => {
  const content = [
    { text: "first\n  second\u001b[2J", id: "1" },
    { text: "third", id: "2" },
  ];
  expect(detailOf({ id: "m\u001b[31m", content })).toEqual([
    "id       m",
    "content  first",
    "           second",
    "         third",
  ]);
});

test("what is absent or empty has no line", () =>
  expect(detailOf({ a: null, b: {}, c: [], d: "d" })).toEqual(["d  d"]));
