import { clean } from "../core/clean.ts";

const contextLines = 3;
/** More differences than our own edits ever make; above it the whole middle is shown as replaced. */
const maxDifferences = 1000;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/**
 * A unified diff, ready to be shown: texts are cleaned of terminal sequences. Empty where nothing differs. An absent
 * side is an empty one.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const lines = compare(splitLines(before), splitLines(after));
  const name = (side: string | undefined) => (side === undefined ? "/dev/null" : clean(path));
  const hunks = hunksOf(lines);
  return [`--- ${name(before)}`, `+++ ${name(after)}`, ...hunks.flatMap((hunk) => showHunk(lines, hunk))].join("\n");
}

function splitLines(text: string | undefined): string[] {
  if (!text) return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") return lines.slice(0, -1);
  return [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`];
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (text: string): Line => ({ mark: " ", text });
  return [
    ...before.slice(0, head).map(same),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** The shortest edit, after E. Myers: An O(ND) Difference Algorithm (1986), https://doi.org/10.1007/BF01840446 */
function compareMiddle(before: readonly string[], after: readonly string[]): Line[] {
  const reach = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let differences = 0; differences <= maxDifferences; differences += 1) {
    trace.push(new Map(reach));
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = stepFrom(reach, diagonal, differences).x;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      reach.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before, after);
    }
  }
  return [...before.map((text): Line => ({ mark: "-", text })), ...after.map((text): Line => ({ mark: "+", text }))];
}

/** Where a path on a diagonal starts from: one deletion to the right or one insertion down from a neighbour. */
function stepFrom(reach: ReadonlyMap<number, number>, diagonal: number, differences: number) {
  const left = reach.get(diagonal - 1) ?? -1;
  const above = reach.get(diagonal + 1) ?? -1;
  const down = diagonal === -differences || (diagonal !== differences && left < above);
  return down ? { from: diagonal + 1, x: above } : { from: diagonal - 1, x: left + 1 };
}

function walkBack(trace: readonly Map<number, number>[], before: readonly string[], after: readonly string[]): Line[] {
  const lines: Line[] = [];
  let x = before.length;
  let y = after.length;
  for (let differences = trace.length - 1; differences >= 0; differences -= 1) {
    const reach = trace[differences] ?? new Map();
    const step = stepFrom(reach, x - y, differences);
    const fromX = reach.get(step.from) ?? 0;
    const fromY = fromX - step.from;
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0) && x - 1 >= step.x && before[x - 1] === after[y - 1]) {
      lines.push({ mark: " ", text: before[x - 1] ?? "" });
      x -= 1;
      y -= 1;
    }
    if (differences === 0) break;
    lines.push(x > fromX ? { mark: "-", text: before[x - 1] ?? "" } : { mark: "+", text: after[y - 1] ?? "" });
    x = fromX;
    y = fromY;
  }
  return lines.reverse();
}

function hunksOf(lines: readonly Line[]): { from: number; to: number }[] {
  const hunks: { from: number; to: number }[] = [];
  for (const [index, { mark }] of lines.entries()) {
    if (mark === " ") continue;
    const from = Math.max(0, index - contextLines);
    const to = Math.min(lines.length, index + contextLines + 1);
    const last = hunks.at(-1);
    if (last && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  }
  return hunks;
}

function showHunk(lines: readonly Line[], { from, to }: { from: number; to: number }): string[] {
  const range = (other: "-" | "+", mark: string) => {
    const count = lines.slice(from, to).filter((line) => line.mark !== other).length;
    const start = lines.slice(0, from).filter((line) => line.mark !== other).length + (count === 0 ? 0 : 1);
    return `${mark}${start},${count}`;
  };
  const shown = lines.slice(from, to).map(({ mark, text }) => `${mark}${clean(text)}`);
  return [`@@ ${range("+", "-")} ${range("-", "+")} @@`, ...shown];
}
