import { setTimeout as sleep } from "node:timers/promises";
import type { ClockPort, Timer } from "../core/ports.ts";

/** Creates the clock port on the system's clock. */
export function createClock(): ClockPort {
  return {
    now: () => Date.now(),
    // Loading `performance.now()` takes a millisecond, which is too much for a process that starts for one event.
    uptimeMs: () => process.uptime() * 1_000,
    wait: async (ms, signal) => {
      await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => {}); // rejects when aborted
    },
    after: (ms, act) => timer(setTimeout(act, ms)),
    every: (ms, act) => timer(setInterval(act, ms)),
  };
}

function timer(timeout: NodeJS.Timeout): Timer {
  timeout.unref();
  const own: Timer = {
    cancel: () => clearTimeout(timeout),
    ref: () => {
      timeout.ref();
      return own;
    },
  };
  return own;
}
