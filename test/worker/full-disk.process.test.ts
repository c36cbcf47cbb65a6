import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { fillDisk } from "../world/full-disk.ts";
import { createHome, type Home } from "../world/home.ts";
import { openReceiver, type Receiver } from "../world/receiver.ts";

// Spool, journal and state are on a file system of their own, which only root can mount.
const isRoot = process.platform === "linux" && process.getuid?.() === 0;

let home: Home;
let receivers: Receiver[];
beforeEach(() => {
  home = createHome();
  receivers = [];
});
afterEach(async () => {
  await home.killWorker();
  if (isRoot) execFileSync("umount", ["-l", home.paths.journal, home.paths.state, home.paths.spool]);
  await home.remove();
});

function mountDisk(): void {
  const { spool, journal, state } = home.paths;
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", spool]);
  for (const folder of ["tmp", "new", "cur", "dead", "journal", "state"]) mkdirSync(join(spool, folder));
  for (const folder of [journal, state]) {
    mkdirSync(folder, { mode: 0o700 });
    execFileSync("mount", ["--bind", join(spool, basename(folder)), folder]);
  }
}

async function listen(...scripts: Parameters<typeof openReceiver>[0][]): Promise<void> {
  receivers = await Promise.all(scripts.map((script) => openReceiver(script)));
  const notifiers = receivers.map(({ url }, index) => [`hook${index}`, { type: "webhook", url }]);
  home.writeConfig({ notifiers: Object.fromEntries(notifiers), delivery: { linger: "1s", retryDelays: ["300ms"] } });
}

const stop = (session: string) => `{"hook_event_name":"Stop","session_id":"${session}","cwd":"/home/dev/shop"}`;
const store = (session: string) =>
  put(home.paths.spool, session, encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from(stop(session))));
const queued = () => home.spooled().filter((file) => /^(new|cur)/.test(file));

test.runIf(isRoot)("on a full disk a worker delivers whole records once and recovers with free space", async () => {
  mountDisk();
  // The second receiver rejects each event at first, so state must persist or the first receiver gets duplicates.
  await listen([{ status: 200 }], [{ status: 503 }, { status: 503 }, { status: 503 }, { status: 200 }]);
  const before = ["a", "b", "c"];
  for (const session of before) store(session);
  const free = fillDisk(home.paths.spool);
  expect(await home.launch(["Stop", "--agent", "claude"], stop("torn"))).toMatchObject({ exitCode: 0, stderr: "" });
  await expect.poll(() => receivers[1]?.sessions().sort(), { timeout: 20_000 }).toEqual(before);
  await expect.poll(queued, { timeout: 10_000 }).toEqual([]);
  for (const receiver of receivers) expect(receiver.sessions().sort()).toEqual(before);
  free();
  await home.launch(["Stop", "--agent", "claude"], stop("after"));
  await expect.poll(() => receivers[1]?.sessions(), { timeout: 20_000 }).toContain("after");
  await expect.poll(queued, { timeout: 10_000 }).toEqual([]);
  for (const receiver of receivers) expect(receiver.sessions().sort()).toEqual(["a", "after", "b", "c"]);
  expect(home.journal().map(({ status }) => status)).not.toContain("failed");
  const debris = () => readdirSync(home.paths.spool).filter((file) => file.startsWith("worker.lock."));
  await expect.poll(debris, { timeout: 10_000 }).toEqual([]); // a second worker may still be waiting to take over
  await home.until(() => home.spooled().length === 0);
});
