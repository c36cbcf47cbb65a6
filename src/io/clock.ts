import type { ClockPort } from "../core/ports.ts";

/** The machine's clock. */
export const systemClock: ClockPort = { now: () => Date.now() };
