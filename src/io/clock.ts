import { setTimeout as sleep } from "node:timers/promises";
import type { ClockPort, Timer } from "../core/ports.ts";

/** Creates the clock port on the system's clock. */
export function createClock(): ClockPort {
  return {
    now: () => Date.now(),
    uptimeMs,
    wait: async (ms, signal) => {
      await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => {}); // rejects when aborted
    },
    after: (ms, act) => timer(setTimeout(act, ms)),
    every: (ms, act) => timer(setInterval(act, ms)),
  };
}

/**
 * Returns the milliseconds since this process started. Changes to the system time do not affect them.
 * `performance.now()` takes a millisecond to load, which is too much for a process that starts for one event.
 */
function uptimeMs(): number {
  return process.uptime() * 1_000;
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
