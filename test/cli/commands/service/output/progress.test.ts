import { expect, test } from "vitest";
import { createProgress } from "../../../../../src/cli/commands/service/output/progress.ts";
import type { CliContext } from "../../../../../src/cli/context.ts";
import { createTerminal } from "../../../../world/service-home.ts";

/** Creates a terminal, and an interval that ticks on command. */
function createWorld(env: NodeJS.ProcessEnv = {}) {
  const errorTerminal = createTerminal(20);
  const ticks: (() => void)[] = [];
  const timer = { cancel: () => ticks.splice(0), ref: () => timer };
  const every = (_: number, act: () => void) => {
    ticks.push(act);
    return timer;
  };
  const context = { errorTerminal, every, environment: { env } } as unknown as CliContext;
  return { errorTerminal, ticks, progress: createProgress(context) };
}

const clear = "\r\u001b[2K";

test("the progress line is there at once, its mark moves, and it disappears", () => {
  const { errorTerminal, ticks, progress } = createWorld();
  progress.spin("Requesting …");
  expect(errorTerminal.written).toBe(`${clear}| Requesting …`);
  ticks[0]?.();
  progress.spin("900 rows …");
  ticks[0]?.();
  expect(errorTerminal.written).toMatch(/\/ Requesting ….*\/ 900 rows ….*- 900 rows …$/s);
  expect(ticks).toHaveLength(1);
  progress.clear();
  expect(errorTerminal.written.endsWith(clear)).toBe(true);
  expect(ticks).toEqual([]);
});

test("a terminal that cannot move its cursor gets no progress line and no timer", () => {
  const { errorTerminal, ticks, progress } = createWorld({ TERM: "dumb" });
  progress.spin("Requesting …");
  progress.clear();
  expect([errorTerminal.written, ticks]).toEqual(["", []]);
});

test("a line is cut to the terminal", () => {
  const { errorTerminal, progress } = createWorld();
  progress.spin("x".repeat(50));
  expect(errorTerminal.written.slice(clear.length)).toHaveLength(19);
  progress.clear();
});
