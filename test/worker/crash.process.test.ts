import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import type { CrashPoint } from "../../src/files/crash-point.ts";
import { findProcess } from "../../src/files/process-table.ts";
import { readQuietly } from "../../src/files/read-file.ts";
import { put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { createHome, sleep } from "../world/home.ts";
import { type Answer, openReceiver } from "../world/receiver.ts";

const stop = (session: string) => `{"hook_event_name":"Stop","session_id":"${session}","cwd":"/home/dev/shop"}`;
const delivery = { linger: "200ms", retryDelays: ["200ms"] };

/** Opens a temporary home whose worker posts to a receiver. */
async function openHome({ onTestFinished }: TestContext, script?: readonly Answer[]) {
  const receiver = await openReceiver(script, onTestFinished);
  const home = createHome();
  onTestFinished(home.remove);
  const hook = { type: "webhook", url: receiver.url };
  home.writeConfig({ notifiers: { hook }, delivery });
  const launch = (session: string, env: NodeJS.ProcessEnv = {}) =>
    home.launch(["Stop", "--agent", "claude"], stop(session), { env });

  /** Fires hooks `later-0`, `later-1` … until the spool is empty; each wakes a worker if none runs. */
  async function drain(): Promise<void> {
    const isDrained = () => home.spooled().every((file) => file.startsWith("dead/"));
    const deadlineMs = Date.now() + 25_000;
    for (let round = 0; !isDrained(); round += 1) {
      if (Date.now() > deadlineMs) throw new Error(`not drained: ${home.spooled().join(" ")}`);
      await launch(`later-${round}`);
      for (let looks = 0; looks < 20 && !isDrained(); looks += 1) await sleep(25);
    }
  }

  /**
   * Waits until the worker started by the last hook is dead. Before, the worker may also hold a later event that is
   * sent but not yet journalled.
   */
  async function workerKilled(): Promise<void> {
    const line = readQuietly(home.paths.starting) ?? readQuietly(home.paths.lock); // the mark goes once the lock is there
    if (line === undefined) throw new Error("no worker was started");
    const pid = Number.parseInt(line, 10);
    await home.until(() => findProcess(pid) === undefined);
  }

  return { home, hook, launch, drain, workerKilled, sessions: receiver.sessions };
}

const workerSteps: readonly (readonly [CrashPoint, boolean])[] = [
  ["locked", false],
  ["claimed", false],
  ["parsed", false],
  ["sent", false],
  ["settled", false],
  ["settle:written", true],
  ["settle:visible", true],
];
test.concurrent.for(workerSteps)(
  "an event whose worker is killed at step %s is delivered once",
  async ([step, needsRetry], context) => {
    const { expect } = context;
    const { home, launch, drain, workerKilled, sessions } = await openHome(
      context,
      needsRetry ? [{ status: 500 }, { status: 200 }] : undefined,
    );
    await launch("first", { BECKON_CRASH_AT: step });
    await workerKilled();
    await drain();
    await home.until(() => sessions().includes("first"));
    expect(sessions().filter((session) => session === "first")).toEqual(["first"]);
    const lines = home.journal().filter(({ sessionId }) => sessionId === "first");
    expect(lines.filter(({ status }) => status === "accepted")).toHaveLength(1);
  },
);

test.concurrent("a killed worker loses no event, and resends none that was journalled as sent", async (context) => {
  const { expect } = context;
  const { home, launch, drain, workerKilled, sessions } = await openHome(context);
  const many = Array.from({ length: 8 }, (_, number) => `s${number}`);
  const header = { v: 1, event: "Stop", agent: "claude" } as const;
  for (const session of many) put(home.paths.spool, session, encodeRecord(header, Buffer.from(stop(session))));
  await launch("first", { BECKON_CRASH_AT: "sent" });
  await workerKilled();
  const journalled = home.journal().flatMap(({ status, sessionId }) => (status === "sent" ? [sessionId] : []));
  expect(journalled.length).toBeGreaterThan(0);
  await drain();
  await home.until(() => [...many, "first"].every((session) => sessions().includes(session)));
  const timesSent = (session: string) => sessions().filter((sent) => sent === session).length;
  expect(journalled.filter((session = "") => timesSent(session) !== 1)).toEqual([]);
  // After one crash, an event that was sent but not journalled is sent once more, not twice.
  expect(sessions().filter((session) => timesSent(session) > 2)).toEqual([]);
});

test.concurrent("an event is resent under the same id if its worker dies between sending and journalling", async (context) => {
  const { expect } = context;
  const { home, launch, drain, workerKilled } = await openHome(context);
  const script = 'cat >> "$0"; [ -e "$0.killed" ] || { : > "$0.killed"; kill -9 $PPID; }';
  const received = join(home.paths.root, "received");
  home.writeConfig({ notifiers: { mine: { type: "command", run: ["sh", "-c", script, received] } }, delivery });
  await launch("first");
  await workerKilled();
  await drain();
  const sent = readFileSync(received, "utf8").trim().split("\n");
  const first = sent.map((line) => JSON.parse(line).data).filter(({ sessionId }) => sessionId === "first");
  expect(first).toHaveLength(2);
  expect(first[1].id).toBe(first[0].id);
});

test.concurrent.for<CrashPoint>(["put:written", "put:visible"])(
  "an entrypoint killed at step %s has handed the event over",
  async (step, context) => {
    const { expect } = context;
    const { home, drain, sessions } = await openHome(context);
    const result = await home.enter("stop", ["--agent", "claude"], stop("first"), { env: { BECKON_CRASH_AT: step } });
    expect(result.signal).toBe("SIGKILL");
    await drain();
    await home.until(() => sessions().includes("first"));
    expect(sessions().filter((session) => session === "first")).toEqual(["first"]);
  },
);

test.concurrent.for<CrashPoint>(["put:opened", "put:half"])(
  "an entrypoint killed at step %s harms no other event",
  async (step, context) => {
    const { expect } = context;
    const { home, drain, sessions } = await openHome(context);
    await home.enter("stop", ["--agent", "claude"], stop("first"), { env: { BECKON_CRASH_AT: step } });
    const [partial = ""] = home.spooled();
    const hourAgo = Date.now() / 1000 - 3700;
    utimesSync(join(home.paths.spool, partial), hourAgo, hourAgo);
    await drain();
    expect(sessions()).not.toContain("first");
    expect(sessions()).toContain("later-0");
  },
);

test.concurrent("a running worker saves a whole record whose launcher died before renaming it", async (context) => {
  const { home, hook, launch, sessions } = await openHome(context);
  home.writeConfig({ notifiers: { hook }, delivery: { linger: "60s" } });
  await launch("before");
  writeFileSync(
    join(home.paths.spool, "tmp", "orphan"),
    encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(stop("orphan"))),
  );
  await home.until(() => sessions().includes("orphan"));
});

test.concurrent("an event that kills three workers becomes a dead letter, and the others are delivered", async (context) => {
  const { expect } = context;
  const { home, launch, drain } = await openHome(context);
  const killer = join(home.paths.root, "killer.mjs");
  writeFileSync(
    killer,
    "export const notifier = { send({ message }) { if (message.sessionId === 'poison') process.kill(process.pid, 'SIGKILL'); } };",
  );
  home.writeConfig({ notifiers: { mine: { type: "module", path: killer } }, delivery });
  await Promise.all(["a", "poison", "b", "c"].map((session) => launch(session)));
  await drain();
  const journal = home.journal();
  const sent = new Set(journal.filter(({ status }) => status === "sent").map(({ sessionId }) => sessionId));
  expect([...sent]).toEqual(expect.arrayContaining(["a", "b", "c"]));
  expect(sent).not.toContain("poison");
  expect(home.spooled().filter((file) => file.startsWith("dead/"))).toHaveLength(1);
  const reason = "bug: three workers died over it; `beckon retry` tries again";
  expect(journal.filter(({ status }) => status === "failed")).toMatchObject([{ reason }]);
});

test.concurrent("a stale lock with the pid of another live process does not block events", async (context) => {
  const { home, launch, sessions } = await openHome(context);
  writeFileSync(home.paths.lock, `${process.pid} 1 some-host\n`);
  await launch("first");
  await home.until(() => sessions().includes("first"));
});
