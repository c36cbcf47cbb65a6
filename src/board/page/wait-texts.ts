/** Names for waits, by kind. */
export const kindTexts = { "needs-you": "needs you", failed: "failed", finished: "finished", info: "info" } as const;

/** Formats a waiting time as a clock: `0:07`, `12:30`, `1:04:09`. The page's script keeps the clock running. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (part: number): string => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
