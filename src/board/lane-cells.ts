import type { Span } from "./day.ts";
import type { Lane, LaneMark, LaneSpan } from "./lanes.ts";

/** What a piece of a lane is drawn as. */
export type CellState = LaneSpan["state"] | LaneMark["state"] | "idle" | "later";

/** Of what happened in one piece, the first is drawn. */
const precedence = ["failed", "waited", "done", "working", "silenced"] as const;

/** A lane in `count` equal pieces of a span; what has not come yet is `later`. */
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
