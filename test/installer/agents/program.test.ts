import { chmodSync, existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentNamed } from "../../../src/agents/registry.ts";
import type { AgentProgram } from "../../../src/core/agent-settings.ts";
import { compareVersions, findProgram, versionIn } from "../../../src/installer/agents/program.ts";
import { createExec } from "../../../src/io/exec.ts";
import { type CliHome, createCliHome } from "../../world/cli-home.ts";

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

test("a program is asked with --version, and may answer on standard error", async () => {
  const file = program("odd", '[ "$*" = "--version" ] && echo 9.8.7 >&2');
  expect(await find({ files: ["odd"] })).toEqual({ file, version: "9.8.7" });
});

test("a program that makes its settings folder when it is asked leaves none in the home", async () => {
  const file = program("codex", 'mkdir -p "$HOME/.codex/log" && touch "$HOME/.codex/log/a" && echo codex-cli 0.169.0');
  const before = readdirSync(home.home);
  expect(await find({ files: ["codex"] })).toEqual({ file, version: "0.169.0" });
  expect(readdirSync(home.home)).toEqual(before);
});

test("a program of an npm package is not started: the package has the version", async () => {
  const script = program("npm/node_modules/@acme/agent/bin/agent", `touch ${home.home}/started; echo 9.9.9`);
  home.write(
    join(home.home, "bin/npm/node_modules/@acme/agent/package.json"),
    JSON.stringify({ version: "1.2.3-beta.1", bin: { agent: "./bin/agent" } }),
  );
  symlinkSync(script, join(home.home, "bin", "agent"));
  expect(await find({ files: ["agent"] })).toMatchObject({ version: "1.2.3" });
  expect(existsSync(join(home.home, "started"))).toBe(false);
});

test("a package around a program that is not its own says nothing about it", async () => {
  program("other", "echo 4.5.6");
  home.write(join(home.home, "package.json"), JSON.stringify({ version: "1.2.3", bin: "bin/else" }));
  expect(await find({ files: ["other"] })).toMatchObject({ version: "4.5.6" });
});

test("a program that is not on PATH is not found", async () =>
  expect(await find({ files: ["nowhere"] })).toBeUndefined());

test.each([
  ["hangs", "sleep 60"],
  ["hangs in a child of its own", "sleep 60 & wait"],
  ["fails", "exit 7"],
  ["says something else", "echo hello"],
  ["reads its input", "cat; echo nothing"],
])("a program that %s is found without a version, and not waited for", async (_, script) => {
  const file = program("strange", script);
  const startedAtMs = Date.now();
  expect(await find({ files: ["strange"] }, 500)).toEqual({ file });
  expect(Date.now() - startedAtMs).toBeLessThan(4000);
});

test.each([
  ["2.1.329 (Claude Code)\n", "2.1.329"],
  ["codex-cli 0.169.0", "0.169.0"],
  ["v20.18.1", "20.18.1"],
  ["1.2.3-beta.4+5.6.7", "1.2.3"],
  ["warning: node 20\n0.61.0", "0.61.0"],
  ["no version", undefined],
  ["", undefined],
])("the version in %j is %j", (text, version) => expect(versionIn(text)).toBe(version));

test.each([
  ["0.9.0", "0.10.0", -1],
  ["1.0.0", "0.99.99", 1],
  ["1.2.3", "1.2.3", 0],
  ["1.2", "1.2.0", 0],
  ["2", "1.9.9", 1],
  ["", "0.0.0", 0],
])("%j against %j is %i", (a, b, sign) => expect(Math.sign(compareVersions(a, b))).toBe(sign));

const parts = fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300));
test("versions are ordered by their numbers, one after the other", () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const at = [0, 1, 2].find((index) => a[index] !== b[index]);
      const expected = at === undefined ? 0 : Math.sign((a[at] ?? 0) - (b[at] ?? 0));
      expect(Math.sign(compareVersions(a.join("."), b.join(".")))).toBe(expected);
      expect(Math.sign(compareVersions(b.join("."), a.join(".")))).toBe(expected === 0 ? 0 : -expected);
    }),
    { numRuns: 300 },
  );
});
