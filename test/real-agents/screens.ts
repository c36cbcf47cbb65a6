import { existsSync, readFileSync } from "node:fs";

/** Collects the lines with words on all screens, each once, with variable parts replaced. */
export function linesOn(screens: Readonly<Record<string, string>>): Set<string> {
  const lines = Object.values(screens).flatMap((screen) => screen.split("\n").map(steady));
  return new Set(lines.filter((line) => /\p{L}/u.test(line)));
}

/**
 * Reads the lines with words in the model's input, each once, with variable parts replaced.
 * @param log file with the scripted model's requests
 */
export function readRequestLines(log: string): string[] {
  if (!existsSync(log)) return [];
  const requests = readFileSync(log, "utf8").trim().split("\n");
  const bodies = requests.map((line) => (JSON.parse(line) as { readonly body?: string }).body ?? "null");
  const lines = bodies.flatMap((body) => textsIn(JSON.parse(body)).flatMap((text) => text.split("\n")));
  return [...new Set(lines.map((line) => steady(line.replace(ids, "ID"))))].filter((line) => /\p{L}/u.test(line));
}

/** UUIDs, and words of letters and digits such as call ids; Codex numbers command output by six. */
const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\w*\d)(?=\w*[a-z])\w{8,}|(?<=Chunk ID: )\w+/gi;

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Removes numbers, ids, drawing characters and the blanks between words from a line. */
function steady(line: string): string {
  return line
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replace(/\d+(\.\d+)?/g, "#")
    .replace(/[^\p{L}\p{N}\p{P}#+<>=|~$ ]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Finds the lines about hooks or beckon in a program's terminal output, each once, including overwritten lines.
 * @param from byte of the file to begin at
 */
export function printedLines(file: string, from: number): string[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file)
    .subarray(from)
    .toString()
    .replace(/\u001b\][^\u0007\u001b]*(\u0007|\u001b\\)/g, "") // titles
    .replace(/\u001b\[\d*C/g, " ") // the cursor moves on in its line
    .replace(/\u001b\[[0-9;]*m/g, "") // colours
    .replace(/\u001b(\[[0-?]*[ -/]*[@-~]|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])/g, "\n");
  const lines = text.split(/[\r\n]+/).filter((line) => /hooks?\b|beckon/i.test(line));
  return [...new Set(lines.map(steady))];
}
