import * as z from "zod";
import { parseDuration, unitMs } from "./time.ts";

const units = ["d", "h", "m", "s", "ms"] as const;

/** Duration in the configuration file: a whole number and one unit, such as `250ms`, `30s`, `5m`, `1h`, `3d`. */
type DurationText = `${number}${(typeof units)[number]}`;

const durationPattern = /^(\d{1,10})(ms|s|m|h|d)$/;
const mustBeDuration = 'must be a duration such as "30s" or "5m"';

/**
 * Creates a schema for a duration from `min` to `max`. The schema parses text to milliseconds; `z.encode` turns
 * milliseconds back into text. A default is written as text: `duration(…).prefault("5s")`.
 */
export function duration({ min, max }: { readonly min: DurationText; readonly max: DurationText }) {
  const isOutside = `must be a duration from "${min}" to "${max}"`;
  return z.codec(
    z.string({ error: mustBeDuration }).regex(durationPattern, mustBeDuration),
    z.number().min(parseDuration(min, units), isOutside).max(parseDuration(max, units), isOutside),
    { decode: (text) => parseDuration(text, units), encode: formatDuration },
  );
}

/** Formats milliseconds in the largest unit that gives a whole number: `90_000` becomes `90s`. */
export function formatDuration(ms: number): DurationText {
  const unit = units.find((name) => ms >= unitMs[name] && ms % unitMs[name] === 0) ?? "s";
  return `${ms / unitMs[unit]}${unit}`;
}
