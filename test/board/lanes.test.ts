import { expect, test } from "vitest";
import { spanOf } from "../../src/board/day.ts";
import { activeHours, type LaneSpan, lanesOf, workOf } from "../../src/board/lanes.ts";
import { storiesOf } from "../../src/board/story.ts";
import { waitsOf } from "../../src/board/waits.ts";
import { at, line, sunday } from "./journal.ts";

const clock = (ms: number) => new Date(ms).toTimeString().slice(0, 5);
const shown = ({ state, startMs, endMs, label }: LaneSpan) => `${state} ${clock(startMs)}-${clock(endMs)} ${label}`;
const lanes = (day: string) =>
  lanesOf(
    { stories: storiesOf(sunday), waits: waitsOf(sunday, [], 0), working: [], nowMs: at("23 12:00") },
    spanOf(day),
  );

test("a project's lane shows its sessions' work, what was silenced, and above them what waited", () => {
  const [api, shop] = lanes("2026-11-22");
  expect(api?.project).toBe("api");
  expect(api?.spans.map(shown)).toEqual(["working 11:40-12:00 codex", "waited 10:00-10:30 codex"]);
  expect(api?.marks).toEqual([{ state: "failed", atMs: at("22 12:00"), label: "codex" }]);
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

test("a day of which nothing is known has no lanes", () => {
  expect(lanes("2026-11-01")).toEqual([]);
});

test("a session works from its prompt to now while it goes on", () => {
  const own = storiesOf([line("22 09:00", "p1", { event: "Prompt", kind: "info", status: "accepted" })]);
  const now = { sinceMs: at("22 09:00"), nowMs: at("22 09:30") };
  expect(workOf(own, [], now)).toEqual([{ startMs: at("22 09:00"), endMs: at("22 09:30") }]);
  expect(workOf(own, [], undefined)).toEqual([]);
});

test("a turn that waited has worked before and after", () => {
  const own = storiesOf([
    line("22 10:00", "f", { event: "Stop", kind: "finished", status: "accepted", turnMs: 3_600_000 }),
  ]);
  const wait = { startMs: at("22 09:10"), endMs: at("22 09:40") };
  const request = {
    ...wait,
    id: "n",
    session: "",
    agent: "",
    project: "",
    kind: "needs-you" as const,
    resolvedBy: "result",
  };
  expect(workOf(own, [request], undefined)).toEqual([
    { startMs: at("22 09:00"), endMs: at("22 09:10") },
    { startMs: at("22 09:40"), endMs: at("22 10:00") },
  ]);
});

test("a day is shown from its first hour to its last, today to now, eight hours at least", () => {
  const mark = (time: string) => ({ state: "done" as const, atMs: at(time), label: "" });
  const lane = (...marks: ReturnType<typeof mark>[]) => [{ project: "", waitedMs: 0, workedMs: 0, spans: [], marks }];
  const day = spanOf("2026-11-22");
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
