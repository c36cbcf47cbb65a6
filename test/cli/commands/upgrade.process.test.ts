import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { builtCli, useCliHome } from "../../world/cli-home.ts";
import { freshFolder } from "../../world/fresh-folder.ts";
import { createGate } from "../../world/gate.ts";
import { run, sleep } from "../../world/home.ts";

const home = useCliHome();

const workerPid = () => Number.parseInt(readFileSync(home.paths.lock, "utf8"), 10);
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
/** Waits for the worker's process, which stores compiled code after it has released its lock. */
const untilWorkerEnded = () =>
  expect.poll(() => readdirSync("/proc").filter(isOfHome), { timeout: 10_000 }).toEqual([]);
const isOfHome = (pid: string) => {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(home.paths.app);
  } catch {
    return false; // ended meanwhile
  }
};
const hook = (session: string) =>
  run(home.paths.launcher, ["Stop", "--agent", "droid"], `{"session_id":"${session}","cwd":"/home/me/shop"}`, {
    env: home.env,
  });

test("an upgrade lets a running worker deliver and exit, and the next event starts a new one", async () => {
  const gate = createGate(freshFolder());
  home.config({ notifiers: { slow: gate.notifier }, delivery: { linger: "60s" } });
  home.write(join(home.home, ".factory", "settings.json"), "{}");
  await home.start(["install", "--agent", "droid"], { BECKON_DISABLE: "1" });
  const manifest = join(home.paths.app, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": "[^"]+"/, '"version": "0.0.9"'));

  await hook("first");
  await expect.poll(() => gate.kindsBegun(), { timeout: 10_000 }).toHaveLength(1);
  const old = workerPid();
  const upgrade = await home.start(["upgrade"]);
  expect(upgrade).toMatchObject({ exitCode: 0, stderr: "" });
  expect(upgrade.stdout).toMatch(/^beckon 0\.0\.9 → \d+\.\d+\.\d+$/m);
  expect(isAlive(old)).toBe(true);
  gate.open();
  await expect.poll(() => isAlive(old), { timeout: 10_000 }).toBe(false);
  expect(gate.kindsBegun()).toHaveLength(1);

  await hook("second");
  await expect.poll(() => gate.kindsBegun(), { timeout: 10_000 }).toHaveLength(2);
  expect(workerPid()).not.toBe(old);
  const log = async () => (await home.start(["log", "--json"])).stdout;
  await expect.poll(log, { timeout: 10_000 }).toMatch(/"second".*"status":"sent"/);
  expect((await log()).match(/"status":"sent"/g)).toHaveLength(2);
  process.kill(workerPid(), "SIGTERM");
  await untilWorkerEnded();
});

test("events that arrive while the toolkit is replaced are all delivered", async () => {
  home.config({ notifiers: { ok: { type: "command", run: ["true"] } }, delivery: { linger: "0s" } });
  home.write(join(home.home, ".factory", "settings.json"), "{}");
  await home.start(["install", "--agent", "droid"], { BECKON_DISABLE: "1" });
  const clone = join(home.home, "clone");
  for (const part of ["dist", "templates", "package.json"]) {
    cpSync(join(dirname(builtCli), "..", part), join(clone, part), { recursive: true });
  }
  const upgrading = run(process.execPath, [join(clone, "dist", "cli.js"), "upgrade"], "", { env: home.env });
  let isDone = false;
  void upgrading.then(() => {
    isDone = true;
  });
  let count = 0;
  while (!isDone || count < 3) {
    count += 1;
    expect(await hook(`session-${count}`)).toMatchObject({ exitCode: 0, stderr: "" });
    await sleep(20);
  }
  expect((await upgrading).exitCode).toBe(0);
  const sent = async () => {
    const lines = (await home.start(["log", "--json", "--limit", "10000"])).stdout.trim().split("\n");
    const all = lines.map((line) => JSON.parse(line) as { status: string; sessionId?: string });
    return new Set(all.filter(({ status }) => status === "sent").map(({ sessionId }) => sessionId));
  };
  await hook("last"); // its worker picks up any left behind
  await expect.poll(async () => (await sent()).has("last"), { timeout: 20_000 }).toBe(true);
  await expect.poll(() => home.spooled(), { timeout: 20_000 }).toEqual([]);
  await untilWorkerEnded();
  expect((await sent()).size).toBe(count + 1);
});
