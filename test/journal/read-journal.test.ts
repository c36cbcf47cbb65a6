import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { openJournal } from "../../src/journal/journal.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { findLines, newestEvents, readBetween, readJournal } from "../../src/journal/read-journal.ts";
import { freshFolder } from "../world/fresh-folder.ts";

let folder: string;
beforeEach(() => {
  folder = freshFolder();
});

describe("find lines", () => {
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

  test("every word of any text finds its line", () => {
    const property = fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), (summary) => {
      rmSync(join(folder, "2026-11.jsonl"), { force: true });
      write({ id: "one", summary: `before ${summary} after` });
      expect(found(JSON.parse(JSON.stringify(summary)) as string)).toEqual(["one"]);
    });
    fc.assert(property, { seed: 3, numRuns: 300 });
  });
});

describe("read between", () => {
  const startMs = Date.parse("2026-10-30T00:00:00Z");
  const hourMs = 3_600_000;
  const line = (atMs: number, id: string, summary = "") =>
    `${JSON.stringify({ at: new Date(atMs).toISOString(), id, status: "accepted", summary })}\n`;
  const write = (atMs: number, text: string) =>
    appendFileSync(join(folder, `${new Date(atMs).toISOString().slice(0, 7)}.jsonl`), text);
  const idsBetween = (fromMs: number, toMs: number) => readBetween(folder, fromMs, toMs).map(({ id }) => id);

  test("the lines of a period are found, also across the end of a month", () => {
    for (let hour = 0; hour < 96; hour += 1) write(startMs + hour * hourMs, line(startMs + hour * hourMs, `e${hour}`));
    expect(idsBetween(startMs + 46 * hourMs, startMs + 50 * hourMs)).toEqual(["e46", "e47", "e48", "e49"]);
    expect(idsBetween(startMs - 5 * hourMs, startMs + hourMs)).toEqual(["e0"]);
    expect(idsBetween(startMs + 95 * hourMs, startMs + 900 * hourMs)).toEqual(["e95"]);
    expect(idsBetween(startMs + 200 * hourMs, startMs + 900 * hourMs)).toEqual([]);
  });

  test("lines out of order after the clock was set back are found", () => {
    for (const minute of [0, 60, 120, 90, 95, 130, 180, 240]) {
      const atMs = startMs + minute * 60_000;
      write(atMs, line(atMs, `m${minute}`));
    }
    const minutes = (from: number, to: number) => idsBetween(startMs + from * 60_000, startMs + to * 60_000);
    expect(minutes(90, 130)).toEqual(["m120", "m90", "m95"]);
    for (const minute of [0, 60, 90, 95, 120, 130, 180, 240])
      expect(minutes(minute, minute + 1)).toEqual([`m${minute}`]);
  });

  test("torn, foreign and missing files are skipped", () => {
    expect(idsBetween(startMs, startMs + hourMs)).toEqual([]);
    write(startMs, `{"at":"2026-10-30T00:\nnonsense\n\n${line(startMs + 1, "one")}${"x".repeat(50_000)}\n`);
    write(startMs, `${line(startMs + 2, "two")}{"at":"2026-10-30T00:00:0`);
    expect(idsBetween(startMs, startMs + hourMs)).toEqual(["one", "two"]);
    writeFileSync(join(folder, "2026-09.jsonl"), "");
    expect(idsBetween(startMs - 40 * 24 * hourMs, startMs + 2)).toEqual(["one"]);
  });

  test("only the wanted lines are parsed", () => {
    write(startMs, line(startMs, "one", "wanted") + line(startMs + 1, "two"));
    const found = readBetween(folder, startMs, startMs + hourMs, (text) => text.includes("wanted"));
    expect(found.map(({ id }) => id)).toEqual(["one"]);
  });

  test("any span of any journal has the same lines as a full reading", () => {
    const gap = fc.record({ gapMs: fc.integer({ min: 0, max: 9 * hourMs }), chars: fc.nat(30_000) });
    const gaps = fc.array(gap, { maxLength: 40 });
    const span = fc.tuple(fc.nat(200), fc.nat(60));
    const property = fc.property(gaps, span, (lines, [from, hours]) => {
      folder = freshFolder();
      let atMs = startMs;
      const all = lines.map(({ gapMs, chars }, index) => {
        atMs += gapMs;
        write(atMs, line(atMs, `e${index}`, "ü".repeat(chars)));
        return { id: `e${index}`, atMs };
      });
      const [fromMs, toMs] = [startMs + from * hourMs, startMs + (from + hours) * hourMs];
      const expected = all.filter((line) => line.atMs >= fromMs && line.atMs < toMs).map(({ id }) => id);
      expect(idsBetween(fromMs, toMs)).toEqual(expected);
    });
    fc.assert(property, { numRuns: 60, seed: 11 });
  });
});

describe("read backwards", () => {
  const november = Date.parse("2026-11-20T12:00:00.500Z");
  const line = (id: string): string => JSON.stringify({ at: "2026-11-20T12:00:00.500Z", id, status: "sent" });

  test("the newest 32 MiB of a large journal are read", () => {
    const at = "2026-11-20T12:00:00.500Z";
    const long = (id: number) => JSON.stringify({ at, id: `e${id}`, status: "sent", reason: "x".repeat(500_000) });
    writeFileSync(join(folder, "2026-11.jsonl"), Array.from({ length: 100 }, (_, id) => `${long(id)}\n`).join(""));
    const ids = readJournal(folder, 2).map(({ id }) => id);
    expect(ids.at(-1)).toBe("e99");
    expect(ids.length).toBeGreaterThan(60);
    expect(ids.length).toBeLessThan(75);
  });

  test("a journal too large for a string takes little memory", () => {
    const file = join(folder, "2026-11.jsonl");
    writeFileSync(file, `${line("old")}\n`);
    truncateSync(file, 700 * 2 ** 20); // a hole: one line of 700 MB
    appendFileSync(file, `\n${line("a")}\n${line("b")}\n`);
    const before = process.memoryUsage().rss;
    expect(readJournal(folder, 2).map(({ id }) => id)).toEqual(["old", "a", "b"]);
    expect(newestEvents(folder, { limit: 1, isWanted: () => true }).map(({ id }) => id)).toEqual(["b"]);
    expect(newestEvents(folder, { limit: 9, isWanted: () => true }).map(({ id }) => id)).toEqual(["old", "a", "b"]);
    expect(openJournal(folder, () => november).readLines("b")).toHaveLength(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });

  test("lines are put together from any read chunks", () => {
    const ids = Array.from({ length: 40_000 }, (_, number) => `e${number}`);
    writeFileSync(join(folder, "2026-11.jsonl"), ids.map((id) => `${line(id)}\n`).join(""));
    expect(readJournal(folder, 1).map(({ id }) => id)).toEqual(ids);
    expect(newestEvents(folder, { limit: 39_990, isWanted: () => true }).map(({ id }) => id)).toEqual(ids.slice(10));
  });

  test("the first and newest 500 lines of an event are read", () => {
    const many = Array.from({ length: 20_000 }, () => line("many"));
    const text = [line("old"), line("many").replace("sent", "accepted"), ...many, line("new")].join("\n");
    writeFileSync(join(folder, "2026-11.jsonl"), `${text}\n`);
    const found = newestEvents(folder, { limit: 3, isWanted: () => true });
    expect([...new Set(found.map(({ id }) => id))]).toEqual(["old", "many", "new"]);
    expect(found.filter(({ status }) => status === "accepted").length).toBe(1);
    expect(found.length).toBe(503);
  });

  test("a pipe named like a month is neither written to nor read", () => {
    execFileSync("mkfifo", [join(folder, "2026-11.jsonl")]);
    const journal = openJournal(folder, () => november);
    journal.write({ id: "a", status: "sent" });
    expect(readJournal(folder, 1)).toEqual([]);
    expect(() => journal.prune()).not.toThrow();
  });

  test("a file where the folder should be gives no lines", () => {
    const file = join(folder, "journal");
    writeFileSync(file, "");
    expect(readJournal(file, 2)).toEqual([]);
    expect(() => openJournal(file, () => november).prune()).not.toThrow();
  });
});
