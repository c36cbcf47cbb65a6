import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createCliPorts } from "../../src/cli/ports.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { runWorker } from "../../src/worker/run-worker.ts";
import { useCliHome } from "../world/cli-home.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { type RecordingDesktop, startRecordingDesktop } from "../world/session-bus.ts";

const home = useCliHome();
let clock: FakeClock;

let desktop: RecordingDesktop;

beforeEach(async () => {
  clock = new FakeClock(Date.now());
  desktop = await startRecordingDesktop(freshFolder());
  onTestFinished(desktop.close);
  vi.stubEnv("DBUS_SESSION_BUS_ADDRESS", desktop.address);
  onTestFinished(() => void vi.unstubAllEnvs());
  home.config({
    notifiers: { desk: { type: "desktop" }, chime: { type: "file", path: `${home.home}/log` } },
    lookups: [],
  });
  makeSpool(home.paths.spool);
});

/** Starts a worker without a session. */
function startWorker(): void {
  vi.stubEnv("DBUS_SESSION_BUS_ADDRESS", "");
  vi.stubEnv("XDG_RUNTIME_DIR", "/nowhere");
  const stop = new AbortController();
  const worker = runWorker(home.paths, { ...createCliPorts(home.paths), clock }, { signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await worker;
  });
}

const pass = async (ms: number) => {
  await clock.advance(ms);
  return desktop.closed;
};

test.each([
  ["starts afterwards", false],
  ["is already running", true],
])("a test message on the desktop is withdrawn after ten seconds by a worker that %s", async (_, isRunning) => {
  if (isRunning) startWorker();
  if (isRunning) await pass(1_000);
  vi.stubEnv("DBUS_SESSION_BUS_ADDRESS", desktop.address);
  expect((await home.run(["test"])).exitCode).toBe(0);
  if (!isRunning) startWorker();
  expect((await home.run(["sessions", "--line"])).stdout).toBe("");
  expect((await home.run(["sessions"])).stdout).toContain("No session");
  expect(await pass(8_000)).toEqual([]);
  await expect.poll(() => pass(500)).toEqual([1]);
});
