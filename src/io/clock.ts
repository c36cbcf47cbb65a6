import { setTimeout as sleep } from "node:timers/promises";
import type { ClockPort, Timer } from "../core/ports.ts";

/** The system's clock. */
export function createClock(): ClockPort {
  return {
    now: () => Date.now(),
    uptimeMs,
    wait: async (ms, signal) => {
      await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => {}); // aborted
    },
    after: (ms, act) => timer(setTimeout(act, ms)),
    every: (ms, act) => timer(setInterval(act, ms)),
  };
}

/**
 * Time this process has run, in milliseconds, whatever becomes of the wall clock. `performance.now()` takes a
 * millisecond to load, which a process that starts for one event would notice.
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
