import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, type Home, run } from "../world/home.ts";
import { expectSilence, quiet, stop, untilStored } from "./stop-hook.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  home.writeConfig(quiet);
});
afterEach(() => home.remove());

describe("the launcher", () => {
  test("cannot be broken by NODE_OPTIONS", async () => {
    expectSilence(await home.launch(["Stop"], stop, { env: { NODE_OPTIONS: "--no-such-option" } }));
    await home.until((journal) => journal.some(({ status }) => status === "skipped"));
  });

  test("finds Node on PATH when the recorded one is gone", async () => {
    writeFileSync(home.paths.nodeRecord, "/no/such/node\n");
    const bin = newFolder("bin");
    symlinkSync(process.execPath, join(bin, "node"));
    expectSilence(await home.launch(["Stop"], stop, { env: { PATH: `/usr/bin:/bin:${bin}` } }));
    await home.until((journal) => journal.some(({ status }) => status === "skipped"));
  });

  test("keeps the event when there is no Node at all", async () => {
    writeFileSync(home.paths.nodeRecord, "/no/such/node\n");
    expectSilence(await home.launch(["Stop"], stop, { env: { PATH: newFolder("empty") } }));
    await untilStored(home);
  });

  test("ignores programs that the agent puts in front of PATH", async () => {
    const bin = newFolder("evil");
    for (const name of ["cat", "mv", "setsid", "timeout"]) {
      writeFileSync(join(bin, name), "#!/bin/sh\necho evil; exit 2\n");
      chmodSync(join(bin, name), 0o755);
    }
    expectSilence(await home.launch(["Stop"], stop, { env: { PATH: `${bin}:${process.env["PATH"]}` } }));
    await home.until((journal) => journal.some(({ status }) => status === "skipped"));
  });

  test.each(["with space", "qu'ote", 'dou"ble', "dol$lar", "ünï", "semi;colon", "new\nline"])(
    "works in a root whose name begins with %j",
    async (name) => {
      const odd = createHome(name);
      try {
        odd.writeConfig(quiet);
        expectSilence(await odd.launch(["Stop"], stop));
        await odd.until((journal) => journal.some(({ status }) => status === "skipped"));
      } finally {
        await odd.remove();
      }
    },
  );

  describe.each(["dash", "bash", "busybox sh"])("in %s", (shell) => {
    const [program = "", ...args] = shell.split(" ");
    const isInstalled = ["/usr/bin", "/bin"].some((folder) => existsSync(join(folder, program)));
    test.runIf(isInstalled)("stores the event and wakes the worker", async () => {
      expectSilence(await run(program, [...args, home.paths.launcher, "Stop"], stop, { env: home.env }));
      await home.until((journal) => journal.some(({ status }) => status === "skipped"));
    });
  });

  test("prints its usage to a person at a terminal, and exits 0", async () => {
    const result = await run("script", ["-qec", `${home.paths.launcher} Stop`, "/dev/null"], "", { env: home.env });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stdout).toContain("usage: hook EVENT");
    expect(home.spooled()).toEqual([]);
  });

  test("stores no more than 2 MiB of an endless input", async () => {
    const child = spawn("sh", ["-c", `yes | ${home.paths.launcher} Stop; echo $?`], { env: home.env });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    await new Promise((resolve) => child.on("close", resolve));
    expect(output).toBe("0\n");
    const [line] = await home.until((journal) => journal.length > 0);
    expect(line?.reason).toMatch(/^input\.too_large/);
    const [deadLetter = ""] = home.spooled();
    expect(statSync(join(home.paths.spool, deadLetter)).size).toBeLessThan(5 << 20);
  });
});

function newFolder(name: string): string {
  const folder = join(home.paths.root, name);
  mkdirSync(folder);
  return folder;
}
