import { setTimeout as sleep } from "node:timers/promises";
import type { ClockPort, Timer } from "../core/ports.ts";
import { uptimeMs } from "../core/uptime-ms.ts";

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
