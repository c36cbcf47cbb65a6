import picocolors from "picocolors";
import { expect, test } from "vitest";
import { printDetail } from "../../../../../src/cli/commands/service/output/detail.ts";

function detailOf(value: object): string[] {
  const lines: string[] = [];
  printDetail(value, { print: (line) => void lines.push(line), colors: picocolors.createColors(false) });
  return lines;
}

test("an object has a line for each field, and nested fields are shown by their path", () => {
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

test("each object of a list has a line, and the name is shown once", () => {
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

test("a message's text keeps its lines, but no terminal sequences", () => {
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

test("absent and empty fields have no line", () =>
  expect(detailOf({ a: null, b: {}, c: [], d: "d" })).toEqual(["d  d"]));
