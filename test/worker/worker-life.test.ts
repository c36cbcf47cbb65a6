import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Paths, pathsOf } from "../../src/core/paths.ts";
import type { Ports } from "../../src/core/ports.ts";
import { createPorts } from "../../src/io/ports.ts";
import { parseJournal } from "../../src/pipeline/journal-line.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import { openWorkerResources } from "../../src/worker/worker-resources.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let paths: Paths;
let receiver: Receiver;
let stop: AbortController;
let workers: Promise<void>[];
beforeEach(async () => {
  paths = pathsOf(mkdtempSync(join(tmpdir(), "beckon-life-")));
  makeSpool(paths.spool);
  receiver = await startReceiver();
  stop = new AbortController();
  workers = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.allSettled(workers);
  await receiver.close();
  rmSync(paths.root, { recursive: true, force: true });
});

function configure(linger: string): void {
  const notifiers = { hook: { type: "webhook", url: receiver.url, for: "person" } };
  const config = { notifiers, lookups: [], attention: { wait: "0s" }, delivery: { linger } };
  writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 });
}

function store(session: string): void {
  const payload = JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop" });
  put(paths.spool, session, encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(payload)));
}

/** Starts a worker in this process. `hasEnded` tells whether it has left. */
function start(ports: Partial<Ports> = {}) {
  let hasEnded = false;
  const ended = runWorker(paths, { ...createPorts(), ...ports }, { signal: stop.signal }).then(() => {
    hasEnded = true;
  });
  workers.push(ended);
  return { ended, hasEnded: () => hasEnded };
}

const accepted = (count: number) => expect.poll(() => receiver.accepted.length, { timeout: 20_000 }).toBe(count);

test("a worker lingers from its last event on, not from its start", async () => {
  configure("10s");
  let nowMs = Date.now() + 60_000; // after what the spool's files say
  const clock = { ...createPorts().clock, now: () => nowMs };
  const worker = start({ clock });
  store("first");
  await accepted(1);
  nowMs += 9_000;
  store("second");
  await accepted(2);
  nowMs += 6_000;
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // three of its looks
  expect(worker.hasEnded()).toBe(false);
  nowMs += 5_000;
  await worker.ended;
});

test("a worker whose lock another one has taken leaves, however long it would linger", async () => {
  configure("1h");
  const worker = start();
  store("first");
  await accepted(1);
  rmSync(paths.lock);
  writeFileSync(paths.lock, "1\n");
  await worker.ended;
  expect(readFileSync(paths.lock, "utf8")).toBe("1\n");
});

test("a worker that is told to stop leaves no lock behind", async () => {
  configure("1h");
  const worker = start();
  store("first");
  await accepted(1);
  expect(existsSync(paths.lock)).toBe(true);
  stop.abort();
  await worker.ended;
  expect(existsSync(paths.lock)).toBe(false);
});

test("an event that could not be run for a reason nobody foresaw is run again", async () => {
  configure("1s");
  let asked = 0;
  const presence = {
    typedAtMs: () => undefined,
    prepare() {},
    ask: async () => {
      asked += 1;
      if (asked === 1) throw new Error("a bug");
      return {};
    },
  };
  const worker = start({ presence });
  store("first");
  await accepted(1);
  await worker.ended;
  expect(asked).toBe(2);
});

test("a secret that becomes known while a worker runs stays out of its journal from then on", async () => {
  configure("1s");
  const { context } = openWorkerResources(paths, createPorts(), () => false);
  const { keepSecret, journal } = await context();
  keepSecret(["canary-one"]);
  keepSecret(["canary-two"]);
  journal.write({ id: "one", status: "failed", reason: "it said canary-one, and canary-two" });
  const month = new Date().toISOString().slice(0, 7);
  const [line] = parseJournal(readFileSync(join(paths.journal, `${month}.jsonl`), "utf8"));
  expect(line?.reason).toBe("it said [secret], and [secret]");
});
