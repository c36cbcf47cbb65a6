import type { Kind } from "../core/vocabulary.ts";

/** Default notifiers: this machine's desktop and a sound. */
export const defaultNotifiers = { desk: { type: "desktop" }, chime: { type: "sound" } } as const;

/** Kinds that every notifier gets if the file has no routes. */
export const defaultKinds: readonly Kind[] = ["needs-you", "failed", "finished"];

/** Kinds that quiet hours hold if they do not name any. */
export const defaultHeldKinds: readonly Kind[] = ["needs-you", "finished", "info"];

/** Settings of `attention` that a file leaves out; durations in milliseconds. */
export const attentionDefaults = {
  wait: 2_000,
  watching: { finished: "skip" as const, "needs-you": 30_000, failed: "ring" as const },
  judgeLate: true,
  minTurn: 0,
  away: 180_000,
  quiet: [],
  dnd: "respect" as const,
  withdraw: true,
};

/** Settings of `delivery` that a file leaves out; durations in milliseconds. */
export const deliveryDefaults = {
  retryDelays: [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000],
  expire: { "needs-you": 900_000, failed: 86_400_000, finished: 21_600_000, info: 3_600_000 },
  linger: 5_000,
};
