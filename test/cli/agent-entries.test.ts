import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentNamed } from "../../src/agents/registry.ts";
import { readAgentFiles } from "../../src/cli/agent-entries.ts";
import { type CliHome, createCliHome } from "./cli-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

function read(name: string) {
  const agent = agentNamed(name);
  if (!agent?.settings) throw new Error(`no settings: ${name}`);
  const place = { home: home.home, project: home.project, env: {}, platform: process.platform };
  return readAgentFiles(agent, place, home.paths);
}
const hooks = (agent: string, ...events: string[]) =>
  Object.fromEntries(
    events.map((event) => [
      event,
      [{ hooks: [{ type: "command", command: `~/.beckon/hook ${event} --agent ${agent} || :` }] }],
    ]),
  );

test("entries are found in every scope and file, wrapped or bare, among others'", async () => {
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

test("files that are not there are not listed", async () => expect(await read("claude")).toEqual([]));

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

test("a folder in a settings file's place is a problem, not a fault", async () => {
  mkdirSync(join(home.home, ".claude", "settings.json"), { recursive: true });
  expect((await read("claude"))[0]?.problem).toMatch(/not a regular file/);
});

test.each([
  ["claude", ".claude/settings.json", "disableAllHooks"],
  ["droid", ".factory/settings.json", "hooksDisabled"],
])("%s: the setting that switches hooks off is named", async (agent, file, setting) => {
  home.write(join(home.home, file), JSON.stringify({ [setting]: true }));
  expect((await read(agent))[0]?.offSwitch).toBe(setting);
  home.write(join(home.home, file), JSON.stringify({ [setting]: false }));
  expect((await read(agent))[0]?.offSwitch).toBeUndefined();
});
