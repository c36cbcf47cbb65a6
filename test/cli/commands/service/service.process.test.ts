import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtCli, serve } from "../../../world/cli-home.ts";
import { readToEnd } from "../../../world/home.ts";
import { sharedServiceHome } from "../../../world/service-home.ts";

describe("service", () => {
  const world = sharedServiceHome({ users: 250 }, Date.now);

  function start(args: readonly string[], env: NodeJS.ProcessEnv = world.env): ChildProcess {
    return spawn(process.execPath, [builtCli, "service", ...args], { env, cwd: world.home.project });
  }

  /** Starts a service that answers only the first page. */
  async function startStaller(): Promise<{ env: NodeJS.ProcessEnv; asked: () => number }> {
    let asked = 0;
    const { origin } = await serve((request, response) => {
      asked += 1;
      if (request.url?.includes("cursor") || request.method !== "GET") return;
      const users = [{ id: "user_1" }, { id: "user_2" }];
      response.end(JSON.stringify({ users, pagination: { hasMore: true, nextCursor: "next" } }));
    });
    return { env: { ...world.env, BECKON_BASE_URL: origin }, asked: () => asked };
  }

  test("the built command line writes the page of a report", async () => {
    const { exitCode, stdout, stderr } = await readToEnd(start(["report", "--since", "3d", "--out", "-"]));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^<!doctype html>.*<style>:root \{.*data-mark="0:0".*<\/html>\n$/s);
  });

  test("a pipe that is closed early ends the command silently with 0", async () => {
    const line = `"${process.execPath}" "${builtCli}" service users list --all --json; echo "exit $?" >&2`;
    const shell = spawn("sh", ["-c", `{ ${line}; } | head -n 1`], { env: world.env });
    const { stdout, stderr } = await readToEnd(shell);
    expect(JSON.parse(stdout)).toMatchObject({ id: "user_000000" });
    expect(stderr).toBe("exit 0\n");
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s ends a paged request with 130, after whole lines", async (signal) => {
    const { env, asked } = await startStaller();
    const child = start(["users", "list", "--all", "--json"], env);
    const end = readToEnd(child);
    await expect.poll(asked, { timeout: 10_000 }).toBe(2);
    child.kill(signal);
    const stdout = '{"id":"user_1"}\n{"id":"user_2"}\n';
    expect(await end).toEqual({ exitCode: 130, signal: null, stdout, stderr: "Stopped.\n" });
  });

  test("Ctrl-C during a change says that it may have taken effect", async () => {
    const { env, asked } = await startStaller();
    const child = start(["computers", "update", "c", "--name", "n"], env);
    const end = readToEnd(child);
    await expect.poll(asked, { timeout: 10_000 }).toBe(1);
    child.kill("SIGINT");
    const stderr = "Stopped. It may have taken effect: check before you repeat it.\n";
    expect(await end).toEqual({ exitCode: 130, signal: null, stdout: "", stderr });
    expect(asked()).toBe(1);
  });

  test("JSON for an option can come from standard input", async () => {
    const child = start(["sessions", "create", "--computer-id", "computer_1", "--session-settings", "@-", "--json"]);
    child.stdin?.end('{"model":"from-stdin"}');
    const { exitCode, stdout } = await readToEnd(child);
    expect([exitCode, JSON.parse(stdout).sessionSettings]).toEqual([0, { model: "from-stdin" }]);
  });

  test.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
    "on a terminal the progress line appears and disappears, and lines fit",
    async () => {
      const args = ["-qec", `stty cols 60; "${process.execPath}" "${builtCli}" service users list --all`, "/dev/null"];
      const { stdout } = await readToEnd(spawn("/usr/bin/script", args, { env: { ...world.env, TERM: "xterm" } }));
      expect(stdout).toContain("\r\u001b[2KFetched 100 rows …\r\u001b[2K");
      const lines = stdout
        .replaceAll(/\r\u001b\[2K(?:Fetched [^\r]*)?/g, "")
        .replaceAll(/\u001b\[\d+m/g, "")
        .trimEnd()
        .split("\r\n");
      expect(lines.slice(0, 2)).toEqual([
        "user         e-mail                   name",
        "user_000000  user_000000@example.com  Emi O'Brien",
      ]);
      expect(lines).toHaveLength(252);
      expect(Math.max(...lines.slice(0, 251).map((line) => line.length))).toBeLessThanOrEqual(60);
      expect(lines.at(-1)).toMatch(/^No room for /);
    },
  );

  test("help needs no configuration, and there is no option for the key", async () => {
    const env = world.home.env;
    const { exitCode, stdout } = await readToEnd(start(["analytics", "tokens", "--help"], env));
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/GET \/api\/v1\/analytics\/tokens\nThe key needs the role Manager or Owner\.\n$/);
    expect(stdout).not.toMatch(/--(api-)?key/);
    expect((await readToEnd(start([], env))).stderr).toContain("BECKON_API_KEY");
  });
});

describe("memory", () => {
  /** Memory used by the built command line for a long span of a large organization. */

  const world = sharedServiceHome({ users: 1000 }, Date.now);

  /**
   * Prints the peak of a process as its last line on standard error, MiB. On Linux `maxRSS` starts at the memory of the
   * parent process, here a large test runner; VmHWM is this program's own.
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
  async function measured(child: ChildProcess) {
    const { exitCode, stdout, stderr } = await readToEnd(child);
    return { code: exitCode, lines: stdout.split("\n").length - 1, peakMb: Number(stderr) };
  }

  test("300 days of 1,000 users, 53 MB of rows, take a bounded amount of memory", async () => {
    const { code, lines, peakMb } = await measured(start("analytics tokens --since 300d"));
    expect([code, lines]).toEqual([0, 301]);
    expect(peakMb).toBeGreaterThan(40);
    expect(peakMb).toBeLessThan(260);
  });

  test("unread output pauses the requests, and a late reader costs no more memory", async () => {
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
});

/** Lists the built files that are loaded before a command is known: a file's static imports, and their imports. */
function loadedAtOnce(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, path = ""] of text.matchAll(/\b(?:import|from) ?"(\.[^"]+)"/g))
    loadedAtOnce(join(dirname(file), path), seen);
  return seen;
}

test("no other command loads the chart library", () => {
  const [, main = ""] = /import\("(\.[^"]+)"\)/.exec(readFileSync(builtCli, "utf8")) ?? []; // all but --version
  const loaded = [...loadedAtOnce(join(dirname(builtCli), main))];
  expect(loaded.length).toBeGreaterThan(2);
  const heavy = loaded.filter((file) => readFileSync(file, "utf8").includes("zrender"));
  expect(heavy).toEqual([]);
});
