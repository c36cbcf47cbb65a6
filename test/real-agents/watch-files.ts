import { appendFileSync, closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";

/** A line that was appended to a file, with its first sighting in Unix milliseconds. */
export interface AppendedLine {
  readonly atMs: number;
  readonly file: string;
  readonly line: unknown;
}

const pollMs = 30;

/**
 * Records each whole line that is appended to a `.jsonl` file below `folder`, until the process ends.
 * @param to file that gets an `AppendedLine` as JSON for each of these lines
 */
export function watchFiles(folder: string, to: string): void {
  const read = new Map<string, number>();
  const look = () => {
    for (const file of jsonLinesBelow(folder)) {
      const from = read.get(file) ?? 0;
      const text = textFrom(file, from);
      const whole = text.subarray(0, text.lastIndexOf(10) + 1);
      read.set(file, from + whole.length);
      const lines = whole.toString().split("\n").filter(Boolean).flatMap(parsed);
      const atMs = Date.now();
      for (const line of lines) appendFileSync(to, `${JSON.stringify({ atMs, file, line } satisfies AppendedLine)}\n`);
    }
  };
  setInterval(look, pollMs);
}

function jsonLinesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
}

function textFrom(file: string, from: number): Buffer {
  const buffer = Buffer.alloc(Math.max(0, statSync(file).size - from));
  if (buffer.length === 0) return buffer;
  const descriptor = openSync(file, "r");
  const bytes = readSync(descriptor, buffer, 0, buffer.length, from);
  closeSync(descriptor);
  return buffer.subarray(0, bytes);
}

function parsed(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return []; // not a transcript's
  }
}
