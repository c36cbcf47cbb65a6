import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { addDays, clip, hoursIn, sameTimeOn, toDay, toSpan, unionMs } from "../../src/board/day.ts";
import { computeFigures, computeReach, computeShares, median } from "../../src/board/figures.ts";
import { searchJournal } from "../../src/board/search.ts";
import { buildStories, isShown, listHolds } from "../../src/board/story.ts";
import { activeHours, buildLanes, findWorkSpans, type LaneSpan } from "../../src/board/timeline.ts";
import { buildWaits } from "../../src/board/waits.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { concern, makeAlert } from "../world/alerts.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { at, line, sunday } from "./journal.ts";

describe("day", () => {
  const hourMs = 3_600_000;
  beforeEach(() => void vi.stubEnv("TZ", "Europe/Berlin"));

  test("a day goes from local midnight to local midnight, 23 or 25 hours at clock changes", () => {
    const hours = (day: string) => (toSpan(day).endMs - toSpan(day).startMs) / hourMs;
    expect([hours("2026-11-22"), hours("2026-03-29"), hours("2026-10-25")]).toEqual([24, 23, 25]);
    expect(new Date(toSpan("2026-10-25").startMs).toISOString()).toBe("2026-10-24T22:00:00.000Z");
    expect(new Date(toSpan("2026-10-25").endMs).toISOString()).toBe("2026-10-25T23:00:00.000Z");
  });

  test("a night is split, and events after midnight belong to the next day", () => {
    expect(toDay(Date.parse("2026-11-22T22:59:59Z"))).toBe("2026-11-22");
    expect(toDay(Date.parse("2026-11-22T23:00:00Z"))).toBe("2026-11-23");
  });

  test("days follow each other over clock changes, months and years", () => {
    expect([addDays("2026-03-28", 1), addDays("2026-03-29", 1)]).toEqual(["2026-03-29", "2026-03-30"]);
    expect([addDays("2026-10-25", 1), addDays("2027-01-01", -1)]).toEqual(["2026-10-26", "2026-12-31"]);
  });

  test("if midnight does not exist, a day begins with its first moment", () => {
    vi.stubEnv("TZ", "America/Santiago");
    const { startMs, endMs } = toSpan("2026-09-06");
    expect([toDay(startMs), toDay(startMs - 1), (endMs - startMs) / hourMs]).toEqual(["2026-09-06", "2026-09-05", 23]);
  });

  test("the same time of another day is the same wall-clock time", () => {
    const atMs = Date.parse("2026-10-27T08:30:00Z"); // 09:30 in winter
    expect(new Date(sameTimeOn("2026-10-20", atMs)).toISOString()).toBe("2026-10-20T07:30:00.000Z");
  });

  test("the hours of a day follow the wall clock", () => {
    const hours = (day: string) => hoursIn(toSpan(day), 1).map(({ hour }) => hour);
    expect(hours("2026-03-29")).not.toContain(2);
    expect(hours("2026-10-25")).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
    expect(hoursIn(toSpan("2026-11-22"), 6).map(({ hour }) => hour)).toEqual([0, 6, 12, 18]);
  });

  test("spans are cut to others, and their union counts overlaps once", () => {
    const span = (startMs: number, endMs: number) => ({ startMs, endMs });
    expect(clip(span(0, 10), span(5, 20))).toEqual([span(5, 10)]);
    expect(clip(span(0, 5), span(5, 20))).toEqual([]);
    expect(unionMs([span(0, 10), span(5, 8), span(9, 12), span(20, 21)])).toBe(13);
  });
});

describe("figures", () => {
  const minuteMs = 60_000;
  const figures = (lines: readonly JournalLine[], day: string) =>
    computeFigures(buildStories(lines), buildWaits(lines, [], 0), toSpan(day));

  test("the figures of a day match those calculated by hand", () => {
    const times = { waitedMs: (15 + 10 + 30) * minuteMs, reactionMs: 10 * minuteMs };
    expect(figures(sunday, "2026-11-22")).toEqual({ ...times, calls: 4, held: 1, finished: 2, failed: 1 });
  });

  test("a wait over midnight belongs to both days, each with its part", () => {
    const monday = { waitedMs: 10 * minuteMs, reactionMs: 20 * minuteMs, calls: 1 };
    expect(figures(sunday, "2026-11-23")).toMatchObject(monday);
    expect(figures(sunday, "2026-11-21")).toMatchObject({ waitedMs: 0, reactionMs: undefined, finished: 1, calls: 1 });
  });

  test("an event whose first line is missing does not count for the day", () => {
    const later = line("22 08:00", "f0", { event: "Stop", kind: "finished", status: "resolved", waitedMs: 5 });
    expect(figures([later], "2026-11-22")).toMatchObject({ finished: 0 });
  });

  test("parallel waits count once, and a message counts as held only where it could be delivered", () => {
    const other = { sessionId: "s-9", status: "resolved", resolvedBy: "prompt", waitedMs: 20 * minuteMs } as const;
    expect(figures([...sunday, line("22 09:25", "n9", other)], "2026-11-22").waitedMs).toBe(60 * minuteMs);
    const hold = { status: "held", until: new Date(at("22 10:00")).toISOString(), heldFor: "silence" } as const;
    const useless = { status: "skipped", reason: "unsupported: no desktop", notifier: "desk" } as const;
    const event = (id: string, ...names: string[]) => [
      ...names.map((notifier) => line("22 09:00", id, { ...hold, notifier })),
      line("22 10:00", id, useless),
    ];
    const lines = [...event("a", "desk"), ...event("b", "desk", "phone", "pager")];
    expect(figures(lines, "2026-11-22").held).toBe(1);
    expect(computeReach(lines, [], toSpan("2026-11-22")).map(({ held }) => held)).toEqual([0, 1, 1]);
    const [lane] = buildLanes({ ...known, stories: buildStories(lines), waits: [] }, toSpan("2026-11-22"));
    expect(lane?.spans.map(shown)).toEqual(["silenced 09:00-10:00 Claude Code"]);
  });

  test("open waits count up to now", () => {
    const open = { alert: makeAlert({ project: "shop" }), concern: concern("n9", { atMs: at("22 08:00") }) };
    const waits = buildWaits([], [open], at("22 08:07"));
    const figures = computeFigures([], waits, toSpan("2026-11-22"));
    expect(figures).toMatchObject({ waitedMs: 7 * minuteMs, reactionMs: undefined });
  });

  test("projects and agents have their shares, and credits grow with their sessions' counts", () => {
    const shares = (by: "project" | "agent") =>
      computeShares(by, buildStories(sunday), buildWaits(sunday, [], 0), toSpan("2026-11-22"));
    expect(shares("project")).toMatchObject([
      { name: "api", sessions: 1, waitedMs: 30 * minuteMs, calls: 1, failed: 1, tokens: undefined },
      { name: "shop", sessions: 1, waitedMs: 25 * minuteMs, calls: 3, finished: 2, tokens: 4_500, credits: 2 },
    ]);
    expect(shares("agent").map(({ name }) => name)).toEqual(["codex", "claude"]);
  });

  test("each notifier has its sent, held and lost counts, and its last error with its state", () => {
    const refused = { atMs: at("22 10:00:02"), reason: "auth: HTTP 401", isResolved: true };
    const unreached = { atMs: at("22 09:15"), reason: "unavailable: connection refused", isResolved: true };
    const reason = "unsupported: no player";
    const mute = { atMs: at("22 09:20"), reason, isResolved: false };
    const lines = [...sunday, line("22 09:20", "n8", { notifier: "chime", status: "skipped", reason })];
    expect(computeReach(lines, ["desk", "chime"], toSpan("2026-11-22"))).toEqual([
      { notifier: "desk", sent: 3, held: 1, failed: 1, error: refused },
      { notifier: "chime", sent: 0, held: 0, failed: 0, error: mute },
      { notifier: "phone", sent: 1, held: 0, failed: 0, error: unreached },
    ]);
    expect(computeReach(lines, ["desk"], toSpan("2026-11-22"))[2]).toMatchObject({ error: undefined }); // removed since
  });

  test("the median is the middle value, or the mean of two", () => {
    expect([median([]), median([3]), median([9, 1]), median([9, 1, 4])]).toEqual([undefined, 3, 5, 4]);
  });

  test("the waiting time matches a minute-by-minute count", () => {
    const minutes = fc.integer({ min: 1, max: 400 });
    const request = fc.record({ session: fc.nat(2), startMinute: fc.nat(1_500), minutes });
    const property = fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
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
        counted += Number(requests.some(isOpen));
      }
      expect(figures(lines, "2026-11-22").waitedMs).toBe(counted * minuteMs);
    });
    fc.assert(property, { seed: 5 });
  });
});

const clock = (ms: number) => new Date(ms).toTimeString().slice(0, 5);
const shown = ({ state, startMs, endMs, label }: LaneSpan) => `${state} ${clock(startMs)}-${clock(endMs)} ${label}`;
const known = { stories: buildStories(sunday), waits: buildWaits(sunday, [], 0), working: [], nowMs: at("23 12:00") };
const lanes = (day: string) => buildLanes(known, toSpan(day));

test("a project's lane shows its sessions' work, held messages, and waits on top", () => {
  const [api, shop] = lanes("2026-11-22");
  expect(api?.project).toBe("api");
  expect(api?.spans.map(shown)).toEqual(["working 11:40-12:00 Codex", "waited 10:00-10:30 Codex"]);
  expect(api?.marks).toEqual([{ state: "failed", atMs: at("22 12:00"), label: "Codex" }]);
  expect(shop?.spans.map(shown)).toEqual([
    "working 09:00-09:10 Fix the till",
    "working 09:25-09:30 Fix the till",
    "silenced 22:30-00:00 Fix the till",
    "waited 09:10-09:20 Fix the till",
    "waited 09:15-09:25 Fix the till",
    "waited 23:50-00:00 Fix the till",
  ]);
  expect(shop?.marks.map(({ state, atMs }) => `${state} ${clock(atMs)}`)).toEqual(["done 09:30", "done 22:30"]);
  expect(shop).toMatchObject({ waitedMs: 25 * 60_000, workedMs: 15 * 60_000 });
});

test("a day without data has no lanes", () => {
  expect(lanes("2026-11-01")).toEqual([]);
});

test("a session in progress works from its prompt to now", () => {
  const own = buildStories([line("22 09:00", "p1", { event: "Prompt", kind: "info", status: "accepted" })]);
  const now = { sinceMs: at("22 09:00"), nowMs: at("22 09:30") };
  expect(findWorkSpans(own, [], now)).toEqual([{ startMs: at("22 09:00"), endMs: at("22 09:30") }]);
  expect(findWorkSpans(own, [], undefined)).toEqual([]);
});

test("a turn that waited counts as work before and after", () => {
  const stop = { event: "Stop", kind: "finished", status: "accepted", turnMs: 3_600_000 } as const;
  const own = buildStories([line("22 10:00", "f", stop)]);
  const wait = { startMs: at("22 09:10"), endMs: at("22 09:40"), kind: "needs-you", resolvedBy: "result" } as const;
  const request = { ...wait, id: "n", session: "", agent: "", project: "" };
  expect(findWorkSpans(own, [request], undefined)).toEqual([
    { startMs: at("22 09:00"), endMs: at("22 09:10") },
    { startMs: at("22 09:40"), endMs: at("22 10:00") },
  ]);
});

test("a day is shown from its first hour to its last, today up to now, eight hours at least", () => {
  const mark = (time: string) => ({ state: "done" as const, atMs: at(time), label: "" });
  const lane = (...marks: ReturnType<typeof mark>[]) => [{ project: "", waitedMs: 0, workedMs: 0, spans: [], marks }];
  const day = toSpan("2026-11-22");
  const hours = (marks: ReturnType<typeof lane>, now: string) => {
    const { startMs, endMs } = activeHours(marks, day, at(now));
    return [clock(startMs), clock(endMs)];
  };
  expect(hours(lane(mark("22 09:10"), mark("22 18:50")), "24 12:00")).toEqual(["09:00", "19:00"]);
  expect(hours(lane(mark("22 09:10")), "22 20:30")).toEqual(["09:00", "21:00"]);
  expect(hours(lane(mark("22 09:10")), "24 12:00")).toEqual(["09:00", "17:00"]);
  expect(hours(lane(mark("22 23:10")), "24 12:00")).toEqual(["16:00", "00:00"]);
  expect(hours([], "24 12:00")).toEqual(["00:00", "00:00"]);
});

describe("other machines", () => {
  const minuteMs = 60_000;
  const there = { host: "devbox" };
  const ends = { status: "resolved", resolvedBy: "prompt", waitedMs: 5 * minuteMs } as const;
  /** The same session, by its agent and id, here and on another machine. */
  const lines = [
    line("22 09:00", "n1", { status: "accepted", summary: "here" }),
    line("22 09:05", "n1", ends),
    line("22 09:00", "n2", { ...there, status: "accepted", summary: "there" }),
    line("22 09:05", "n2", { ...there, ...ends }),
  ];

  test("a session of another machine is a different session in a different project", () => {
    const [here, other] = buildStories(lines);
    expect([here?.project, other?.project]).toEqual(["shop", "shop@devbox"]);
    expect(here?.session).not.toBe(other?.session);
    const waits = buildWaits(lines, [], at("22 10:00"));
    expect(waits.map(({ project }) => project)).toEqual(["shop", "shop@devbox"]);
    expect(waits.map(({ session }) => session)).toEqual([here?.session, other?.session]);
  });

  test("the log is searched by the project of one machine", async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, "2026-11.jsonl"), lines.map((item) => `${JSON.stringify(item)}\n`).join(""));
    const found = async (project: string) => {
      const stories = await searchJournal(folder, { words: "", kind: "", agent: "", project }, 10);
      return stories.map(({ id }) => id);
    };
    expect(await found("shop@devbox")).toEqual(["n2"]);
    expect(await found("shop")).toEqual(["n1"]);
  });
});

function held(time: string, heldFor?: string): JournalLine {
  const hold = { status: "held", notifier: "desk", until: new Date(at(time)).toISOString() } as const;
  return line("22 09:00", "one", { ...hold, ...(heldFor !== undefined && { heldFor }) });
}

test.each([
  ["quiet hours", held("22 11:00", "silence"), true],
  ["the user looks at the terminal", held("22 09:00:30", "watching"), true],
  ["a line from before reasons were recorded", held("22 11:00"), true],
  ["such a line within the first two seconds", held("22 09:00:02"), false],
  ["a wait, also one that others extend", held("22 09:00:09", "wait"), false],
  ["a later step", held("22 09:05", "step"), false],
  ["a sent message", line("22 09:00", "one", { status: "sent" }), false],
])("a hold has a reason or not: %s", (_, item, expected) => {
  expect(listHolds([item]).length === 1).toBe(expected);
});

test("a postponed event that was judged again has its last kind", () => {
  const end = { event: "SessionEnd", notifier: "desk" };
  const first = { ...end, kind: "info", status: "accepted", reason: "it is too early to tell" } as const;
  const again = line("22 09:01", "one", { ...end, kind: "failed", status: "sent" });
  const [story] = buildStories([line("22 09:00", "one", first), again]);
  expect(story).toMatchObject({ kind: "failed", isEcho: false, hasBegun: true, atMs: at("22 09:00") });
});

test("a user's prompts, and events with only their end known, are hidden", () => {
  const prompt = line("22 09:00", "p", { event: "Prompt", kind: "info", status: "accepted" });
  const [late, ask] = (["resolved", "accepted"] as const).map((status) => line("22 09:00", status, { status }));
  expect(buildStories([prompt, late ?? prompt, ask ?? prompt]).map(isShown)).toEqual([false, false, true]);
});
