import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createHome, type Home, sleep } from "../world/home.ts";
import { expectSilence, quiet, stop } from "./stop-hook.ts";

let home: Home;
let sleeper: ChildProcess;
beforeEach(() => {
  home = createHome();
  home.writeConfig(quiet);
  sleeper = spawn("sleep", ["600"]);
});
afterEach(async () => {
  sleeper.kill();
  await home.remove();
});

/** The process that runs all test files: Node, and older than a worker ever takes to start, if need be after a wait. */
const oldNode = process.ppid;
beforeAll(() => sleep(Math.max(0, 11_000 - process.uptime() * 1_000))); // it is older than this one, which it has started

const ways = ["launcher", "entrypoint"] as const;
const fire = (way: (typeof ways)[number]) =>
  way === "launcher"
    ? home.launch(["Stop", "--agent", "claude"], stop)
    : home.enter("stop", ["--agent", "claude"], stop);

test.each(
  ways.flatMap(
    (way) =>
      [
        [way, "another program", () => sleeper.pid],
        [way, "a process of Node that started long ago", () => oldNode],
      ] as const,
  ),
)("%s: the mark of a start whose number is now %s holds nothing up", async (way, _, pidOf) => {
  writeFileSync(home.paths.starting, `${pidOf()}\n`, { mode: 0o600 });
  const aMinuteAgo = new Date(Date.now() - 60_000);
  utimesSync(home.paths.starting, aMinuteAgo, aMinuteAgo);
  for (let count = 0; count < 3; count += 1) expectSilence(await fire(way));
  await home.until((journal) => journal.filter(({ status }) => status === "skipped").length >= 1);
  expect(existsSync(home.paths.starting)).toBe(false);
});
