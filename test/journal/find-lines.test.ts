import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { findLines } from "../../src/journal/read-journal.ts";
import { freshFolder } from "../world/fresh-folder.ts";

let folder: string;
beforeEach(() => {
  folder = freshFolder();
});

function write(line: Partial<JournalLine>, month = "2026-11"): void {
  const whole = { at: `${month}-22T10:00:00.000Z`, id: "e", status: "accepted", ...line };
  appendFileSync(join(folder, `${month}.jsonl`), `${JSON.stringify(whole)}\n`);
}
const found = (...words: string[]) => [...findLines(folder, words)].flat().map(({ id }) => id);

test("lines with all words are found in all months, the newest first", () => {
  write({ id: "old", summary: "git push origin" }, "2025-12");
  write({ id: "other", summary: "git status" });
  write({ id: "new", summary: "Git Push", project: "shop" });
  expect(found("push", "git")).toEqual(["new", "old"]);
  expect(found("shop")).toEqual(["new"]);
  expect(found()).toEqual(["new", "other", "old"]);
});

test("words are found in any case, also beyond ASCII, and with JSON escapes", () => {
  write({ id: "one", summary: 'GRÖSSERE Körbe: "C:\\temp" \u{1F600}' });
  expect([found("größere"), found("KÖRBE"), found("grössere")]).toEqual([[], ["one"], ["one"]]);
  expect([found('"c:\\TEMP"'), found("\u{1F600}"), found("a.b"), found("(")]).toEqual([["one"], ["one"], [], []]);
});

test("the names of fields are not texts", () => {
  write({ id: "one", summary: "what a summary" });
  write({ id: "two", project: "title" });
  expect([found("title"), found("summary"), found("stat"), found('id":')]).toEqual([["two"], ["one"], [], []]);
});

test("torn lines and foreign files are skipped", () => {
  appendFileSync(join(folder, "2026-11.jsonl"), '{"at":"2026-11-01T00:00:00Z","id":"push\n');
  write({ id: "one", summary: "push" });
  appendFileSync(join(folder, "notes.txt"), "push\n");
  expect(found("push")).toEqual(["one"]);
});

test("a text across read chunks is found", () => {
  const lengths = Array.from({ length: 300 }, (_, n) => (n % 10 === 0 ? 150_000 : 1_000));
  for (const [n, length] of lengths.entries()) write({ id: `e${n}`, summary: `${"x".repeat(length)} needle` });
  expect(found("needle")).toHaveLength(300);
});

test("every word of any text finds its line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), (summary) => {
      rmSync(join(folder, "2026-11.jsonl"), { force: true });
      write({ id: "one", summary: `before ${summary} after` });
      expect(found(JSON.parse(JSON.stringify(summary)) as string)).toEqual(["one"]);
    }),
    { seed: 3, numRuns: 300 },
  );
});
