import { expect, test } from "vitest";
import type { Concern } from "../../src/attention/alert.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { isObserved } from "../../src/follow-up/observe.ts";
import type { RunContext } from "../../src/pipeline/context.ts";
import { isFurtherReplyToMate } from "../../src/pipeline/judge.ts";
import { concern, makeAlert } from "../world/alerts.ts";
import { eventAt } from "../world/arriving-events.ts";

const config = await parseConfig(undefined);
const minute = 60_000;
const send = (raised: Concern, atMs: number) => ({ ...raised, messages: { desk: [{ group: "g", atMs }] } });
const request = concern("a", { atMs: 0 });
const end = concern("a", { kind: "finished", atMs: 0, event: { event: "Stop" } });

test("only requests within their lifetime and sent ends, for ten minutes, are watched", () => {
  const expiryMs = config.delivery.expire["needs-you"];
  const rows: [string, Concern, number, boolean][] = [
    ["a request", request, expiryMs - 1, true],
    ["an old request", request, expiryMs, false],
    ["an old request that was sent recently", send(request, minute), expiryMs, true],
    ["a resolved request", { ...request, state: "resolved" }, minute, false],
    ["a failure", { ...send(end, 0), kind: "failed" }, minute, false],
    ["a sent end", send(end, 0), 10 * minute - 1, true],
    ["an old sent end", send(end, 0), 10 * minute, false],
    ["an unsent end", end, minute, false],
    ["the end of a session", { ...send(end, 0), event: { ...end.event, event: "SessionEnd" } }, minute, false],
  ];
  const isWatched = ([, one, nowMs]: (typeof rows)[number], isRelayed?: true) =>
    isObserved(makeAlert({ concerns: [one], ...(isRelayed && { isRelayed }) }), nowMs, { config });
  const named = ([name]: (typeof rows)[number], isSo: boolean) => [name, isSo];
  expect(rows.map((row) => named(row, isWatched(row)))).toEqual(rows.map((row) => named(row, row[3])));
  expect(rows.filter((row) => isWatched(row, true))).toEqual([]);
});

test("a sample is not watched: it ends by its own clock, not with the command that sent it", () => {
  const sample = makeAlert({ concerns: [request], sessionId: "beckon-install-0123456789ab" });
  expect(isObserved(sample, minute, { config })).toBe(false);
});

test("an end is a repeated teammate reply after a text-only one since the last prompt", () => {
  const stop = eventAt("Stop", 10_000);
  const reply = { work: { requests: [], calls: [], running: [], isReplyToMate: true as const } };
  const earlier = concern("a", { kind: "finished", atMs: stop.atMs - 5_000, isReplyToMate: true });
  const isFurther = (alert: Parameters<typeof makeAlert>[0], event = stop, facts: typeof reply | object = reply) => {
    const alerts = { get: () => makeAlert(alert) };
    return isFurtherReplyToMate(event, facts, { alerts } as unknown as RunContext);
  };
  expect(isFurther({ concerns: [earlier] })).toBe(true);
  expect(isFurther({ concerns: [earlier], promptedAtMs: stop.atMs - 5_000 })).toBe(false);
  expect(isFurther({ concerns: [{ ...earlier, id: stop.id }] })).toBe(false);
  expect(isFurther({ concerns: [concern("a", { kind: "finished", atMs: earlier.atMs })] })).toBe(false);
  expect(isFurther({ concerns: [earlier] }, { ...stop, event: "SubagentStop" })).toBe(false);
  expect(isFurther({ concerns: [earlier] }, stop, {})).toBe(false);
});
