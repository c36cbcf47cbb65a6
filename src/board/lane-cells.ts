import type { Span } from "./day.ts";
import type { Lane, LaneMark, LaneSpan } from "./lanes.ts";

/** State of a cell in a lane. */
export type CellState = LaneSpan["state"] | LaneMark["state"] | "idle" | "later";

/** States in descending priority; a cell shows the first that occurred in it. */
const precedence = ["failed", "waited", "done", "working", "silenced"] as const;

/** Divides a lane into `count` equal cells of a span; the future is `later`. */
export function laneCells({ spans, marks }: Lane, { startMs, endMs }: Span, count: number, nowMs: number): CellState[] {
  const pieceMs = (endMs - startMs) / count;
  return Array.from({ length: count }, (_, at) => {
    const fromMs = startMs + at * pieceMs;
    const toMs = fromMs + pieceMs;
    const states = new Set<CellState>([
      ...marks.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ state }) => state),
      ...spans.filter((one) => one.startMs < toMs && one.endMs > fromMs).map(({ state }) => state),
    ]);
    return precedence.find((state) => states.has(state)) ?? (fromMs > nowMs ? "later" : "idle");
  });
}
