import fc from "fast-check";
import { expect, test } from "vitest";
import { spanOf } from "../../src/board/day.ts";
import { figuresOf, median } from "../../src/board/figures.ts";
import { reachOf } from "../../src/board/reach.ts";
import { sharesOf } from "../../src/board/shares.ts";
import { storiesOf } from "../../src/board/story.ts";
import { waitsOf } from "../../src/board/waits.ts";
import type { JournalLine } from "../../src/pipeline/journal-line.ts";
import { alertOf, concern } from "../world/alerts.ts";
import { at, line, sunday } from "./journal.ts";

const minuteMs = 60_000;
const figures = (lines: readonly JournalLine[], day: string) =>
  figuresOf(storiesOf(lines), waitsOf(lines, [], 0), spanOf(day));

test("the figures of a day are those worked out by hand", () => {
  expect(figures(sunday, "2026-11-22")).toEqual({
    waitedMs: (15 + 10 + 30) * minuteMs,
    reactionMs: 10 * minuteMs,
    calls: 4,
    held: 1,
    finished: 2,
    failed: 1,
  });
});

test("a wait over midnight belongs to both days, each with its part", () => {
  expect(figures(sunday, "2026-11-23")).toMatchObject({ waitedMs: 10 * minuteMs, reactionMs: 20 * minuteMs, calls: 1 });
  expect(figures(sunday, "2026-11-21")).toMatchObject({ waitedMs: 0, reactionMs: undefined, finished: 1, calls: 1 });
});

test("an event whose beginning is not among the lines does not count as one of the day", () => {
  const later = line("22 08:00", "f0", { event: "Stop", kind: "finished", status: "resolved", waitedMs: 5 });
  expect(figures([later], "2026-11-22")).toMatchObject({ finished: 0 });
});

test("what is open counts up to now", () => {
  const open = { alert: alertOf({ project: "shop" }), concern: concern("n9", { atMs: at("22 08:00") }) };
  const waits = waitsOf([], [open], at("22 08:07"));
  expect(figuresOf([], waits, spanOf("2026-11-22"))).toMatchObject({ waitedMs: 7 * minuteMs, reactionMs: undefined });
});

test("projects and agents have their shares, and used what their sessions' counts grew by", () => {
  const shares = (by: "project" | "agent") =>
    sharesOf(by, storiesOf(sunday), waitsOf(sunday, [], 0), spanOf("2026-11-22"));
  expect(shares("project")).toMatchObject([
    { name: "api", sessions: 1, waitedMs: 30 * minuteMs, calls: 1, failed: 1, tokens: undefined },
    { name: "shop", sessions: 1, waitedMs: 25 * minuteMs, calls: 3, finished: 2, tokens: 4_500, credits: 2 },
  ]);
  expect(shares("agent").map(({ name }) => name)).toEqual(["codex", "claude"]);
});

test("each notifier says what it sent, held and lost, and its last error with whether that is over", () => {
  expect(reachOf(sunday, ["desk", "chime"], spanOf("2026-11-22"))).toEqual([
    {
      ...{ notifier: "desk", sent: 3, held: 1, failed: 1 },
      error: { atMs: at("22 10:00:02"), reason: "auth: HTTP 401", isOver: true },
    },
    { notifier: "chime", sent: 0, held: 0, failed: 0, error: undefined },
    {
      ...{ notifier: "phone", sent: 1, held: 0, failed: 0 },
      error: { atMs: at("22 09:15"), reason: "unavailable: connection refused", isOver: true },
    },
  ]);
});

test("the median is the middle value, of two the mean", () => {
  expect([median([]), median([3]), median([9, 1]), median([9, 1, 4])]).toEqual([undefined, 3, 5, 4]);
});

test("time that was waited is what a count of every minute says", () => {
  const request = fc.record({
    session: fc.nat(2),
    startMinute: fc.nat(1_500),
    minutes: fc.integer({ min: 1, max: 400 }),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
      const midnightMs = at("22 00:00");
      const lines = requests.map(({ session, startMinute, minutes }, index) => ({
        ...line("22 00:00", `n${index}`, { status: "resolved", resolvedBy: "prompt", waitedMs: minutes * minuteMs }),
        at: new Date(midnightMs + (startMinute + minutes) * minuteMs).toISOString(),
        sessionId: `s-${session}`,
      }));
      let counted = 0;
      for (let minute = 0; minute < 24 * 60; minute += 1) {
        const isOpen = ({ startMinute, minutes }: (typeof requests)[number]) =>
          minute >= startMinute && minute < startMinute + minutes;
        counted += new Set(requests.filter(isOpen).map(({ session }) => session)).size;
      }
      expect(figures(lines, "2026-11-22").waitedMs).toBe(counted * minuteMs);
    }),
    { seed: 5 },
  );
});
