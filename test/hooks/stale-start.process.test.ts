import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { freshHome } from "../world/fresh-home.ts";
import { type Home, sleep } from "../world/home.ts";
import { callStop, expectSilence, quiet, untilSkipped, ways } from "./stop-hook.ts";

let home: Home;
let sleeper: ChildProcess;
beforeEach(() => {
  home = freshHome(quiet);
  sleeper = spawn("sleep", ["600"]);
});
afterEach(() => void sleeper.kill());

/** The process that runs all test files: Node, and older than a worker ever takes to start, if need be after a wait. */
const oldNode = process.ppid;
beforeAll(() => sleep(Math.max(0, 11_000 - process.uptime() * 1_000))); // it is older than this one, which it has started

const strangers = {
  "another program": () => sleeper.pid,
  "a process of Node that started long ago": () => oldNode,
};
const rows = ways.flatMap((way) => Object.entries(strangers).map(([which, pidOf]) => [way, which, pidOf] as const));

test.each(rows)("%s: the mark of a start whose number is now %s holds nothing up", async (way, _, pidOf) => {
  writeFileSync(home.paths.starting, `${pidOf()}\n`, { mode: 0o600 });
  const aMinuteAgo = new Date(Date.now() - 60_000);
  utimesSync(home.paths.starting, aMinuteAgo, aMinuteAgo);
  for (let count = 0; count < 3; count += 1) expectSilence(await callStop(home, way, ["--agent", "claude"]));
  await untilSkipped(home);
  expect(existsSync(home.paths.starting)).toBe(false);
});
