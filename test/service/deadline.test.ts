import { expect, test } from "vitest";
import { startDeadline } from "../../src/service/deadline.ts";

test("a released deadline keeps neither a timer nor a listener on the caller's signal", () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const outer = new AbortController();
  const deadline = startDeadline(60_000, outer.signal);
  expect(timers()).toBe(before + 1);
  deadline.release();
  expect(timers()).toBe(before);
  outer.abort();
  expect([deadline.signal.aborted, deadline.ending()]).toEqual([false, undefined]);
});
