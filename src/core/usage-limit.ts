import * as z from "zod";
import { type CountedText, insertCount, insertValues } from "../text/template.ts";
import { clockTime, dayMs, hourMs, minuteMs } from "../text/time.ts";
import type { UsageLimit } from "./facts.ts";
import { once } from "./once.ts";

/** Schema of a `UsageLimit`. */
export const usageLimitSchema = once(() =>
  z.object({
    id: z.string(),
    name: z.string().exactOptional(),
    windowMs: z.number().positive(),
    usedPercent: z.number().nonnegative(),
    resetsAtMs: z.number(),
    atMs: z.number(),
  }),
);

/** Texts about usage limits in a language. */
export interface UsageLimitTexts {
  readonly language: string;
  readonly limits: {
    /** Used share of a limit for some hours, or days. */
    readonly hours: CountedText;
    readonly days: CountedText;
    readonly resets: string;
    readonly hasReset: string;
  };
}

/** Describes a limit: `82% of the 5-hour limit used, resets at 17:40`. */
export function describeUsageLimit(
  { name, windowMs, usedPercent, resetsAtMs }: UsageLimit,
  { limits, language }: UsageLimitTexts,
  nowMs: number,
): string {
  const [form, unitMs] = windowMs < dayMs ? [limits.hours, hourMs] : [limits.days, dayMs];
  const used = (Math.floor(usedPercent) / 100).toLocaleString(language, { style: "percent" });
  const length = Math.max(1, Math.round(windowMs / unitMs));
  const text = insertCount(form, length, { language }, { used });
  const time = clockTime(Math.ceil(resetsAtMs / minuteMs) * minuteMs, nowMs);
  const whole = insertValues(resetsAtMs > nowMs ? limits.resets : limits.hasReset, { text, time });
  return name === undefined ? whole : `${name}: ${whole}`;
}
