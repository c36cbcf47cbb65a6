import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commandLine } from "../../src/installer/agents/command-line.ts";
import { createHome, type Home, run } from "../world/home.ts";
import { expectSilence, quiet, stop } from "./stop-hook.ts";

let home: Home;
beforeEach(() => {
  home = createHome("beckon R&D 50%");
  home.writeConfig(quiet);
});
afterEach(() => home.remove());

/** Windows' command line, in a shell that reads it as Git Bash does. */
function fire(agent: string, cwd?: string) {
  const request = { home: "", agent, nativeEvent: "Stop", event: "Stop", waitSeconds: 0, paths: home.paths } as const;
  const line = commandLine({ ...request, platform: "win32" });
  return run("sh", ["-c", line], stop, { env: home.env, ...(cwd && { cwd }) });
}

test("Windows' command line hands over the event with its agent, and prints the agent's neutral reply", async () => {
  expectSilence(await fire("claude"));
  const { stdout } = await fire("droid");
  expect(stdout).toBe('{"suppressOutput":true}');
  const journal = await home.until((lines) => lines.filter(({ status }) => status === "accepted").length === 2);
  expect(journal.filter(({ status }) => status === "accepted").map(({ agent }) => agent)).toEqual(["claude", "droid"]);
});

test("without an installed worker it starts none that lies beside the project", async () => {
  const project = join(home.paths.root, "code/shop");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "../worker.cjs"), "");
  rmSync(home.paths.worker);
  expectSilence(await fire("claude", project));
  expect(home.spooled()).toEqual([expect.stringMatching(/^new\//)]);
  expect(existsSync(home.paths.starting)).toBe(false);
});
