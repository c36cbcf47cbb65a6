import { expect, it } from "vitest";
import { startDeadline } from "../../src/service/deadline.ts";

it("a deadline that is released keeps no process alive and no signal in hand", () => {
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
