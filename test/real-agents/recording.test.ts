import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeRecording } from "./recording.ts";

const folder = join(process.env["HOME"] ?? "", "record");

test("a recording has hooks and transcript lines in order of arrival, from its start", () => {
  mkdirSync(folder, { recursive: true });
  const startMs = Date.parse("2026-11-22T02:00:00.000Z");
  writeFileSync(join(folder, `${startMs + 40}123456-Stop.json`), '{"session_id":"s"}');
  writeFileSync(join(folder, `${startMs + 90}000001-SessionEnd.json`), "");
  writeFileSync(join(folder, `${startMs + 95}000001-SessionEnd.part`), "{");
  const appended = [
    { atMs: startMs, file: "/home/dev/t.jsonl", line: { type: "user" } },
    { atMs: startMs + 60, file: "/home/dev/t.jsonl", line: { type: "late" } },
  ];
  writeFileSync(join(folder, "files.jsonl"), appended.map((line) => `${JSON.stringify(line)}\n`).join(""));

  const to = join(folder, "claude", "plain.jsonl");
  writeRecording("claude", folder, to);

  const lines = readFileSync(to, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { agent: "claude", startedAt: "2026-11-22T02:00:00.000Z" },
    { atMs: 0, file: "/home/dev/t.jsonl", line: { type: "user" } },
    { atMs: 40, hook: "Stop", payload: { session_id: "s" } },
    { atMs: 60, file: "/home/dev/t.jsonl", line: { type: "late" } },
    { atMs: 90, hook: "SessionEnd", payload: {} },
  ]);
});
