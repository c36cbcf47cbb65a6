import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findProcess } from "../../src/files/process-table.ts";
import { readQuietly } from "../../src/files/read-file.ts";
import { put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { workerEnvironment } from "../../src/spool/wake.ts";
import { createGate, type Gate } from "../world/gate.ts";
import { dist, run, sleep } from "../world/home.ts";
import { startReceiver } from "../world/receiver.ts";
import { useEach } from "../world/use.ts";
import { useHome } from "../world/use-home.ts";

const receiver = useEach("close", () => startReceiver());
const home = useHome();

const hook = () => ({ type: "webhook", url: receiver.url });
const configure = (linger: string, notifiers: object = { hook: hook() }): void =>
  home.writeConfig({ notifiers, delivery: { linger } });
const stop = (session: string, more: object = {}) =>
  JSON.stringify({ hook_event_name: "Stop", session_id: session, cwd: "/home/dev/shop", ...more });
const launch = (session: string) => home.launch(["Stop", "--agent", "claude"], stop(session));
const sentLines = () => home.journal().filter(({ status }) => status === "sent");

/** Makes a Stop with a file to read, because a worker creates threads only when there is work. */
const stopWithFile = () => stop("s", { transcript_path: home.paths.config });
const starters = {
  "the launcher": () => home.launch(["Stop", "--agent", "claude"], stopWithFile()),
  "an entrypoint": () => home.enter("stop", ["--agent", "claude"], stopWithFile()),
};
test.each(Object.entries(starters))(
  "a worker started by %s has one heap and threads for many name lookups",
  async (_, start) => {
    home.writeConfig({ notifiers: {}, delivery: { linger: "60s" } });
    await start();
    await home.until((journal) => journal.length > 0);
    // Node itself has at most seven other threads; its default pool is four.
    const threads = readdirSync(`/proc/${home.workerPid()}/task`).length;
    expect(threads).toBeGreaterThanOrEqual(Number(workerEnvironment.UV_THREADPOOL_SIZE));
    const environment = readFileSync(`/proc/${home.workerPid()}/environ`, "utf8").split("\0");
    expect(environment).toEqual(
      expect.arrayContaining(Object.entries(workerEnvironment).map(([name, value]) => `${name}=${value}`)),
    );
  },
);

test("foreign files in its folders do not affect a worker, and they stay", async () => {
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

test("a torn record becomes a dead letter and delays nothing", async () => {
  configure("200ms");
  writeFileSync(join(home.paths.spool, "new/torn.json"), '{"v":1,"event":"Stop","agent":"claude"}\n{"hook_ev');
  await launch("s1");
  await expect.poll(() => receiver.accepted.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => home.spooled(), { timeout: 20_000 }).toEqual(["dead/torn.json"]);
  const [rejected, ...others] = home.journal().filter(({ id }) => id === "torn");
  expect(rejected).toMatchObject({ status: "rejected", reason: "input.torn: not a whole spool record" });
  expect(others).toEqual([]);
});

/** Program of a notifier that kills its worker after another notifier has delivered the event. */
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

test("an event with three crashes is retried only at notifiers that have not delivered it", async () => {
  const path = join(home.paths.root, "notifier.mjs");
  writeFileSync(path, killer);
  configure("0s", { hook: hook(), mine: { type: "module", path } });
  const other = JSON.stringify({ hook_event_name: "SubagentStop", session_id: "other", cwd: "/home/dev/shop" });
  await launch("s");
  const isDead = () => home.spooled().some((file) => file.startsWith("dead/"));
  while (!isDead()) await home.launch(["SubagentStop", "--agent", "claude"], other); // wakes a worker if none runs

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

test("environment variables in the configuration come from the agent that started the worker", async () => {
  configure("0s", { hook: { type: "webhook", url: "${env:HOOK_URL}" } });
  await home.launch(["Stop", "--agent", "claude"], stop("s"), { env: { HOOK_URL: receiver.url } });
  await home.until(() => sentLines().length === 1);
  expect(receiver.accepted).toHaveLength(1);
});

test("500 hooks from 20 parallel callers all arrive exactly once", async () => {
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
  const sessions = receiver.sessions();
  expect(sessions).toHaveLength(500);
  expect(new Set(sessions).size).toBe(500);
  await home.until(() => home.spooled().length === 0);
}, 90_000);

/** Fires hooks, in sequence or in parallel. Returns the pids of the workers that ran. */
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

test.each([
  ["twelve hooks in a row start one worker", 12, false, 1],
  ["twenty parallel hooks start at most three workers, of which one stays", 20, true, 3],
])("%s", async (_, count, areAtOnce, most) => {
  configure("2s");
  expect((await watchWorkers(count, areAtOnce)).size).toBeLessThanOrEqual(most);
  expect(receiver.accepted).toHaveLength(count);
});

describe("a worker with two messages in progress and three waiting", () => {
  let gate: Gate;
  beforeEach(() => {
    gate = createGate(home.paths.root);
    home.writeConfig({ notifiers: { mine: gate.notifier }, lookups: [], delivery: { linger: "5s" } });
  });
  afterEach(() => gate.open());

  const store = (session: string) =>
    put(home.paths.spool, session, encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(stop(session))));

  /** Starts a worker that is busy. Resolves to its process number. */
  async function busyWorker(): Promise<number> {
    for (const session of ["a", "b", "c", "d"]) store(session);
    await launch("e");
    const isJudged = () => home.journal().filter(({ status }) => status === "accepted").length === 5;
    await home.until(() => isJudged() && gate.kindsBegun().length === 2);
    return home.workerPid() ?? 0;
  }

  test("hands the waiting ones to its successor if its program was replaced", async () => {
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

  test("sends none of the waiting ones if it lost its lock while suspended", async () => {
    await busyWorker();
    const hung = home.workerPid() ?? Number.NaN;
    process.kill(hung, "SIGSTOP");
    writeFileSync(home.paths.lock, `${hung} 1 ${hostname()}\n`); // as if it had hung for a minute
    for (let number = 0; number < 16; number += 1) store(`later-${number}`);
    await launch("last");
    await home.until(() => home.workerPid() !== hung && gate.kindsBegun().length > 2);
    gate.open();
    await home.until(() => sentLines().length === 22 && home.spooled().length === 0);
    expect(gate.kindsBegun()).toHaveLength(24);
    process.kill(hung, "SIGCONT");
    await home.until(() => findProcess(hung) === undefined);
    // Only the two whose programs the suspended worker had started were sent twice.
    expect(gate.kindsBegun()).toHaveLength(24);
    expect(sentLines().length).toBeLessThanOrEqual(24);
  });
});

/** Lists the process numbers of this home's workers. */
function workerProcesses(): string[] {
  return readdirSync("/proc").filter(
    (pid) => readQuietly(`/proc/${pid}/cmdline`)?.startsWith(`${process.execPath}\0${home.paths.worker}\0`) === true,
  );
}
