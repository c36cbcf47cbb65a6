import { expect, test, vi } from "vitest";
import { keepConnected } from "../../src/relay/keep-connected.ts";
import type { LinkStatus } from "../../src/relay/relay-status.ts";
import { FakeClock } from "../world/fake-clock.ts";

/** Keeps a connection on a fake clock, whose attempts fail after these durations. */
function start(lastsMs: readonly number[]) {
  vi.spyOn(Math, "random").mockReturnValue(0.5); // waits match the table exactly
  const clock = new FakeClock();
  const stop = new AbortController();
  const attemptsAtMs: number[] = [];
  const statuses: LinkStatus[] = [];
  const connect = async () => {
    attemptsAtMs.push(clock.uptimeMs());
    await clock.wait(lastsMs[attemptsAtMs.length - 1] ?? 0, stop.signal);
    return "it has hung up";
  };
  const link = { name: "devbox", via: "ssh", connect, onStatus: (status: LinkStatus) => statuses.push(status), clock };
  return { clock, stop, attemptsAtMs, statuses, ended: keepConnected(link, stop.signal) };
}

test("a failed connection is retried after 1, 2, 5, 15, 30 and then always 60 seconds", async () => {
  const { clock, stop, attemptsAtMs, ended } = start([]);
  await clock.advance(200_000);
  const waits = attemptsAtMs.slice(1).map((ms, index) => (ms - (attemptsAtMs[index] ?? 0)) / 1_000);
  expect(waits).toEqual([1, 2, 5, 15, 30, 60, 60]);
  stop.abort();
  await ended;
});

test("a connection that lasted more than ten seconds restarts the waits, a shorter one does not", async () => {
  const { clock, attemptsAtMs } = start([0, 0, 10_001, 0, 10_000]);
  await clock.advance(60_000);
  expect(attemptsAtMs).toEqual([0, 1_000, 3_000, 14_001, 16_001, 31_001, 46_001]);
});

test("a waiting connection says why it failed and when it is retried", async () => {
  const { clock, statuses } = start([]);
  await clock.advance(0);
  const startMs = clock.now();
  expect(statuses.map(({ state }) => state)).toEqual(["connecting", "waiting"]);
  expect(statuses.at(-1)).toMatchObject({ problem: "it has hung up", sinceMs: startMs, nextTryAtMs: startMs + 1_000 });
});

test("an abort ends the wait at once, without another attempt", async () => {
  const { clock, stop, attemptsAtMs, ended } = start([]);
  await clock.advance(500);
  stop.abort();
  await ended;
  await clock.advance(100_000);
  expect(attemptsAtMs).toEqual([0]);
});
