import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AppendedLine } from "./watch-files.ts";

interface Happening {
  readonly atMs: number;
  readonly hook?: string;
  readonly payload?: unknown;
  readonly file?: string;
  readonly line?: unknown;
}

/**
 * Writes a session as a fixture: a first line with the agent and the start, then in order the hooks' inputs and the
 * lines appended to its transcripts, with the milliseconds since the start.
 * @param from holds `<nanoseconds>-<Event>.json` of `record-hook.sh`, and `files.jsonl` of `watchFiles`
 */
export function writeRecording(agent: string, from: string, to: string): void {
  const happenings = [...hooksIn(from), ...linesIn(from)].sort((left, right) => left.atMs - right.atMs);
  const startMs = happenings[0]?.atMs ?? 0;
  const lines = happenings.map((happening) => ({ ...happening, atMs: happening.atMs - startMs }));
  const head = { agent, startedAt: new Date(startMs).toISOString() };
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function hooksIn(folder: string): Happening[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((file) => {
    const [, nanoseconds, hook = ""] = /^(\d+)-(.+)\.json$/.exec(file) ?? [];
    if (nanoseconds === undefined) return [];
    const text = readFileSync(join(folder, file), "utf8");
    return [{ atMs: Math.floor(Number(nanoseconds) / 1e6), hook, payload: text ? JSON.parse(text) : {} }];
  });
}

function linesIn(folder: string): Happening[] {
  const file = join(folder, "files.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as AppendedLine);
}
