import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findProcess, parseStat } from "../../src/files/process-table.ts";

const onLinux = process.platform === "linux";

test("this process is found, on Linux with its parent and its start", () => {
  const found = findProcess(process.pid);
  expect(found?.pid).toBe(process.pid);
  if (onLinux) expect(found).toMatchObject({ parentPid: process.ppid, startTicks: expect.stringMatching(/^\d+$/) });
});

test("a process that has ended is not found", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  expect(findProcess(child.pid ?? 0)).toBeUndefined();
});

test.runIf(onLinux)("a zombie is not found", async () => {
  // The shell starts a child and becomes a program that never collects it; only then may the child end.
  const stdio = ["ignore", "pipe", "ignore", "pipe"] as const;
  const shell = spawn("sh", ["-c", "cat <&3 & echo $!; exec sleep 60"], { stdio: [...stdio] });
  const [line] = await once(shell.stdout as Readable, "data");
  const zombie = Number.parseInt(String(line), 10);
  await expect.poll(() => findProcess(shell.pid ?? 0)?.name).toBe("sleep");
  expect(findProcess(zombie)).toBeDefined();
  shell.stdio[3]?.destroy();
  await expect.poll(() => findProcess(zombie)).toBeUndefined();
  expect(process.kill(zombie, 0)).toBe(true);
  shell.kill("SIGKILL");
});

test("the fields of a stat line are found after any name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 15 }), (name) => {
      const line = `42 (${name}) S 7 5 6 34816 5 4194304 1 0 0 0 0 0 0 0 20 0 1 0 8675309 2334720 0\n`;
      const fields = { state: "S", parentPid: 7, sessionPid: 6, terminalDevice: 34_816, startTicks: "8675309" };
      expect(parseStat(line)).toEqual({ name, ...fields });
    }),
  );
});
