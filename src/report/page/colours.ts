import type { Plot } from "../plot.ts";

/** A series' colour, as the style sheet names it; light and dark are the style sheet's business. */
export function colourOf(kind: Plot["kind"], at: number, isRest = false): string {
  if (isRest) return "var(--rest)";
  return kind === "shares" ? `var(--level-${Math.min(at, 3) + 1})` : `var(--series-${(at % 7) + 1})`;
}
