import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { commandLine } from "../../src/installer/agents/command-line.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { freshHome } from "../world/fresh-home.ts";
import { type Home, run } from "../world/home.ts";
import { useHome } from "../world/use-home.ts";
import { expectSilence, quiet, stop, untilSkipped } from "./stop-hook.ts";

const home = useHome();
beforeEach(() => home.writeConfig(quiet));

describe("the launcher", () => {
  test("is immune to NODE_OPTIONS", async () => {
    expectSilence(await home.launch(["Stop"], stop, { env: { NODE_OPTIONS: "--no-such-option" } }));
    await untilSkipped(home);
  });

  test("keeps an event's name with a dot, and drops a name that is no name", async () => {
    expectSilence(await home.launch(["session.idle"], "{}"));
    expectSilence(await home.launch(['a"b'], "{}"));
    const journal = await home.until((lines) => new Set(lines.map(({ id }) => id)).size === 2);
    expect(new Set(journal.map(({ event }) => event))).toEqual(new Set(["session.idle", "unknown"]));
  });

  test("ignores programs that the agent puts in front of PATH", async () => {
    const bin = newFolder("evil");
    for (const name of ["cat", "mv", "setsid", "timeout"]) {
      writeFileSync(join(bin, name), "#!/bin/sh\necho evil; exit 2\n");
      chmodSync(join(bin, name), 0o755);
    }
    expectSilence(await home.launch(["Stop"], stop, { env: { PATH: `${bin}:${process.env["PATH"]}` } }));
    await untilSkipped(home);
  });

  test("works in a root with an odd name", async () => {
    const names = ["with space", "qu'ote", 'dou"ble', "dol$lar", "ünï", "semi;colon", "new\nline"];
    const check = async (name: string) => {
      const odd = freshHome(quiet, name);
      expectSilence(await odd.launch(["Stop"], stop));
      await untilSkipped(odd);
    };
    expect(await collectFailures(names, check)).toEqual([]);
  });

  test("stops waiting for a silent writer even if its caller blocks SIGTERM", async () => {
    const block = "use POSIX; sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGTERM)); exec @ARGV";
    const args = ["-e", block, home.paths.launcher, "Stop"];
    expectSilence(await run("perl", args, stop, { env: home.env, keepOpen: true }));
    await untilSkipped(home);
  });

  test("prints its usage on a terminal and exits 0", async () => {
    const result = await run("script", ["-qec", `${home.paths.launcher} Stop`, "/dev/null"], "", { env: home.env });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout).toContain("usage: hook EVENT");
    expect(home.spooled()).toEqual([]);
  });

  test("stores no more than 2 MiB of an endless input", async () => {
    const line = `yes | ${home.paths.launcher} SessionEnd; echo $?`;
    expect((await run("sh", ["-c", line], "", { env: home.env })).stdout).toBe("0\n");
    const [rejected] = await home.until(
      (journal) => journal.length > 0 && home.spooled().every((file) => file.startsWith("dead/")),
    );
    expect(rejected?.reason).toMatch(/^input\.too_large/);
    const [deadLetter = ""] = home.spooled();
    expect(statSync(join(home.paths.spool, deadLetter)).size).toBeLessThan(5 << 20);
  });
});

function newFolder(name: string): string {
  const folder = join(home.paths.root, name);
  mkdirSync(folder);
  return folder;
}

// Each limit has a separate home, as a launcher that finds a running worker does not start one.
const limited = ["ulimit -n 12", "ulimit -f 0", "ulimit -f 1", "ulimit -u 1", "ulimit -v 20000"];
const limits = [...limited, "unset HOME BECKON_HOME"];

/** Runs the launcher under a limit that applies from its first line. */
function launchUnder(home: Home, limit: string, shell: string) {
  const line = `${limit}\nexec ${shell} ${home.paths.launcher} Stop --agent claude\n`;
  return run("bash", ["-c", line], stop, { env: home.env });
}

test("the launcher exits 0 silently under any limit in any shell", async () => {
  const rows = ["sh", "bash"].flatMap((shell) => limits.map((limit) => [limit, shell] as const));
  const results = rows.map(async (row) => [...row, await launchUnder(freshHome(quiet), ...row)]);
  const silent = expect.objectContaining({ exitCode: 0, stdout: "", stderr: "" });
  expect(await Promise.all(results)).toEqual(rows.map((row) => [...row, silent]));
});

test("a truncated event does not become visible", async () => {
  rmSync(home.paths.worker); // which would end the visible part
  await launchUnder(home, "ulimit -f 0", "sh");
  expect(home.spooled()).toEqual([]);
});

/** Command line for Windows, in a shell that reads it as Git Bash does. */
function fire(home: Home, agent: string, cwd?: string) {
  const request = { home: "", agent, nativeEvent: "Stop", event: "Stop", waitSeconds: 0, paths: home.paths } as const;
  const line = commandLine({ ...request, platform: "win32" });
  return run("sh", ["-c", line], stop, { env: home.env, ...(cwd && { cwd }) });
}

test("the Windows command line passes the agent's event and prints the agent's neutral reply", async () => {
  const home = freshHome(quiet, "beckon R&D 50%");
  expectSilence(await fire(home, "claude"));
  const { stdout } = await fire(home, "droid");
  expect(stdout).toBe('{"suppressOutput":true}');
  const journal = await home.until((lines) => lines.filter(({ status }) => status === "accepted").length === 2);
  expect(journal.filter(({ status }) => status === "accepted").map(({ agent }) => agent)).toEqual(["claude", "droid"]);
});

test("without an installed worker none beside the project is started", async () => {
  const home = freshHome(quiet, "beckon R&D 50%");
  const project = join(home.paths.root, "code/shop");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "../worker.cjs"), "");
  rmSync(home.paths.worker);
  expectSilence(await fire(home, "claude", project));
  expect(home.spooled()).toEqual([expect.stringMatching(/^new\//)]);
  expect(existsSync(home.paths.starting)).toBe(false);
});
