import { cellsOf } from "../columns.ts";

/** What is known of a column before it is laid out. */
export interface ColumnShape {
  readonly title: string;
  /** Whether its texts may be cut. Numbers, times and ids may not. */
  readonly mayCut: boolean;
}

/** Cells between two columns. */
export const gap = 2;
const leastTextCells = 14;

/**
 * The widths of the columns that fit: those from the left, as many as can be shown with their texts cut to 14 cells, and
 * then as wide as there is room. The first column is always there.
 * @param widest cells of each column's widest value
 */
export function fitColumns(columns: readonly ColumnShape[], widest: readonly number[], maxCells: number): number[] {
  const natural = columns.map(({ title }, at) => Math.max(cellsOf(title), widest[at] ?? 0));
  const least = columns.map(({ title, mayCut }, at) => {
    const width = natural[at] ?? 0;
    return mayCut ? Math.min(width, Math.max(cellsOf(title), leastTextCells)) : width;
  });
  let count = columns.length;
  while (count > 1 && total(least.slice(0, count)) > maxCells) count -= 1;
  return shrink(natural.slice(0, count), least, maxCells);
}

/** Takes from the widest until all fits, from none more than it can give. */
function shrink(widths: number[], least: readonly number[], maxCells: number): number[] {
  const spare = (at: number): number => (widths[at] ?? 0) - (least[at] ?? 0);
  for (let over = total(widths) - maxCells; over > 0; over -= 1) {
    const able = [...widths.keys()].filter((at) => spare(at) > 0);
    const widest = able.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * Math.max(0, widths.length - 1));
}
