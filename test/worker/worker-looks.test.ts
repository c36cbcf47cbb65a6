import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Paths, pathsOf } from "../../src/core/paths.ts";
import { createPorts } from "../../src/io/ports.ts";
import { openJournal } from "../../src/pipeline/journal.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

/** What is late every time is late; on a busy machine anything may be late once. */
const busyMachine = { retry: 3 };
/** How much sooner than the worker's next look by itself, half a second after the last one, something must come. */
const muchLessThanALookMs = 250;

let paths: Paths;
let receiver: Receiver;
let silent: Server;
let stop: AbortController;
let worker: Promise<boolean>;
/** How often the worker has asked for the time: at each of its looks, and a few times for each event. */
let looks: number;
beforeEach(async () => {
  paths = pathsOf(mkdtempSync(join(tmpdir(), "beckon-looks-")));
  makeSpool(paths.spool);
  receiver = await startReceiver();
  silent = createServer(() => {}); // takes a message, and never says so
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const notifiers = {
    hook: { type: "webhook", url: receiver.url, for: "person" },
    silent: { type: "webhook", url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` },
  };
  const routes = [
    { projects: ["/home/dev/silent"], to: ["silent"] },
    { projects: ["/home/dev/shop"], to: ["hook"] },
  ];
  const config = { notifiers, routes, lookups: [], attention: { wait: "100ms" }, delivery: { linger: "1h" } };
  writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 });
  const { clock, ...ports } = createPorts();
  looks = 0;
  const now = () => {
    looks += 1;
    return clock.now();
  };
  stop = new AbortController();
  worker = runWorker(paths, { ...ports, clock: { ...clock, now } }, { signal: stop.signal });
});
afterEach(async () => {
  stop.abort();
  await worker;
  await receiver.close();
  silent.closeAllConnections();
  silent.close();
  rmSync(paths.root, { recursive: true, force: true });
});

function ask(project: string, session: string): void {
  const call = { tool_name: "Bash", tool_input: { command: "make" } };
  const payload = { hook_event_name: "PermissionRequest", session_id: session, cwd: `/home/dev/${project}`, ...call };
  const header = { v: 1, event: "PermissionRequest", agent: "claude" } as const;
  put(paths.spool, session, encodeRecord(header, Buffer.from(JSON.stringify(payload))));
}

const linesOf = (id: string) => openJournal(paths.journal, Date.now, (text) => text).linesOf(id);

/** Has a delivery under way that does not end. */
async function keepBusy(): Promise<void> {
  const isTaken = new Promise((resolve) => silent.once("request", resolve));
  ask("silent", "busy");
  await isTaken;
}

test(
  "what was put off is told when its time has come, also while another delivery is under way",
  busyMachine,
  async () => {
    await keepBusy();
    const lateMs: number[] = [];
    for (const session of ["a", "b", "c", "d", "e"]) {
      ask("shop", session);
      await expect.poll(() => receiver.accepted.length, { timeout: 20_000, interval: 10 }).toBe(lateMs.length + 1);
      const due = linesOf(session).find(({ status }) => status === "held")?.until;
      lateMs.push((receiver.accepted.at(-1)?.atMs ?? 0) - Date.parse(due ?? ""));
    }
    expect(Math.min(...lateMs), `late by ${lateMs.join(", ")} ms`).toBeLessThan(muchLessThanALookMs);
  },
);

test("while it waits for a receiver, a worker looks around twice a second, not all the time", async () => {
  await keepBusy();
  await sleep(300);
  const before = looks;
  await sleep(1_500);
  expect(looks - before).toBeLessThan(200);
});
