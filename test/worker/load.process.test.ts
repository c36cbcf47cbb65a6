import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home, sleep } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let home: Home;
let receiver: Receiver;
beforeEach(async () => {
  home = createHome();
  receiver = await startReceiver();
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "2s" } });
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

const stop = (number: number) =>
  JSON.stringify({ hook_event_name: "Stop", session_id: `s${number}`, cwd: "/home/dev/shop" });

test("500 hooks from 20 callers at once all arrive, each once", async () => {
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let number = next++; number < 500; number = next++) {
      const { exitCode, stderr } = await home.launch(["Stop", "--agent", "claude"], stop(number));
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    }
  };
  await Promise.all(Array.from({ length: 20 }, caller));
  await home.until((journal) => journal.filter(({ status }) => status === "sent").length >= 500, 60_000);
  const sessions = receiver.accepted.map(
    ({ body }) => (JSON.parse(body) as { data: { sessionId: string } }).data.sessionId,
  );
  expect(sessions).toHaveLength(500);
  expect(new Set(sessions).size).toBe(500);
  expect(home.spooled()).toEqual([]);
}, 90_000);

test("a burst of events starts one worker", async () => {
  const workers = new Set<string>();
  let watching = true;
  const watch = (async () => {
    while (watching) {
      for (const pid of workerProcesses()) workers.add(pid);
      await sleep(5);
    }
  })();
  for (let number = 0; number < 12; number += 1) await home.launch(["Stop", "--agent", "claude"], stop(number));
  await home.until((journal) => journal.filter(({ status }) => status === "sent").length === 12);
  watching = false;
  await watch;
  expect(workers.size).toBe(1);
});

test("a worker leaves when nothing has come for a while, and releases its lock", async () => {
  home.writeConfig({ notifiers: {}, delivery: { linger: "500ms" } });
  await home.launch(["Stop"], stop(1));
  await home.until((journal) => journal.length > 0);
  const pid = home.workerPid();
  expect(pid).toBeDefined();
  await home.until(() => home.workerPid() === undefined);
});

/** Numbers of the processes that run this home's worker. */
function workerProcesses(): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(home.paths.worker));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
}
