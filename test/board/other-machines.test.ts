import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { searchJournal } from "../../src/board/search.ts";
import { storiesOf } from "../../src/board/story.ts";
import { waitsOf } from "../../src/board/waits.ts";
import { at, line } from "./journal.ts";

const minuteMs = 60_000;
const there = { host: "devbox" };
const ends = { status: "resolved", resolvedBy: "prompt", waitedMs: 5 * minuteMs } as const;
/** The same session, by its agent and id, here and on another machine. */
const lines = [
  line("22 09:00", "n1", { status: "accepted", summary: "here" }),
  line("22 09:05", "n1", ends),
  line("22 09:00", "n2", { ...there, status: "accepted", summary: "there" }),
  line("22 09:05", "n2", { ...there, ...ends }),
];

test("a session of another machine is another session, in a project of its own", () => {
  const [here, other] = storiesOf(lines);
  expect([here?.project, other?.project]).toEqual(["shop", "shop@devbox"]);
  expect(here?.session).not.toBe(other?.session);
  const waits = waitsOf(lines, [], at("22 10:00"));
  expect(waits.map(({ project }) => project)).toEqual(["shop", "shop@devbox"]);
  expect(waits.map(({ session }) => session)).toEqual([here?.session, other?.session]);
});

test("the log is searched by the project of one machine", async () => {
  const folder = mkdtempSync(join(tmpdir(), "beckon-search-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "2026-11.jsonl"), lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const found = async (project: string) => {
    const stories = await searchJournal(folder, { words: "", kind: "", agent: "", project }, 10);
    return stories.map(({ id }) => id);
  };
  expect(await found("shop@devbox")).toEqual(["n2"]);
  expect(await found("shop")).toEqual(["n1"]);
});
