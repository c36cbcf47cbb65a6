import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentNamed } from "../../../src/agents/registry.ts";
import { findProgram } from "../../../src/installer/agents/program.ts";
import type { AgentProgram } from "../../../src/core/agent-settings.ts";
import { createExec } from "../../../src/io/exec.ts";
import { type CliHome, createCliHome } from "../../cli/cli-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

function program(name: string, script: string): string {
  const file = home.write(join(home.home, "bin", name), `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
function find(asked: AgentProgram, timeoutMs?: number) {
  const droid = agentNamed("droid");
  if (!droid?.settings) throw new Error("droid has settings");
  const exec = createExec({ HOME: home.home, PATH: `${join(home.home, "bin")}:/usr/bin:/bin` });
  return findProgram({ settings: { ...droid.settings, program: asked } }, exec, timeoutMs);
}

test("the first name that is on PATH is asked for its version", async () => {
  const file = program("second", 'echo "second $1 1.2.3, built 4.5.6"');
  expect(await find({ files: ["first", "second", "third"] })).toEqual({ file, version: "1.2.3" });
});

test("it is asked in its own way, and may answer on standard error", async () => {
  const file = program("odd", '[ "$1 $2" = "version short" ] && echo 9.8.7 >&2');
  expect(await find({ files: ["odd"], versionArgs: ["version", "short"] })).toEqual({ file, version: "9.8.7" });
});

test("a program that is not there is nothing", async () => expect(await find({ files: ["nowhere"] })).toBeUndefined());

test.each([
  ["hangs", "sleep 60"],
  ["hangs in a child of its own", "sleep 60 & wait"],
  ["fails", "exit 7"],
  ["says something else", "echo hello"],
  ["reads its input", "cat; echo nothing"],
])("a program that %s is there without a version, and nobody waits for it", async (_, script) => {
  const file = program("strange", script);
  const startedAtMs = Date.now();
  expect(await find({ files: ["strange"] }, 500)).toEqual({ file });
  expect(Date.now() - startedAtMs).toBeLessThan(4000);
});
