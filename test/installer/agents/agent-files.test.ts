import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentNamed } from "../../../src/agents/registry.ts";
import { describeFiles, readInstalls } from "../../../src/installer/agents/agent-files.ts";
import { inspectAgent } from "../../../src/installer/inspect.ts";
import { type CliHome, createCliHome } from "../../world/cli-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

async function read(name: string) {
  const agent = agentNamed(name);
  if (!agent?.settings) throw new Error(`no settings: ${name}`);
  const place = { home: home.home, project: home.project, env: {}, platform: process.platform };
  const installs = await readInstalls(home.paths, home.home);
  return describeFiles(name, await inspectAgent(agent, place, installs.beckonCommands), installs);
}
const hooks = (agent: string, ...events: string[]) =>
  Object.fromEntries(
    events.map((event) => [
      event,
      [{ hooks: [{ type: "command", command: `~/.beckon/hook ${event} --agent ${agent} || :` }] }],
    ]),
  );

test("entries are found in every scope and file, wrapped or bare, among others", async () => {
  home.write(join(home.home, ".factory", "hooks.json"), JSON.stringify({ ...hooks("droid", "Stop"), SessionEnd: [] }));
  home.write(
    join(home.project, ".factory", "settings.json"),
    `// mine\n${JSON.stringify({ model: "x", hooks: { ...hooks("droid", "Notification"), Stop: [{ hooks: [{ command: "say done" }] }] } })}`,
  );
  expect((await read("droid")).map(({ scope, events, problem }) => ({ scope, events, problem }))).toEqual([
    { scope: "user", events: ["Stop"], problem: undefined },
    { scope: "project", events: ["Notification"], problem: undefined },
  ]);
});

test("files that do not exist are not listed", async () => expect(await read("claude")).toEqual([]));

test.each([
  {
    name: "a comment where none may be",
    text: '{\n  // x\n  "hooks": {}\n}',
    problem: /^comments, for which this agent ignores the whole file$/,
  },
  { name: "broken JSON", text: '{\n  "hooks": {\n', problem: /line 3, column 1/ },
])("$name is a problem", async ({ text, problem }) => {
  home.write(join(home.home, ".claude", "settings.json"), text);
  expect((await read("claude"))[0]?.problem).toMatch(problem);
});

test.each(["", "  \n", "[]", "7", '{"hooks":[]}', '{"hooks":{"Stop":{"command":7}}}'])(
  "%j has no entries and does no harm",
  async (text) => {
    home.write(join(home.home, ".claude", "settings.json"), text);
    expect(await read("claude")).toMatchObject([{ events: [] }]);
  },
);

test("a folder by a settings file's name is reported as a problem", async () => {
  mkdirSync(join(home.home, ".claude", "settings.json"), { recursive: true });
  expect((await read("claude"))[0]?.problem).toMatch(/not a regular file/);
});

test.each([
  ["claude", ".claude/settings.json", "disableAllHooks"],
  ["droid", ".factory/settings.json", "hooksDisabled"],
])("%s: the setting that switches hooks off is reported", async (agent, file, setting) => {
  home.write(join(home.home, file), JSON.stringify({ [setting]: true }));
  expect((await read(agent))[0]?.offSwitch).toBe(setting);
  home.write(join(home.home, file), JSON.stringify({ [setting]: false }));
  expect((await read(agent))[0]?.offSwitch).toBeUndefined();
});

test("the events a user chose at install are the ones that doctor misses", async () => {
  mkdirSync(join(home.home, ".claude"));
  const env = { ...home.env, BECKON_DISABLE: "1" };
  const place = { home: home.home, project: home.project, env, platform: process.platform };
  const args = ["install", "--agent", "claude", "--events", "Stop", "--yes"];
  expect(await home.run(args, { environment: place })).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await read("claude")).toMatchObject([{ events: ["Stop"], chosen: ["Stop"], changed: [] }]);
  expect((await home.run(["doctor", "--all"])).stdout).toContain("✓ Claude Code: hooks: Stop\n");
});

test("a broken install record is reported, and entries are recognized by their form", async () => {
  home.write(join(home.home, ".claude", "settings.json"), JSON.stringify({ hooks: hooks("claude", "Stop") }));
  home.write(join(home.paths.state, "installs", `${"0123".repeat(8)}.json`), "torn");
  expect(await read("claude")).toMatchObject([{ events: ["Stop"] }]);
  expect((await home.run(["status"])).exitCode).toBe(0);
  const { exitCode, stdout } = await home.run(["doctor"]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain("✗ install records: ~/.beckon/state/installs/01230123012301230123012301230123.json");
});
