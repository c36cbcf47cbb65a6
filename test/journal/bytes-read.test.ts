import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { readWeek } from "../../src/cli/commands/doctor/events.ts";
import { listNotRetried } from "../../src/cli/commands/retry.ts";
import type { openQuietly } from "../../src/files/read-file.ts";
import { fieldPattern, findNewest, newestEvents } from "../../src/journal/read-journal.ts";
import { JournalTail } from "../../src/journal/tail.ts";
import { dayMs } from "../../src/text/time.ts";
import { createCliHome } from "../world/cli-home.ts";

// Bytes read and lines parsed of a large journal.

let readBytes = 0;
vi.mock("../../src/files/read-file.ts", async (importOriginal) => {
  const original = await importOriginal<{ openQuietly: typeof openQuietly }>();
  const counting: typeof openQuietly = (path) => {
    const open = original.openQuietly(path);
    const read = (offset: number, length: number): Buffer => {
      const bytes = open?.read(offset, length) ?? Buffer.alloc(0);
      readBytes += bytes.length;
      return bytes;
    };
    return open && { ...open, read };
  };
  return { ...original, openQuietly: counting };
});

const home = createCliHome();
const { journal } = home.paths;
const nowMs = Date.parse("2026-11-30T12:00:00.000Z");
const linesPerDay = 4_000;
const days = 28;

/** Writes four weeks of sent messages to `desk`, about 23 MB, and one lost event on the first day. */
beforeAll(() => {
  const first = nowMs - days * dayMs;
  const lines = Array.from({ length: days * linesPerDay }, (_, index) => {
    const at = new Date(first + (index * dayMs) / linesPerDay).toISOString();
    const common = { event: "Stop", agent: "claude", project: "shop" };
    const identity = { id: `e${Math.floor(index / 2)}`, sessionId: `s${index % 50}`, ...common };
    const isLost = index === 11;
    const status = isLost ? "failed" : index % 2 === 0 ? "accepted" : "sent";
    return JSON.stringify({ at, ...identity, notifier: isLost ? "phone" : "desk", status, summary: "x".repeat(20) });
  });
  home.write(`${journal}/2026-11.jsonl`, `${lines.join("\n")}\n`);
  return () => home.remove();
});

const allBytes = days * linesPerDay * 190;
let parse: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  readBytes = 0;
  parse = vi.spyOn(JSON, "parse");
});

const mebibyte = 1024 * 1024;
const isAnything = () => true;

test("a few newest events need the last piece alone", () => {
  expect(newestEvents(journal, { limit: 50, isWanted: isAnything })).toHaveLength(100);
  expect(readBytes).toBeLessThan(mebibyte / 2);
});

test("events since a time are not looked for before that time", () => {
  const query = { limit: 50, isWanted: () => false };
  expect(newestEvents(journal, { ...query, sinceMs: nowMs - dayMs })).toEqual([]);
  expect(readBytes).toBeLessThan(allBytes / 20);
  expect(readBytes).toBeGreaterThan(allBytes / days);
});

test("lines that cannot match are not parsed, and a rare event is found at the far end", () => {
  const isLost = ({ status }: { status: string }) => status === "failed";
  const patterns = [fieldPattern("status", ["failed", "expired"])];
  expect(newestEvents(journal, { limit: 50, isWanted: isLost, patterns }).map(({ id }) => id)).toEqual(["e5", "e5"]);
  expect(parse.mock.calls.length).toBeLessThan(10);
  parse.mockClear();
  const nowhere = [fieldPattern("project", ["nowhere"])];
  expect(newestEvents(journal, { limit: 50, isWanted: isAnything, patterns: nowhere })).toEqual([]);
  expect(parse).not.toHaveBeenCalled();
});

test("the events that a retry leaves out are counted without parsing the others", () => {
  const spool = { dead: [], fresh: [], waiting: [], inFlight: [] };
  expect(listNotRetried([], spool as never, home.paths)).toMatchObject([{ count: 1 }]);
  expect(parse.mock.calls.length).toBeLessThan(10);
});

test("the newest line of each known notifier is found at once, and of a new one in two months at most", () => {
  const by = ["notifier"] as const;
  expect(findNewest(journal, { by, only: ["desk"] })).toMatchObject([{ notifier: "desk", id: "e55999" }]);
  expect(readBytes).toBeLessThan(mebibyte / 2);
  const found = findNewest(journal, { by, only: ["desk", "phone", "never-used"] });
  expect(found.map(({ id }) => id)).toEqual(["e55999", "e5"]);
  expect(parse.mock.calls.length).toBeLessThan(10);
});

test("doctor reads a week, and parses what its checks need", () => {
  const found = readWeek(journal, nowMs);
  expect(found).toHaveLength(6); // five accepted, and the newest that desk sent
  expect(readBytes).toBeLessThan(allBytes / 3);
  expect(parse.mock.calls.length).toBeLessThan(10);
});

test("following begins at the end", () => {
  const tail = new JournalTail(journal);
  expect(readBytes).toBeLessThan(mebibyte);
  expect(tail.read()).toEqual([]);
});
