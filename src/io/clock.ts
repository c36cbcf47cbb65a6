import { setTimeout as sleep } from "node:timers/promises";
import type { ClockPort } from "../core/ports.ts";

/** The system's clock. */
export function createClock(): ClockPort {
  return {
    now: () => Date.now(),
    wait: async (ms, signal) => {
      await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => {}); // aborted
    },
  };
}
