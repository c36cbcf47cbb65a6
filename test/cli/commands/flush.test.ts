import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeSpool } from "../../../src/spool/put.ts";
import { runWorker } from "../../../src/worker/run-worker.ts";
import { startReceiver, useCliHome } from "../../world/cli-home.ts";
import { readOutput } from "../../world/json-output.ts";
import { localPorts } from "../../world/local-ports.ts";

const home = useCliHome();

/** Configures a webhook whose server answers with a status, or never. */
async function receive(status: number | "never") {
  const receiver = await startReceiver(status);
  home.config({ notifiers: { hook: { type: "webhook", url: receiver.url } } });
  return receiver;
}

test("due events are delivered in the foreground and shown", async () => {
  const receiver = await receive(200);
  home.journal({ id: "old-event", status: "failed" });
  home.fresh("event-0001");
  home.fresh("event-0002", '{"hook_event_name":"Stop","session_id":"s-2","cwd":"/x/other"}');
  const { exitCode, stdout, stderr } = await home.run(["flush"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.match(/sent +hook/g)).toHaveLength(2);
  expect(stdout).not.toContain("old-even");
  expect(receiver.bodies).toHaveLength(2);
  expect(home.spooled()).toEqual([]);
});

test("--json is one object with the journal's lines and the remaining events", async () => {
  await receive(503);
  home.fresh("event-0001");
  const { exitCode, stdout, stderr } = await home.run(["flush", "--json"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(readOutput("flush", stdout)[0]).toMatchObject({
    lines: [{ status: "accepted" }, { status: "retrying", notifier: "hook" }],
    due: 0,
    waiting: 1,
    nextDueAt: expect.stringMatching(/^\d{4}-/),
  });
});

test("an empty queue is reported, and is not a failure", async () => {
  makeSpool(home.paths.spool);
  expect(await home.run(["flush"])).toEqual({ exitCode: 0, stdout: "Nothing is due.\n", stderr: "" });
});

test("a delivery that failed for good is shown with advice, exit code 1", async () => {
  await receive(400);
  home.fresh("event-0001");
  const { exitCode, stdout, stderr } = await home.run(["flush"]);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/failed +hook +rejected: http:\/\/127\.0\.0\.1:\d+ answered 400/);
  expect(stderr).toContain("beckon retry --failed");
});

test("an event that waits for a retry is not a failure, and its time is shown", async () => {
  await receive(503);
  home.fresh("event-0001");
  const { exitCode, stdout } = await home.run(["flush"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/1 held or waiting for a retry, the next at \d{4}-/);
});

test("the timeout releases events in flight, and even the fourth one does not make an event dead", async () => {
  await receive("never");
  home.fresh("event-0001");
  for (let time = 0; time < 4; time += 1) {
    const stderr = expect.stringMatching(/1 not delivered yet/);
    expect(await home.run(["flush", "--timeout", "0.3"])).toMatchObject({ exitCode: 1, stderr });
    expect(home.spooled()).toEqual(["new/event-0001.c1.json"]);
  }
});

test("an event sent before the timeout is not sent again after it", async () => {
  const [receiver, hanging] = [await startReceiver(200), await startReceiver("never")];
  const [quick, slow] = [receiver.url, hanging.url].map((url) => ({ type: "webhook", url }));
  home.config({ notifiers: { quick, slow } });
  home.fresh("event-0001");
  expect((await home.run(["flush", "--timeout", "0.5"])).exitCode).toBe(1);
  home.config({ notifiers: { quick, slow: quick } });
  expect((await home.run(["flush"])).exitCode).toBe(0);
  expect(receiver.bodies).toHaveLength(2);
});

test("an interruption ends flush like the timeout", async () => {
  const receiver = await receive("never");
  home.fresh("event-0001");
  const interruption = (): AbortSignal => AbortSignal.timeout(200);
  expect((await home.run(["flush"], { interruption })).exitCode).toBe(1);
  expect(home.spooled()).toEqual(["new/event-0001.c1.json"]);
  await receiver.close(); // deliveries in flight fail now and are never settled
  await sleep(100);
  expect(home.spooled()).toEqual(["new/event-0001.c1.json"]);
});

test("flush waits for a running worker and shows its results", async () => {
  await receive(200);
  makeSpool(home.paths.spool);
  const leaving = new AbortController();
  process.title = "beckon-worker";
  const other = runWorker(home.paths, localPorts(), { signal: leaving.signal });
  home.fresh("event-0001");
  expect(await home.run(["flush"])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/sent +hook/) });
  leaving.abort();
  await other;
});

test("flush waits for a hanging worker no longer than the timeout", async () => {
  home.fresh("event-0001");
  // The heartbeat is the only visible sign of a worker on another host.
  renameSync(join(home.paths.spool, "new", "event-0001.json"), join(home.paths.spool, "cur", "event-0001.json"));
  const beats = setInterval(() => writeFileSync(home.paths.lock, `1 other-word elsewhere\n`), 50);
  await sleep(100);
  const { exitCode, stderr } = await home.run(["flush", "--timeout", "0.3"]);
  clearInterval(beats);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/1 not delivered yet.*beckon doctor/);
  expect(home.spooled()).toEqual(["cur/event-0001.json"]);
});
