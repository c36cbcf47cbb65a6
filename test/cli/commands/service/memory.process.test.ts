import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtCli } from "../../../world/cli-home.ts";
import { openServiceHome, type ServiceHome } from "../../../world/service-home.ts";

/** How much memory the built command line takes for a long span of a large organization. */

let world: ServiceHome;
beforeAll(async () => {
  world = await openServiceHome({ users: 1000 }, Date.now);
});
afterAll(() => world.close());

/**
 * Prints the peak of a process as its last line on standard error, MiB. On Linux `maxRSS` begins with what the process
 * held that started this one, here a test runner with many files behind it; VmHWM is this program's own.
 */
const printPeak = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync } from "node:fs";
  const status = "/proc/self/status";
  const peakKb = () => existsSync(status)
    ? /VmHWM:\\s+(\\d+)/.exec(readFileSync(status, "utf8"))[1]
    : process.resourceUsage().maxRSS;
  process.on("exit", () => process.stderr.write(String(peakKb() / 1024)));
`)}`;

function start(args: string) {
  const words = ["--import", printPeak, builtCli, "service", ...args.split(" ")];
  return spawn(process.execPath, words, { env: world.env, cwd: world.home.project });
}

/** Reads a process's output to its end. */
async function measured(child: ReturnType<typeof start>) {
  let [lines, stderr] = [0, ""];
  child.stdout.on("data", (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines += 1;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, lines, peakMb: Number(stderr) };
}

test("300 days of 1,000 users, 53 MB of rows, take a bounded amount of memory", async () => {
  const { code, lines, peakMb } = await measured(start("analytics tokens --since 300d"));
  expect([code, lines]).toEqual([0, 301]);
  expect(peakMb).toBeGreaterThan(40);
  expect(peakMb).toBeLessThan(260);
});

test("while nobody reads the output, nothing more is asked for; a late reader costs no more memory", async () => {
  world.sandbox.seen.length = 0;
  const child = start("analytics tokens --since 120d --json");
  const all = 4;
  const isDone = expect.poll(() => world.sandbox.seen.length, { timeout: 6_000 }).toBe(all);
  await expect(isDone).rejects.toThrow();
  const { lines, peakMb } = await measured(child);
  expect(lines).toBe(120);
  expect(peakMb).toBeGreaterThan(40);
  expect(peakMb).toBeLessThan(260);
  expect(world.sandbox.seen).toHaveLength(all);
});
