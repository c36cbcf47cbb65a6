import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CliContext } from "../../../src/cli/context.ts";
import { sunday } from "../../board/journal.ts";
import { ask } from "../../board/server/board-server.ts";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { fixDate } from "../../world/fixed-date.ts";

const home = useCliHome();
const nowMs = new Date(2026, 10, 22, 23, 55).getTime();
fixDate(nowMs);

test("--out writes a day into a private file", async () => {
  home.journal(...sunday);
  const { exitCode, stdout } = await home.run(["board", "--out", "day.html", "--day", "2026-11-22"]);
  const file = join(home.project, "day.html");
  expect([exitCode, stdout]).toEqual([0, "wrote ~/code/shop/day.html\n"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain("<h1>Sunday 22 November 2026</h1>");
});

test.each([
  ["--day without --out", ["--day", "2026-11-22"], "--day needs --out"],
  ["a day that there is not", ["--out", "a.html", "--day", "2026-02-30"], "It must be a day"],
  ["a port that there is not", ["--port", "70000"], "It must be a number from 1 to 65535"],
])("%s is wrong usage", async (_, args, message) => {
  expect(await home.run(["board", ...args])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
});

test("a missing folder is reported", async () => {
  const { exitCode, stderr } = await home.run(["board", "--out", "nowhere/day.html"]);
  expect([exitCode, existsSync(join(home.project, "nowhere"))]).toEqual([1, false]);
  expect(stderr).toContain("does not exist");
});

/** Runs the board, passes its address to `use`, and stops the board when `use` has ended. */
async function served(
  use: (url: string) => Promise<void>,
  args: readonly string[] = [],
  changes: Partial<CliContext> = {},
) {
  const stop = new AbortController();
  let found: (url: string) => void = () => {};
  const url = new Promise<string>((resolve) => {
    found = resolve;
  });
  const ended = home.run(["board", ...args], {
    interruption: () => stop.signal,
    print: (text) => found(text),
    ...changes,
  });
  try {
    await use(await Promise.race([url, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]));
  } finally {
    stop.abort();
  }
  return ended;
}

const act = (url: string, path: string, body: object) =>
  ask(`${url}${path}`, {
    method: "POST",
    headers: { Origin: new URL(url).origin, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

test("the board serves until interrupted, and says who may use its address", async () => {
  const { exitCode, stderr } = await served(async (url) => {
    expect((await ask(url)).status).toBe(200);
  });
  expect(exitCode).toBe(0);
  expect(stderr).toContain("Anyone with this address");
});

const terminal = { columns: () => 80, write: () => {} };

/** Makes a desktop with a program that writes the opened address into a file. */
function makeDesktop() {
  const opened = join(home.home, "opened");
  home.write(
    join(home.home, "bin", "xdg-open"),
    `#!/bin/sh\nprintf %s "$1" > '${opened}.part'\nmv '${opened}.part' '${opened}'\n`,
    0o700,
  );
  const env = { ...home.env, PATH: `${join(home.home, "bin")}:${home.env["PATH"]}`, DISPLAY: ":7" };
  return { opened, environment: { ...home.environment, env, platform: "linux" as const } };
}

test("at a local terminal the browser opens an address that works once", async () => {
  const { opened, environment } = makeDesktop();
  await served(
    async (url) => {
      await expect.poll(() => existsSync(opened), { timeout: 10_000 }).toBe(true);
      const address = readFileSync(opened, "utf8");
      expect(address).not.toBe(url);
      const { status, headers } = await ask(address);
      expect([status, headers["location"]]).toEqual([303, new URL(url).pathname]);
      expect((await ask(address)).status).toBe(403);
      expect((await ask(url)).status).toBe(200);
    },
    [],
    { terminal, environment },
  );
});

test("no browser opens with --no-open or for a pipe", async () => {
  const { opened, environment } = makeDesktop();
  await served(async () => {}, ["--no-open"], { terminal, environment });
  await served(async () => {}, [], { environment });
  expect(existsSync(opened)).toBe(false);
});

test("a port in use is reported", async () => {
  await served(async (url) => {
    const stderr = expect.stringContaining("EADDRINUSE");
    expect(await home.run(["board", "--port", new URL(url).port])).toMatchObject({ exitCode: 1, stderr });
  });
});

test("a snooze from the page matches the command's, and can be ended", async () => {
  const alert = makeAlert({ sessionId: "s-7", lastAtMs: nowMs, concerns: [concern("one")] });
  writeAlerts(home, alert);
  await served(async (url) => {
    expect((await act(url, "snooze", { key: alert.key, time: "1h" })).text).toContain("Snoozed until");
    const { stdout } = await home.run(["snooze", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ snoozed: [{ session: "s-7" }] });
    expect((await ask(url)).text).toContain("Snoozed until");
    await act(url, "snooze", { time: "off", session: "s-7" });
    expect((await home.run(["snooze", "--json"])).stdout).toBe('{"snoozed":[]}\n');
  });
});

test("Seen stores the command's record, and says if no worker resolves it", async () => {
  const alert = makeAlert({ lastAtMs: nowMs, concerns: [concern("one")] });
  writeAlerts(home, alert);
  await served(async (url) => {
    const { text } = await act(url, "seen", { key: alert.key });
    expect(JSON.parse(text)).toEqual({ isDone: false, text: expect.stringContaining("no worker is installed") });
  });
  expect(home.spooled().filter((file) => file.startsWith("new/"))).toHaveLength(1);
});

test("a notifier is tested as by the command, and unknown sessions and notifiers are reported", async () => {
  home.config({ notifiers: { log: { type: "file", path: join(home.home, "out.jsonl") } } });
  await served(async (url) => {
    expect(JSON.parse((await act(url, "test", { notifier: "log" })).text)).toMatchObject({ isDone: true });
    expect(readFileSync(join(home.home, "out.jsonl"), "utf8")).toContain("agent.notification");
    expect((await act(url, "test", { notifier: "nobody" })).text).toContain("there is no notifier nobody");
    expect((await act(url, "focus", { key: "gone" })).text).toContain("no longer known");
  });
});

test("a relay test waits in the outbox, as the command's does", async () => {
  home.config({ notifiers: { mine: { type: "relay", via: "stdio" } } });
  await served(async (url) => {
    expect(JSON.parse((await act(url, "test", { notifier: "mine" })).text)).toMatchObject({ isDone: true });
  });
  expect(readdirSync(join(home.paths.relay, "outbox")).filter((file) => file.endsWith(".json"))).toHaveLength(1);
});

test("an event's story matches `why`", async () => {
  home.journal(...sunday);
  await served(async (url) => {
    const { text } = await ask(`${url}event?id=n2`);
    expect(text).toContain("<h3>What happened</h3>");
    expect(text).toContain("answered after 10 min");
    expect((await ask(`${url}event?id=zzz`)).text).toContain("no event zzz");
  });
});
