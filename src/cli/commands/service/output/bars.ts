const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;
const heights = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** A value as a part of the greatest one, 0 to 1. */
function partOf(value: number, greatest: number): number {
  const part = value / greatest;
  return Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : 0;
}

/**
 * A lying bar, at most `cells` wide. What is more than nothing leaves a trace.
 * @param isPlain ASCII alone
 */
export function bar(value: number, greatest: number, cells: number, isPlain: boolean): string {
  const part = partOf(value, greatest) * cells;
  if (part === 0) return "";
  if (isPlain) return "#".repeat(Math.max(1, Math.round(part)));
  const steps = Math.max(1, Math.round(part * 8));
  return "█".repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? "");
}

/**
 * Standing bars side by side, as lines from the top: each value takes a column of a line.
 * @param rows how many lines
 */
export function standingBars(values: readonly number[], greatest: number, rows: number, isPlain: boolean): string[] {
  const steps = values.map((value) => {
    const part = partOf(value, greatest) * rows;
    return part === 0 ? 0 : Math.max(isPlain ? 8 : 1, Math.round(part * 8));
  });
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * 8;
    const cell = (step: number): string => {
      const own = Math.min(8, Math.max(0, step - below));
      return isPlain ? (own >= 4 ? "#" : " ") : (heights[own] ?? " ");
    };
    return steps.map(cell).join("");
  });
}

const plainHeights = " .:-=+*#";

/** One line of standing bars. */
export function sparkline(values: readonly number[], greatest: number, isPlain: boolean): string {
  if (!isPlain) return standingBars(values, greatest, 1, false).join("");
  const top = plainHeights.length - 1;
  const level = (value: number): number => Math.ceil(partOf(value, greatest) * top);
  return values.map((value) => plainHeights[level(value)] ?? " ").join("");
}

/** Values as at most `most` of them: neighbours make way for their mean. */
export function thinned(values: readonly number[], most: number): number[] {
  const size = Math.max(1, Math.ceil(values.length / Math.max(1, most)));
  const groups = Array.from({ length: Math.ceil(values.length / size) }, (_, n) =>
    values.slice(n * size, (n + 1) * size),
  );
  return groups.map((group) => group.reduce((total, value) => total + value / group.length, 0));
}
