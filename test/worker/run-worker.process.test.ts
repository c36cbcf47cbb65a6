import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findProcess } from "../../src/files/process-table.ts";
import { put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { workerEnvironment } from "../../src/spool/wake.ts";
import { createGate, type Gate } from "../world/gate.ts";
import { createHome, dist, type Home, run, sleep } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";
import { hangWorker } from "./hang.ts";

let home: Home;
let receiver: Receiver;
beforeEach(async () => {
  home = createHome();
  receiver = await startReceiver();
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

const hook = () => ({ type: "webhook", url: receiver.url });
const configure = (linger: string, notifiers: object = { hook: hook() }): void =>
  home.writeConfig({ notifiers, delivery: { linger } });
const stop = (session: string, more: object = {}) =>
  JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop", ...more });
const launch = (session: string) => home.launch(["Stop", "--agent", "claude"], stop(session));
const sentLines = () => home.journal().filter(({ status }) => status === "sent");

/** With a file to look into: threads are made when there is work for the first of them. */
const stopWithFile = () => stop("s", { transcript_path: home.paths.config });
const starters = {
  "the launcher": () => home.launch(["Stop", "--agent", "claude"], stopWithFile()),
  "an entrypoint": () => home.enter("stop", ["--agent", "claude"], stopWithFile()),
};
test.each(Object.entries(starters))(
  "a worker that %s has started has threads for many name lookups, and one heap for them",
  async (_, start) => {
    home.writeConfig({ notifiers: {}, delivery: { linger: "60s" } });
    await start();
    await home.until((journal) => journal.length > 0);
    // Node's own threads are seven at most beside these; its default is four.
    const threads = readdirSync(`/proc/${home.workerPid()}/task`).length;
    expect(threads).toBeGreaterThanOrEqual(Number(workerEnvironment.UV_THREADPOOL_SIZE));
    const environment = readFileSync(`/proc/${home.workerPid()}/environ`, "utf8").split("\0");
    expect(environment).toEqual(
      expect.arrayContaining(Object.entries(workerEnvironment).map(([name, value]) => `${name}=${value}`)),
    );
  },
);

test("whatever else is in its folders, a worker delivers, leaves it there, and leaves in time", async () => {
  configure("200ms");
  const { spool, state, journal, lock, starting } = home.paths;
  const odd = ["new/pipe.json", "cur/pipe.t5.json", "new/folder.json", "new/link.json", "new/newer.json"];
  execFileSync("mkfifo", [join(spool, "new/pipe.json"), join(spool, "cur/pipe.t5.json")]);
  mkdirSync(join(spool, "new/folder.json"));
  symlinkSync("/dev/zero", join(spool, "new/link.json"));
  writeFileSync(join(spool, "new/newer.json"), '{"v":99,"event":"Stop"}\n{}\n{"end":0}\n');
  const month = `${new Date().toISOString().slice(0, 7)}.jsonl`;
  const files = ["recent.json", "pauses.json", "broken.json", "findings"].map((file) => join(state, file));
  for (const folder of [...files, join(journal, month), lock, starting]) mkdirSync(folder, { recursive: true });
  await launch("s1");
  await expect.poll(() => receiver.accepted.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => home.spooled().sort(), { timeout: 20_000 }).toEqual(odd.sort());
  await expect.poll(() => home.workerPid(), { timeout: 20_000 }).toBeUndefined();
});

test("a torn record among the events is rejected, becomes a dead letter, and holds nothing up", async () => {
  configure("200ms");
  writeFileSync(join(home.paths.spool, "new/torn.json"), '{"v":1,"event":"Stop","agent":"claude"}\n{"hook_ev');
  await launch("s1");
  await expect.poll(() => receiver.accepted.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => home.spooled(), { timeout: 20_000 }).toEqual(["dead/torn.json"]);
  const [rejected, ...others] = home.journal().filter(({ id }) => id === "torn");
  expect(rejected).toMatchObject({ status: "rejected", reason: "input.torn: not a whole spool record" });
  expect(others).toEqual([]);
});

/** A notifier that kills its worker once another has taken the event. */
const killer = `
  import { readdirSync, readFileSync } from "node:fs";
  const folder = process.env.BECKON_HOME + "/journal/";
  const isSent = () => readdirSync(folder).some((file) => readFileSync(folder + file, "utf8").includes('"sent"'));
  export const notifier = {
    async send() {
      while (!isSent()) await new Promise((resolve) => setTimeout(resolve, 10));
      process.kill(process.pid, "SIGKILL");
    },
  };`;
const harmless = "export const notifier = { async send() {} };";

test("an event over which three workers died is retried for those alone who have not got it", async () => {
  const path = join(home.paths.root, "notifier.mjs");
  writeFileSync(path, killer);
  configure("0s", { hook: hook(), mine: { type: "module", path } });
  const other = JSON.stringify({ hook_event_name: "SubagentStop", session_id: "other", cwd: "/home/dev/shop" });
  await launch("s");
  const isDead = () => home.spooled().some((file) => file.startsWith("dead/"));
  while (!isDead()) await home.launch(["SubagentStop", "--agent", "claude"], other); // wakes a worker if none lives

  writeFileSync(path, harmless);
  const retry = await run(process.execPath, [join(dist, "cli.js"), "retry", "--failed"], "", { env: home.env });
  expect(retry).toMatchObject({ exitCode: 0, stderr: "" });
  await home.until((journal) => journal.some(({ status, notifier }) => status === "sent" && notifier === "mine"));
  await home.until(() => home.spooled().length === 0);
  const lines = home.journal().filter(({ sessionId }) => sessionId === "s");
  expect(lines.map(({ status, notifier = "" }) => `${status} ${notifier}`.trim())).toEqual([
    "accepted",
    "sent hook",
    "sent mine",
  ]);
  expect(receiver.accepted).toHaveLength(1);
});

test("a variable in the configuration is that of the agent whose hook started the worker", async () => {
  configure("0s", { hook: { type: "webhook", url: "${env:HOOK_URL}" } });
  await home.launch(["Stop", "--agent", "claude"], stop("s"), { env: { HOOK_URL: receiver.url } });
  await home.until(() => sentLines().length === 1);
  expect(receiver.accepted).toHaveLength(1);
});

test("500 hooks from 20 callers at once all arrive, each once", async () => {
  configure("2s");
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let number = next++; number < 500; number = next++) {
      const { exitCode, stderr } = await launch(`s${number}`);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    }
  };
  await Promise.all(Array.from({ length: 20 }, caller));
  await home.until(() => sentLines().length >= 500, 60_000);
  const sessions = receiver.accepted.map(
    ({ body }) => (JSON.parse(body) as { data: { sessionId: string } }).data.sessionId,
  );
  expect(sessions).toHaveLength(500);
  expect(new Set(sessions).size).toBe(500);
  await home.until(() => home.spooled().length === 0);
}, 90_000);

/** Fires hooks, one after the other or all at once, and returns the numbers of the workers that ran. */
async function watchWorkers(count: number, areAtOnce: boolean): Promise<ReadonlySet<string>> {
  const workers = new Set<string>();
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      for (const pid of workerProcesses()) workers.add(pid);
      await sleep(5);
    }
  })();
  const sessions = Array.from({ length: count }, (_, number) => `s${number}`);
  if (areAtOnce) await Promise.all(sessions.map(launch));
  else for (const session of sessions) await launch(session);
  await home.until(() => sentLines().length === count);
  isWatching = false;
  await watching;
  return workers;
}

test("a burst of events starts one worker", async () => {
  configure("2s");
  expect((await watchWorkers(12, false)).size).toBe(1);
});

test("twenty hooks at once start three workers at most, and one of these works", async () => {
  configure("2s");
  expect((await watchWorkers(20, true)).size).toBeLessThanOrEqual(3);
  expect(receiver.accepted).toHaveLength(20);
});

describe("a worker with two messages under way, and three that wait for these,", () => {
  let gate: Gate;
  beforeEach(() => {
    gate = createGate(home.paths.root);
    home.writeConfig({ notifiers: { mine: gate.notifier }, lookups: [], delivery: { linger: "5s" } });
  });
  afterEach(() => gate.open());

  const store = (session: string) =>
    put(home.paths.spool, session, encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(stop(session))));

  /** Resolves to its process number. */
  async function busyWorker(): Promise<number> {
    for (const session of ["a", "b", "c", "d"]) store(session);
    await launch("e");
    const isJudged = () => home.journal().filter(({ status }) => status === "accepted").length === 5;
    await home.until(() => isJudged() && gate.kindsBegun().length === 2);
    return home.workerPid() ?? 0;
  }

  test("leaves what waits to its successor if its program was replaced", async () => {
    const before = await busyWorker();
    utimesSync(home.paths.worker, 1, 1);
    const returned = () => readdirSync(join(home.paths.spool, "cur")).filter((file) => /\.t\d+\.json$/.test(file));
    await home.until(() => returned().length === 3);
    expect(home.workerPid()).toBe(before);
    expect(gate.kindsBegun()).toHaveLength(2);
    gate.open();
    await home.until(() => sentLines().length === 5 && home.spooled().length === 0);
    expect(gate.kindsBegun()).toHaveLength(5);
    expect(home.workerPid()).not.toBe(before);
  });

  test("sends nothing that waited if it has lost its lock while it hung", async () => {
    await busyWorker();
    const hung = hangWorker(home);
    for (let number = 0; number < 16; number += 1) store(`later-${number}`);
    await launch("last");
    await home.until(() => home.workerPid() !== hung && gate.kindsBegun().length > 2);
    gate.open();
    await home.until(() => sentLines().length === 22 && home.spooled().length === 0);
    expect(gate.kindsBegun()).toHaveLength(24);
    process.kill(hung, "SIGCONT");
    await home.until(() => findProcess(hung) === undefined);
    // The two whose program the hung worker had started were sent twice, and no other.
    expect(gate.kindsBegun()).toHaveLength(24);
    expect(sentLines().length).toBeLessThanOrEqual(24);
  });
});

/** Numbers of the processes that run this home's worker. */
function workerProcesses(): string[] {
  return readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && commandLine(pid).startsWith(`${process.execPath}\0${home.paths.worker}\0`),
  );
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
}
