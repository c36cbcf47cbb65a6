const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;
const heights = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** Returns a value as a fraction of the greatest value, 0 to 1. */
function computeFraction(value: number, greatest: number): number {
  const part = value / greatest;
  return Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : 0;
}

/**
 * Draws a horizontal bar of at most `cells` terminal cells. A value above 0 has at least a visible mark.
 * @param isAscii draws with ASCII characters only
 */
export function bar(value: number, greatest: number, cells: number, isAscii: boolean): string {
  const part = computeFraction(value, greatest) * cells;
  if (part === 0) return "";
  if (isAscii) return "#".repeat(Math.max(1, Math.round(part)));
  const steps = Math.max(1, Math.round(part * 8));
  return "█".repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? "");
}

/**
 * Draws vertical bars, each one cell wide. Returns the lines from top to bottom.
 * @param rows number of lines
 */
export function verticalBars(values: readonly number[], greatest: number, rows: number, isAscii: boolean): string[] {
  const steps = values.map((value) => {
    const part = computeFraction(value, greatest) * rows;
    return part === 0 ? 0 : Math.max(isAscii ? 8 : 1, Math.round(part * 8));
  });
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * 8;
    const cell = (step: number): string => {
      const height = Math.min(8, Math.max(0, step - below));
      return isAscii ? (height >= 4 ? "#" : " ") : (heights[height] ?? " ");
    };
    return steps.map(cell).join("");
  });
}

const asciiHeights = " .:-=+*#";

/** Draws vertical bars on one line. */
export function sparkline(values: readonly number[], greatest: number, isAscii: boolean): string {
  if (!isAscii) return verticalBars(values, greatest, 1, false).join("");
  const top = asciiHeights.length - 1;
  const level = (value: number): number => Math.ceil(computeFraction(value, greatest) * top);
  return values.map((value) => asciiHeights[level(value)] ?? " ").join("");
}

/** Reduces a list to at most `maxValues` values by averaging neighbours. An average of missing values is null. */
export function downsample(values: readonly (number | null)[], maxValues: number): (number | null)[] {
  const size = Math.max(1, Math.ceil(values.length / Math.max(1, maxValues)));
  const groups = Array.from({ length: Math.ceil(values.length / size) }, (_, n) =>
    values.slice(n * size, (n + 1) * size).filter((value) => value !== null),
  );
  return groups.map((group) =>
    group.length === 0 ? null : group.reduce((total, value) => total + value / group.length, 0),
  );
}
