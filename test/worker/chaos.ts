import { setTimeout as sleep } from "node:timers/promises";
import { quietly } from "../../src/core/quietly.ts";
import { findProcess } from "../../src/files/process-table.ts";
import { put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import type { Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

export interface ChaosOptions {
  readonly events: number;
  /** Interval between kills of the worker, in milliseconds. */
  readonly killEveryMs: number;
  /** Further faults of the machine, called with the number of events fired so far. */
  readonly disturb?: (fired: number) => Promise<void>;
}

/** Result of a run, as counts of events at one receiver. */
export interface ChaosResult {
  readonly lost: number;
  readonly twice: number;
  readonly moreOften: number;
  readonly kills: number;
  readonly stops: number;
  readonly tookMs: number;
}

const stopEvery = 7;
const callers = 8;
/** Every event whose number is a multiple of this goes through the launcher, which wakes the worker. */
const launchEvery = 5;

/** Fires events at two receivers while the worker is repeatedly killed, or stopped and continued. */
export async function runChaos(home: Home, { events, killEveryMs, disturb }: ChaosOptions): Promise<ChaosResult> {
  const receivers = await Promise.all([startReceiver(), startReceiver()]);
  const [one, two] = receivers.map(({ url }) => ({ type: "webhook", url }));
  home.writeConfig({ notifiers: { one, two }, delivery: { linger: "2s", retryDelays: ["200ms"] } });
  const startedAtMs = performance.now();
  const ending = new AbortController();
  const killing = killWorkers(home, killEveryMs, ending.signal);
  try {
    await fireAll(home, events, disturb);
  } finally {
    ending.abort();
  }
  const counts = await killing;
  await drain(home, receivers, events);
  const tookMs = performance.now() - startedAtMs;
  const times = receivers.flatMap((receiver) => countDeliveries(receiver, events));
  await Promise.all(receivers.map((receiver) => receiver.close()));
  const countTimes = (isMeant: (count: number) => boolean) => times.filter(isMeant).length;
  return {
    lost: countTimes((n) => n === 0),
    twice: countTimes((n) => n === 2),
    moreOften: countTimes((n) => n > 2),
    ...counts,
    tookMs,
  };
}

/** Kills the worker at intervals; every seventh time stops it for one interval. */
async function killWorkers(home: Home, everyMs: number, signal: AbortSignal) {
  const counts = { kills: 0, stops: 0 };
  for (let round = 1; !signal.aborted; round += 1) {
    await sleep(everyMs);
    const pid = home.workerPid();
    if (!pid || findProcess(pid)?.name !== "beckon-worker") continue;
    const isStop = round % stopEvery === 0;
    const send = (signal: NodeJS.Signals) => quietly(() => process.kill(pid, signal)); // it may just have exited
    send(isStop ? "SIGSTOP" : "SIGKILL");
    counts[isStop ? "stops" : "kills"] += 1;
    if (!isStop) continue;
    await sleep(everyMs);
    send("SIGCONT");
  }
  return counts;
}

async function fireAll(home: Home, events: number, disturb: ChaosOptions["disturb"]): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let number = next++; number < events; number = next++) {
      if (number % launchEvery === 0) await home.launch(["Stop", "--agent", "claude"], payload(`s${number}`));
      else await store(home, number);
      await disturb?.(number);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

/** Stores an event as an entrypoint does, retrying while the disk is full. */
async function store({ paths }: Home, number: number): Promise<void> {
  const record = encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(payload(`s${number}`)));
  for (;;) {
    try {
      return put(paths.spool, `s${number}`, record);
    } catch {
      await sleep(100);
    }
  }
}

const payload = (session: string) => `{"hook_event_name":"Stop","session_id":"${session}","cwd":"/home/dev/shop"}`;

/**
 * Fires hooks that wake a worker until all events have arrived and the spool is empty, or nothing arrived for a minute.
 */
async function drain(home: Home, receivers: readonly Receiver[], events: number): Promise<void> {
  const arrived = () => receivers.reduce((sum, { accepted }) => sum + accepted.length, 0);
  const isDone = () =>
    receivers.every((receiver) => countDeliveries(receiver, events).every((count) => count > 0)) &&
    home.spooled().every((file) => !/^(new|cur)/.test(file));
  let before = -1;
  for (let idle = 0; idle < 120 && !isDone(); idle = arrived() === before ? idle + 1 : 0) {
    before = arrived();
    await home.launch(["Stop", "--agent", "claude"], payload(`later-${before}-${idle}`));
    await sleep(500);
  }
}

/** Counts the deliveries of each event. */
function countDeliveries({ sessions }: Receiver, events: number): number[] {
  const counts = new Map<string, number>();
  for (const session of sessions()) counts.set(session, (counts.get(session) ?? 0) + 1);
  return Array.from({ length: events }, (_, number) => counts.get(`s${number}`) ?? 0);
}
