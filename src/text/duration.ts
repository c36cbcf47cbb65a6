import * as z from "zod";

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
type Unit = keyof typeof unitMs;

/** A duration as the configuration file has it: a whole number and one unit, e.g. `250ms`, `30s`, `5m`, `1h`, `3d`. */
type DurationText = `${number}${Unit}`;

const durationPattern = /^(\d{1,10})(ms|s|m|h|d)$/;
const mustBeDuration = 'must be a duration such as "30s" or "5m"';

/**
 * A schema for a duration within bounds, both included. It parses the text to milliseconds; `z.encode` turns
 * milliseconds back into text. A default is given in the form of the file: `duration(…).prefault("5s")`.
 */
export function duration({ min, max }: { readonly min: DurationText; readonly max: DurationText }) {
  const isOutside = `must be a duration from "${min}" to "${max}"`;
  return z.codec(
    z.string({ error: mustBeDuration }).regex(durationPattern, mustBeDuration),
    z.number().min(parseDuration(min), isOutside).max(parseDuration(max), isOutside),
    { decode: parseDuration, encode: formatDuration },
  );
}

/** Milliseconds; NaN for a text that is no duration. */
function parseDuration(text: string): number {
  const [, count, unit] = durationPattern.exec(text) ?? [];
  return Number(count) * unitMs[unit as Unit];
}

/** The text with the largest unit that makes a whole number: `90_000` → `90s`. */
function formatDuration(ms: number): DurationText {
  const units = Object.keys(unitMs) as Unit[];
  const unit = units.find((one) => ms >= unitMs[one] && ms % unitMs[one] === 0) ?? "s";
  return `${ms / unitMs[unit]}${unit}`;
}
