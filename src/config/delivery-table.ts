import * as z from "zod";
import { duration, formatDuration } from "../text/duration.ts";
import { deliveryDefaults } from "./defaults.ts";

const { retryDelays, expire, linger } = deliveryDefaults;
const expiry = duration({ min: "1ms", max: "7d" });

/** Delivery settings, with defaults. Durations are parsed to milliseconds. */
export const deliverySchema = z.strictObject({
  retryDelays: z
    .array(duration({ min: "100ms", max: "1d" }))
    .min(1)
    .prefault(retryDelays.map(formatDuration))
    .describe(
      "Pauses before the second, third … attempt, ± 20 %. The last pause repeats until the event expires; the final attempt is 30 seconds before that. When a message is delivered, others waiting for the same notifier follow at once.",
    ),
  expire: z
    .strictObject({
      "needs-you": expiry.prefault(formatDuration(expire["needs-you"])),
      failed: expiry.prefault(formatDuration(expire.failed)),
      finished: expiry.prefault(formatDuration(expire.finished)),
      info: expiry.prefault(formatDuration(expire.info)),
    })
    .prefault({})
    .describe("How long to try to deliver an event, by kind; at most `7d`."),
  linger: duration({ min: "0s", max: "1h" })
    .prefault(formatDuration(linger))
    .describe("How long the background worker stays after the last event; at most `1h`."),
});
