import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { groupBy } from "../src/core/group-by.ts";
import type { JournalLine } from "../src/journal/journal-line.ts";

const agents = ["claude", "codex", "droid", "gemini"];
const projects = ["shop", "api", "website", "infra", "mobile", "billing", "search", "docs"];
const words =
  "Bash git push origin main run tests refactor the till für größere Körbe fix flaky deploy lint migrate schema".split(
    " ",
  );
const dayMs = 24 * 3_600_000;

interface Year {
  /** End of the last day, Unix milliseconds. */
  readonly endMs: number;
  readonly days: number;
  readonly linesPerDay: number;
}

/** Writes a made-up journal, the same for the same arguments. Returns its number of lines. */
export function writeYear(folder: string, { endMs, days, linesPerDay }: Year): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let lineCount = 0;
  for (let day = days; day > 0; day -= 1) {
    const startMs = endMs - day * dayMs;
    const lines: JournalLine[] = [];
    for (let index = 0; lines.length < linesPerDay; index += 1) {
      lines.push(...eventLines(`${day}/${index}`, startMs + Math.floor((index * 2.5 * dayMs) / linesPerDay)));
    }
    lines.sort((a, b) => (a.at < b.at ? -1 : 1));
    lineCount += lines.length;
    for (const [month, own] of groupBy(lines, ({ at }) => at.slice(0, 7))) {
      const text = own.map((line) => `${JSON.stringify(line)}\n`).join("");
      appendFileSync(join(folder, `${month}.jsonl`), text, { mode: 0o600 });
    }
  }
  return lineCount;
}

/** Makes the lines of one event: accepted, sent, and the end of a request. */
function eventLines(name: string, atMs: number): JournalLine[] {
  const dice = createHash("md5").update(name).digest();
  const pick = <Value>(from: readonly Value[], at: number): Value => from[(dice[at] ?? 0) % from.length] as Value;
  const session = pick([0, 1, 2, 3, 4], 0);
  const project = pick(projects, 1);
  const isRequest = pick([true, false, false], 2);
  const identity = {
    id: dice.toString("hex"),
    event: isRequest ? "Notification" : "Stop",
    agent: pick(agents, 1),
    kind: isRequest ? "needs-you" : pick(["finished", "finished", "finished", "failed"], 3),
    sessionId: `5b2f4c1e-${project}-${session}`,
    project,
  };
  const summary = [4, 5, 6, 7, 8, 9, 10, 11].map((at) => pick(words, at)).join(" ");
  const line = (afterMs: number, more: Partial<JournalLine> & Pick<JournalLine, "status">): JournalLine => ({
    at: new Date(atMs + afterMs).toISOString(),
    ...identity,
    ...more,
  });
  const waitedMs = (1 + (dice[12] ?? 0)) * 4_000;
  const turn = isRequest ? {} : { turnMs: (1 + (dice[13] ?? 0)) * 3_000, tokens: Math.floor(atMs / 1e7) };
  return [
    line(0, { status: "accepted", title: `${pick(words, 14)} ${pick(words, 15)}`, summary: summary, ...turn }),
    line(2_000, { notifier: "desk", status: "sent", attempt: 1, tookMs: 12 }),
    ...(isRequest ? [line(waitedMs, { status: "resolved", resolvedBy: "prompt", waitedMs })] : []),
  ];
}
