import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "../../../bench/table.ts";
import { repository, sleep } from "../../world/home.ts";
import { createMeter, type Meter, type Metered } from "../../world/meter.ts";
import { type Check, isRoot, makeStop, telling, until } from "./check.ts";
import type { Machine } from "./machine.ts";

const rounds = 24;
/** Maximum time of a hook relative to `node -e 0`. */
const usualMost = 0.4;
/** posh, used mostly for testing scripts, runs `printf` and `kill` as programs. */
const maxRatios: Readonly<Record<string, number>> = { posh: 0.45 };

/** Hook time relative to `node -e 0`: processor time, and wall time. */
interface Ratios {
  readonly cpu: number;
  readonly wall: number;
}

/** Waits until no worker is running. */
async function asleep({ home }: Machine): Promise<void> {
  await until(() => (home.spooled().length > 0 || home.workerPid() !== undefined ? "a worker is there" : undefined));
  await sleep(30); // the process ends a moment after releasing its lock
}

/** Waits until a worker lingers and is idle. */
async function awake({ home }: Machine): Promise<void> {
  if (home.workerPid() === undefined) await home.launch(["Stop"], "{}");
  await until(() => (home.spooled().length > 0 || home.workerPid() === undefined ? "no worker is there" : undefined));
}

/** Runs hooks and `node -e 0` in turn, and measures both. */
async function measure(machine: Machine, linger: string, ready: (machine: Machine) => Promise<void>): Promise<Ratios> {
  await machine.startAfresh(telling(machine, { delivery: { linger } }));
  const input = join(machine.userHome, "input.json");
  writeFileSync(input, makeStop("time"));
  const meters: readonly Meter[] = [
    [machine.home.paths.launcher, "Stop", "--agent", "claude"],
    [process.execPath, "-e", "0"],
  ].map((command) => createMeter(join(repository, "bash"), command, input, machine.home.env));
  for (let round = 0; round <= rounds; round += 1) {
    await ready(machine);
    for (const meter of meters) await meter.run();
  }
  const [hook, node] = meters.map((meter) => meter.stop());
  // The measured hooks have done their work.
  await until(() => {
    const events = new Set(machine.home.journal().map(({ id }) => id));
    return events.size > rounds ? undefined : `only ${events.size} events came`;
  });
  return { cpu: (hook?.cpuMs ?? 0) / (node?.cpuMs ?? 0), wall: calmWallMs(hook) / calmWallMs(node) };
}

/** Returns the wall time that a quarter of the runs do not exceed, because other programs disturb the slower runs. */
function calmWallMs(metered: Metered | undefined): number {
  return quantile(metered?.wallsMs ?? [], 0.25);
}

/** Check of the time of a hook. The promise is about wall time. */
export const timeCheck: Check = {
  name: `the launcher takes at most ${usualMost} times as long as node -e 0`,
  isFor: isRoot,
  async run(machine) {
    const texts: string[] = [];
    for (const [when, linger, ready] of [
      ["with a worker", "2m", awake],
      ["without", "0s", asleep],
    ] as const) {
      const most = maxRatios[machine.root?.name ?? ""] ?? usualMost;
      const { cpu, wall } = await measure(machine, linger, ready);
      const text = `${when} ${wall.toFixed(2)} (processor ${cpu.toFixed(2)})`;
      // On a shared machine, either ratio may be too high, but neither is too low.
      assert.ok(Math.min(cpu, wall) <= most, text);
      texts.push(text);
    }
    return texts.join(", ");
  },
};
