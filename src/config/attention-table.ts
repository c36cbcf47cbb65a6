import * as z from "zod";
import { wallClock, weekdays } from "../attention/quiet.ts";
import { isObject } from "../core/json-value.ts";
import { succeeds } from "../core/quietly.ts";
import { kinds } from "../core/vocabulary.ts";
import { duration, formatDuration } from "../text/duration.ts";
import { defaultHeldKinds, attentionDefaults as defaults } from "./defaults.ts";

const timesPattern = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;
const mustBeTimes = 'must be two times of day such as "22:00-07:30"';

/** Two times of day, in minutes since midnight. */
const times = z.codec(
  z.string({ error: mustBeTimes }).regex(timesPattern, mustBeTimes),
  z.object({ from: z.number(), to: z.number() }).refine(({ from, to }) => from !== to, mustBeTimes),
  {
    decode(text) {
      const [, ...parts] = timesPattern.exec(text) ?? [];
      const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.map(Number);
      return { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute };
    },
    encode: ({ from, to }) => `${timeOfDay(from)}-${timeOfDay(to)}`,
  },
);

function timeOfDay(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

const zone = z
  .string()
  .refine((name) => succeeds(() => wallClock(name)), 'must be a time zone such as "Europe/Berlin"');

/** Quiet hours, in which messages are held. */
const quietSchema = z.strictObject({
  at: times.describe("Beginning and end of the quiet hours, in local time: `22:00-07:30`."),
  days: z
    .array(z.enum(weekdays))
    .min(1)
    .optional()
    .describe(
      "Days on which the quiet hours begin. The hours after midnight count to the day before. Default: every day.",
    ),
  zone: zone.optional().describe("Time zone, such as `Europe/Berlin`. Default: this machine's."),
  hold: z
    .array(z.enum(kinds))
    .min(1)
    .prefault([...defaultHeldKinds])
    .describe("Kinds whose messages wait until the quiet hours end. Other kinds notify as usual."),
  notifiers: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("Notifiers that the quiet hours apply to. Default: all notifiers for a person."),
});

/** Chooses the schema of an item of `quiet`: two times of day alone, or an object. */
export const chooseQuietSchema = (item: unknown): z.ZodType => (isObject(item) ? quietSchema : times);

const expected = 'must be two times of day such as "22:00-07:30", or a list of them';

/** A list of quiet hours. Two times of day stand for quiet hours on every day. */
const quietList = z.codec(
  z.union([times, z.array(z.union([times, quietSchema]), expected)], expected),
  z.custom<z.output<typeof quietSchema>[]>(),
  {
    decode: (value) => [value].flat().map((at) => ("at" in at ? at : { at, hold: [...defaultHeldKinds] })),
    encode: (value) => value,
  },
);

const delay = duration({ min: "1s", max: "1h" });

/** Settings for holding, grouping and suppressing messages, with defaults. Durations are parsed to milliseconds. */
export const attentionSchema = z.strictObject({
  wait: duration({ min: "0s", max: "1h" })
    .prefault(formatDuration(defaults.wait))
    .describe(
      "Time that a new message waits before it is sent. A request answered in that time is not sent; turns that end in that time share one message.",
    ),
  watching: z
    .strictObject({
      finished: z.union([z.enum(["skip", "ring"]), delay]).prefault(defaults.watching.finished),
      "needs-you": z
        .union([z.literal("ring"), delay], { error: "must be `ring` or a delay; what needs you is never skipped" })
        .prefault(formatDuration(defaults.watching["needs-you"])),
      failed: z.union([z.enum(["skip", "ring"]), delay]).prefault(defaults.watching.failed),
    })
    .prefault({})
    .describe(
      "What happens to a message while you are looking at the terminal it comes from: `skip`, `ring`, or a delay such as `30s`.",
    ),
  judgeLate: z
    .boolean()
    .prefault(defaults.judgeLate)
    .describe(
      "Check a message again at the end of its wait. It is not sent if the tool call was allowed meanwhile, if the session went on, or if its agent was started by another agent.",
    ),
  minTurn: duration({ min: "0s", max: "1d" })
    .prefault(formatDuration(defaults.minTurn))
    .describe("Duration that a turn must reach to notify you. A turn of unknown duration always notifies you."),
  away: duration({ min: "10s", max: "1d" })
    .prefault(formatDuration(defaults.away))
    .describe(
      "Time without keyboard or mouse input after which you count as away. With a locked screen you are away at once.",
    ),
  quiet: quietList
    .prefault(defaults.quiet)
    .describe(
      'Quiet hours, in which messages wait: `"22:00-07:30"`, or a list of objects. Afterwards the messages arrive as one.',
    ),
  dnd: z
    .enum(["respect", "ignore"])
    .prefault(defaults.dnd)
    .describe("`respect` keeps sounds and voices silent while the desktop's do-not-disturb is on."),
  withdraw: z
    .boolean()
    .prefault(defaults.withdraw)
    .describe("Remove a message, or mark it as done, once its request is answered."),
});

const mustBeThresholds = "must be a list of whole percentages from 1 to 100, such as [80, 95]";

/** Percentages of an agent's usage limit at which the user is notified. */
export const limitsSchema = z.array(
  z.number({ error: mustBeThresholds }).int(mustBeThresholds).min(1, mustBeThresholds).max(100, mustBeThresholds),
  { error: mustBeThresholds },
);
