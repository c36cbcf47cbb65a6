import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FaultPoint } from "../../src/core/crash-point.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { createHome, type Home, sleep } from "../helpers/home.ts";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";

const stop = (session: string) => `{"hook_event_name":"Stop","session_id":"${session}","cwd":"/home/dev/shop"}`;
const delivery = { lingerSeconds: 0.2, retryDelaysSeconds: [0.2] };

let home: Home;
let receiver: Receiver;
beforeEach(() => {
  home = createHome();
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

async function listen(script?: Parameters<typeof startReceiver>[0]): Promise<void> {
  receiver = await startReceiver(script);
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery });
}

function sessions(): string[] {
  return receiver.accepted.map(({ body }) => (JSON.parse(body) as { data: { sessionId: string } }).data.sessionId);
}

/** Wakes a worker again and again until nothing is left, as later hooks do. */
async function drainBy(fire: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    await fire(round);
    await sleep(150);
    if (!home.spooled().some((file) => !file.startsWith("dead/"))) return;
  }
}

const workerSteps: readonly (readonly [FaultPoint, boolean])[] = [
  ["locked", false],
  ["claimed", false],
  ["parsed", false],
  ["sent", false],
  ["settled", false],
  ["settle:written", true],
  ["settle:visible", true],
];
test.each(workerSteps)("a worker killed at step %s loses nothing and doubles nothing", async (step, needsRetry) => {
  await listen(needsRetry ? [{ status: 500 }, { status: 200 }] : undefined);
  await home.launch(["Stop", "--agent", "claude"], stop("first"), { env: { BECKON_FAULT: step } });
  await sleep(400);
  await drainBy((round) => home.launch(["Stop", "--agent", "claude"], stop(`later-${round}`)));
  await home.until(() => sessions().includes("first"));
  expect(sessions().filter((session) => session === "first")).toEqual(["first"]);
  expect(new Set(sessions()).size).toBe(sessions().length);
  expect(home.spooled()).toEqual([]);
});

test.each<FaultPoint>(["put:written", "put:visible"])(
  "an entrypoint killed at step %s has handed the event over",
  async (step) => {
    await listen();
    const result = await home.enter("stop", ["--agent", "claude"], stop("first"), { env: { BECKON_FAULT: step } });
    expect(result.signal).toBe("SIGKILL");
    await sleep(2100); // until then the record in tmp/ might still be somebody's
    await drainBy((round) => home.launch(["Stop", "--agent", "claude"], stop(`later-${round}`)));
    await home.until(() => sessions().includes("first"));
    expect(sessions().filter((session) => session === "first")).toEqual(["first"]);
  },
);

test.each<FaultPoint>(["put:opened", "put:half"])(
  "an entrypoint killed at step %s harms no other event",
  async (step) => {
    await listen();
    await home.enter("stop", ["--agent", "claude"], stop("first"), { env: { BECKON_FAULT: step } });
    const [partial = ""] = home.spooled();
    const hourAgo = Date.now() / 1000 - 3700;
    utimesSync(join(home.paths.spool, partial), hourAgo, hourAgo);
    await drainBy((round) => home.launch(["Stop", "--agent", "claude"], stop(`later-${round}`)));
    expect(sessions()).not.toContain("first");
    expect(sessions()).toContain("later-0");
    expect(home.spooled()).toEqual([]);
  },
);

test("a whole record whose launcher died before renaming it is saved by a worker that already runs", async () => {
  await listen();
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { lingerSeconds: 8 } });
  await home.launch(["Stop", "--agent", "claude"], stop("before"));
  writeFileSync(
    join(home.paths.spool, "tmp", "orphan"),
    encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(stop("orphan"))),
  );
  await home.until(() => sessions().includes("orphan"), 8000);
});

test("an event that kills three workers is buried, alone, and the others are delivered", async () => {
  await listen();
  const killer = join(home.paths.root, "killer.mjs");
  writeFileSync(
    killer,
    "export const notifier = { send({ message }) { if (message.sessionId === 'poison') process.kill(process.pid, 'SIGKILL'); } };",
  );
  home.writeConfig({ notifiers: { mine: { type: "module", path: killer } }, delivery });
  await Promise.all(
    ["a", "poison", "b", "c"].map((session) => home.launch(["Stop", "--agent", "claude"], stop(session))),
  );
  await drainBy((round) => home.launch(["Stop", "--agent", "claude"], stop(`later-${round}`)));
  const journal = home.journal();
  const sent = new Set(journal.filter(({ status }) => status === "sent").map(({ sessionId }) => sessionId));
  expect([...sent]).toEqual(expect.arrayContaining(["a", "b", "c", "later-0"]));
  expect(sent).not.toContain("poison");
  expect(home.spooled().filter((file) => file.startsWith("dead/"))).toHaveLength(1);
  expect(journal.filter(({ status }) => status === "failed")).toHaveLength(1);
});

test("a lock whose number belongs to another living process does not keep events waiting", async () => {
  await listen();
  writeFileSync(home.paths.lock, `${process.pid} old ${"some-host"}\n`);
  const old = Date.now() / 1000 - 60;
  utimesSync(home.paths.lock, old, old);
  await home.launch(["Stop", "--agent", "claude"], stop("first"));
  await home.until(() => sessions().includes("first"));
});

test("a worker that hangs is replaced once many events wait", async () => {
  await listen();
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { lingerSeconds: 60 } });
  await home.launch(["Stop", "--agent", "claude"], stop("before"));
  await home.until(() => sessions().includes("before") && home.spooled().length === 0);
  const hung = home.workerPid() ?? 0;
  process.kill(hung, "SIGSTOP");
  await sleep(10_500); // its lock must look stale to another worker
  for (let number = 0; number < 20; number += 1) await home.launch(["Stop", "--agent", "claude"], stop(`s${number}`));
  await home.until(() => sessions().length === 21);
  expect(home.workerPid()).not.toBe(hung);
  process.kill(hung, "SIGCONT"); // it finds the lock lost and leaves
  await home.launch(["Stop", "--agent", "claude"], stop("after"));
  await home.until(() => sessions().includes("after"));
  expect(sessions()).toHaveLength(22);
});
