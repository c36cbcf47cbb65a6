import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agents } from "../../../src/agents/registry.ts";
import type { Agent } from "../../../src/core/agent.ts";
import { pathsOf } from "../../../src/core/paths.ts";
import { ownCommands } from "../../../src/installer/beckon-commands.ts";
import { planInstall } from "../../../src/installer/plan-file.ts";
import { wantedEntries } from "../../../src/installer/agents/wanted-entries.ts";

const folder = join(import.meta.dirname, "..", "..", "templates", "settings");
const installable = agents.filter((agent) => agent.settings);
const home = "/home/you";
const snippetName = (name: string, shape: string | undefined) => `${name}.${shape === "tables" ? "toml" : "json"}`;
const userFile = (agent: Agent) =>
  agent.settings?.files("user", { home, project: home, env: {}, platform: "linux" }).at(-1);

test.each(installable.map((agent) => [agent.name, agent] as const))(
  "the %s snippet is what the installer writes into an absent file",
  (name, agent) => {
    const paths = pathsOf(join(home, ".beckon"));
    const wanted = wantedEntries({ agent, events: undefined, waitSeconds: 0, paths, home, platform: "linux" });
    const file = userFile(agent);
    if (!file) throw new Error("no file");
    const own = ownCommands({ commands: [], roots: [] });
    const plan = planInstall({
      file,
      before: undefined,
      own,
      wanted,
      ignoresFileWith: [],
      ...(agent.settings?.preamble && { preamble: agent.settings.preamble }),
    });
    const snippet = join(folder, snippetName(name, file.shape));
    expect(readFileSync(snippet, "utf8")).toBe(plan.after?.toString());
  },
);

test("there is a snippet for each agent and no other", () => {
  expect(readdirSync(folder).sort()).toEqual(
    installable.map((agent) => snippetName(agent.name, userFile(agent)?.shape)).sort(),
  );
});

test("timeouts are in the agent's unit, and a wait makes them long enough", () => {
  const [agent] = installable;
  if (!agent?.settings) throw new Error("no agent");
  const inMs = { ...agent, settings: { ...agent.settings, timeoutUnit: "ms" as const } };
  const paths = pathsOf("/home/u/.beckon");
  const of = (waitSeconds: number) =>
    wantedEntries({ agent: inMs, events: ["Stop"], waitSeconds, paths, home, platform: "linux" }).get("Stop");
  expect(of(0)).toMatchObject({ timeout: 5000, leastTimeout: 0 });
  expect(of(8)).toMatchObject({ timeout: 10_000, leastTimeout: 10_000 });
});

test.each([
  ["codex", "SessionEnd", 10, 1, 3],
  ["codex", "Stop", 10, 10, 12],
  ["kimi", "Stop", 600, 598, 600],
  ["claude", "SessionEnd", 600, 600, 602],
])(
  "%s: %s with a wait of %d s waits %d and asks for %d, no more than the agent takes",
  (name, firing, wait, waits, timeout) => {
    const agent = installable.find((each) => each.name === name);
    if (!agent) throw new Error("no agent");
    const paths = pathsOf("/home/u/.beckon");
    const request = { agent, events: [firing], waitSeconds: wait, paths, home: "/home/u", platform: "linux" } as const;
    expect(wantedEntries(request).get(firing)).toMatchObject({
      command: `~/.beckon/hook ${firing} --agent ${name} --wait ${waits} || :`,
      timeout,
      leastTimeout: timeout,
    });
  },
);
