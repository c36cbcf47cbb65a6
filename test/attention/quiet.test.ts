import { expect, test } from "vitest";
import { quietUntilMs } from "../../src/attention/quiet.ts";

const zone = "Europe/Berlin";
const night = { at: { from: 22 * 60, to: 7 * 60 + 30 }, zone };
const friday = { ...night, days: ["fri" as const] };
const lunch = { at: { from: 12 * 60, to: 13 * 60 }, zone: "America/New_York" };

test.each([
  ["at night: not a minute before the start", night, "2026-11-20T21:59:59+01:00", undefined],
  ["at night: at the start", night, "2026-11-20T22:00:00+01:00", "2026-11-21T06:30:00.000Z"],
  ["at night: after midnight", night, "2026-11-21T03:12:34+01:00", "2026-11-21T06:30:00.000Z"],
  ["at night: in the last minute", night, "2026-11-21T07:29:59+01:00", "2026-11-21T06:30:00.000Z"],
  ["at night: not at the end", night, "2026-11-21T07:30:00+01:00", undefined],
  ["at night: in the change to summer time", night, "2027-03-27T23:00:00+01:00", "2027-03-28T05:30:00.000Z"],
  ["at night: in the change to winter time", night, "2026-10-24T23:00:00+02:00", "2026-10-25T06:30:00.000Z"],
  ["in the repeated hour, the first time", night, "2026-10-25T02:30:00+02:00", "2026-10-25T06:30:00.000Z"],
  ["in the repeated hour, the second time", night, "2026-10-25T02:30:00+01:00", "2026-10-25T06:30:00.000Z"],
  ["on Friday: begin in its night", friday, "2026-11-20T23:00:00+01:00", "2026-11-21T06:30:00.000Z"],
  ["on Friday: last until Saturday", friday, "2026-11-21T05:00:00+01:00", "2026-11-21T06:30:00.000Z"],
  ["on Friday: do not begin on Saturday", friday, "2026-11-21T23:00:00+01:00", undefined],
  ["on Friday: do not include its morning", friday, "2026-11-20T05:00:00+01:00", undefined],
  ["at noon: end on the same day", lunch, "2026-11-20T12:30:00-05:00", "2026-11-20T18:00:00.000Z"],
  ["at noon: not at the end", lunch, "2026-11-20T13:00:00-05:00", undefined],
])("quiet hours %s", (_, hours, at, end) => {
  const untilMs = quietUntilMs(hours, Date.parse(at));
  expect(untilMs && new Date(untilMs).toISOString()).toBe(end);
});
