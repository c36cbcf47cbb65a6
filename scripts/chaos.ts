/**
 * Fires events while the worker is killed every 200 ms, or stopped: `npm run chaos -- [--events N] [--full-disk]
 * [--clock]`. `--full-disk` fills the spool's disk for a while (Linux, as root: it mounts a tmpfs); `--clock` sets the
 * clock back an hour halfway (needs Debian's package `faketime`). Prints the result; fails if an event was lost or
 * arrived more than twice. `npm run chaos -- --asks N` has agents ask for permission instead, and fails if one is allowed
 * that nobody allowed, or a request stays open.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { askWhileKilling } from "../test/answers/kill-workers.ts";
import { type ChaosResult, runChaos } from "../test/worker/chaos.ts";
import { createAskingHome } from "../test/world/asking-agent.ts";
import { fillDisk } from "../test/world/full-disk.ts";
import { createHome, type Home } from "../test/world/home.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000" },
    "full-disk": { type: "boolean", default: false },
    clock: { type: "boolean", default: false },
    asks: { type: "string" },
  },
});
const events = Number(values.events);
const home = createHome("beckon-chaos");
const fullDiskMs = 3_000;

let isFull = false;
const settlingMs = 1_000;

/** Fires no hooks while the disk is full: their events could not be stored and would not count as accepted. */
async function fillForAWhile(): Promise<void> {
  isFull = true;
  await sleep(settlingMs);
  const free = fillDisk(home.paths.spool);
  await sleep(fullDiskMs);
  free();
  isFull = false;
}

function mountSpool(): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs", home.paths.spool]);
  for (const folder of ["tmp", "new", "cur", "dead"]) mkdirSync(join(home.paths.spool, folder));
}

const clockFile = join(home.paths.root, "clock");
/** Sets the fake clock. The file is replaced by a rename, because libfaketime reads it each time. */
function setClock(offset: string): void {
  writeFileSync(`${clockFile}.new`, `${offset}\n`);
  renameSync(`${clockFile}.new`, clockFile);
}
const library = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketime.so.1`;
const faked = {
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: clockFile,
  FAKETIME_NO_CACHE: "1",
  DONT_FAKE_MONOTONIC: "1",
};
const disturbed: Home = {
  ...home,
  async launch(args, input) {
    while (isFull) await sleep(100);
    return home.launch(args, input, { env: values.clock ? faked : {} });
  },
};

async function disturb(fired: number): Promise<void> {
  if (values["full-disk"] && fired === Math.floor(events / 3)) await fillForAWhile();
  if (values.clock && fired === Math.floor(events / 2)) setClock("-1h");
}

function report({ lost, twice, moreOften, kills, stops, tookMs }: ChaosResult): void {
  const rate = ((events * 1000) / tookMs).toFixed(0);
  console.log(`${events} events to 2 receivers in ${(tookMs / 1000).toFixed(1)} s: ${rate} a second`);
  console.log(`worker killed ${kills} times, stopped ${stops} times`);
  console.log(`deliveries lost ${lost}, made twice ${twice}, more often ${moreOften}`);
}

if (values.asks !== undefined) {
  const asking = createAskingHome();
  const result = await askWhileKilling(asking, Number(values.asks)).finally(() => asking.remove());
  console.log(result);
  process.exit(result.forged + result.foreign + result.leftOpen > 0 ? 1 : 0);
}

try {
  if (values["full-disk"]) mountSpool();
  setClock("+0");
  const result = await runChaos(disturbed, { events, killEveryMs: 200, disturb });
  report(result);
  process.exitCode = result.lost + result.moreOften > 0 ? 1 : 0;
} finally {
  await home.killWorker();
  if (values["full-disk"]) execFileSync("umount", ["-l", home.paths.spool]);
  await home.remove();
}
