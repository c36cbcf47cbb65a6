import * as z from "zod";
import { duration } from "../text/duration.ts";

const expiry = duration({ min: "1ms", max: "7d" });

/** Delivery settings, with defaults. Durations are parsed to milliseconds. */
export const deliverySchema = z.strictObject({
  retryDelays: z
    .array(duration({ min: "100ms", max: "1d" }))
    .min(1)
    .prefault(["5s", "30s", "2m", "10m", "30m", "2h", "6h"])
    .describe(
      "Pauses before the second, third … attempt, ± 20 %. The last pause repeats until the event expires; the final attempt is 30 seconds before that. When a message is delivered, others waiting for the same notifier follow at once.",
    ),
  expire: z
    .strictObject({
      "needs-you": expiry.prefault("15m"),
      failed: expiry.prefault("1d"),
      finished: expiry.prefault("6h"),
      info: expiry.prefault("1h"),
    })
    .prefault({})
    .describe("How long to try to deliver an event, by kind; at most `7d`."),
  linger: duration({ min: "0s", max: "1h" })
    .prefault("5s")
    .describe("How long the background worker stays after the last event; at most `1h`."),
});
