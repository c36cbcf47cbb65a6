import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openJournal } from "../../src/journal/journal.ts";
import { newestEvents, readJournal } from "../../src/journal/read-journal.ts";
import { freshFolder } from "../world/fresh-folder.ts";

describe("read backwards", () => {
  // The journal's lines, read through the public functions.
  const november = Date.parse("2026-11-20T12:00:00.500Z");
  let folder: string;
  beforeEach(() => {
    folder = join(freshFolder(), "journal");
  });

  const line = (id: string): string => JSON.stringify({ at: "2026-11-20T12:00:00.500Z", id, status: "sent" });

  test("the newest 32 MiB of a large journal are read", () => {
    mkdirSync(folder);
    const at = "2026-11-20T12:00:00.500Z";
    const long = (id: number) => JSON.stringify({ at, id: `e${id}`, status: "sent", reason: "x".repeat(500_000) });
    writeFileSync(join(folder, "2026-11.jsonl"), Array.from({ length: 100 }, (_, id) => `${long(id)}\n`).join(""));
    const ids = readJournal(folder, 2).map(({ id }) => id);
    expect(ids.at(-1)).toBe("e99");
    expect(ids.length).toBeGreaterThan(60);
    expect(ids.length).toBeLessThan(75);
  });

  test("a journal too large for a string takes little memory", () => {
    mkdirSync(folder);
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
    mkdirSync(folder);
    const ids = Array.from({ length: 40_000 }, (_, number) => `e${number}`);
    writeFileSync(join(folder, "2026-11.jsonl"), ids.map((id) => `${line(id)}\n`).join(""));
    expect(readJournal(folder, 1).map(({ id }) => id)).toEqual(ids);
    expect(newestEvents(folder, { limit: 39_990, isWanted: () => true }).map(({ id }) => id)).toEqual(ids.slice(10));
  });

  test("the first and newest 500 lines of an event are read", () => {
    mkdirSync(folder);
    const many = Array.from({ length: 20_000 }, () => line("many"));
    const text = [line("old"), line("many").replace("sent", "accepted"), ...many, line("new")].join("\n");
    writeFileSync(join(folder, "2026-11.jsonl"), `${text}\n`);
    const found = newestEvents(folder, { limit: 3, isWanted: () => true });
    expect([...new Set(found.map(({ id }) => id))]).toEqual(["old", "many", "new"]);
    expect(found.filter(({ status }) => status === "accepted").length).toBe(1);
    expect(found.length).toBe(503);
  });

  test("a pipe named like a month is neither written to nor read", () => {
    mkdirSync(folder);
    execFileSync("mkfifo", [join(folder, "2026-11.jsonl")]);
    const journal = openJournal(folder, () => november);
    journal.write({ id: "a", status: "sent" });
    expect(readJournal(folder, 1)).toEqual([]);
    expect(() => journal.prune()).not.toThrow();
  });

  test("a file where the folder should be gives no lines", () => {
    writeFileSync(folder, "");
    expect(readJournal(folder, 2)).toEqual([]);
    expect(() => openJournal(folder, () => november).prune()).not.toThrow();
  });
});
