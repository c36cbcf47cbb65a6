import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { runUpgrade } from "../../../../src/cli/commands/upgrade.ts";
import { resolvePaths } from "../../../../src/files/paths.ts";
import { agentsWith } from "../../../world/agents-with.ts";
import { both, claude, droid, installWorld, listTree, readExitCode } from "../../../world/install-world.ts";

test.each([
  [{ agents: ["nope"] }, "Known agents: antigravity, auggie, claude"],
  [{ agents: ["kimi"], events: ["PreToolUse"] }, "approve tools without asking"],
  [{ events: ["Nope"] }, "unknown event"],
  [{ events: ["toString"] }, "unknown event"],
  [{ waitSeconds: 1.5 }, "--wait"],
  [{ waitSeconds: 601 }, "--wait"],
])("%j is wrong usage", async (options, words) => {
  const { context, output, home } = installWorld({ files: both });
  const before = listTree(home);
  expect(await readExitCode(runInstall({ ...options, yes: true }, context), context)).toBe(2);
  expect(output()).toContain(words);
  expect(listTree(home)).toEqual(before);
});

test("an event that an agent must never register is refused with the reason, nothing is written", async () => {
  const why = "it would answer for the user";
  // No agent may have PreToolUse.
  const agents = agentsWith("droid", { forbiddenEvents: { Stop: why, PreToolUse: why } });
  const { context, output, home } = installWorld({ files: both, agents });
  const before = listTree(home);
  for (const [event, names] of Object.entries({ Stop: ["droid", "claude"], PreToolUse: ["droid"] })) {
    const installing = runInstall({ agents: names, events: [event], yes: true }, context);
    expect(await readExitCode(installing, context)).toBe(2);
    expect(output()).toContain(`${event} must not be registered with Droid: ${why}`);
  }
  expect(listTree(home)).toEqual(before);
  // Agents that were merely found get the event if it is allowed for them.
  expect(await runInstall({ events: ["Stop"], yes: true }, context)).toBe(0);
  expect(readFileSync(join(home, droid), "utf8")).toBe(both[droid]);
  expect(readFileSync(join(home, claude), "utf8")).toContain("hook Stop --agent claude");
});

test("--events and --wait are kept by a later install that does not name them", async () => {
  const { context, at } = installWorld({ files: both });
  await runInstall({ agents: ["droid"], events: ["Stop"], waitSeconds: 9 }, context);
  const chosen = readFileSync(at(droid), "utf8");
  expect(chosen).toContain("~/.beckon/hook Stop --agent droid --wait 9 || :");
  expect(chosen).toContain('"timeout": 11');
  expect(chosen).not.toContain("Notification");
  await runInstall({ agents: ["droid"] }, context);
  expect(readFileSync(at(droid), "utf8")).toBe(chosen);
  await runInstall({ agents: ["droid"], waitSeconds: 0 }, context);
  expect(readFileSync(at(droid), "utf8")).toBe(chosen.replace(" --wait 9", "").replace("11", "5"));
});

test("an event known to only one of the agents goes to that agent", async () => {
  const { context, at } = installWorld({ files: both });
  expect(await runInstall({ yes: true, events: ["Stop", "StopFailure"] }, context)).toBe(0);
  expect(readFileSync(at(claude), "utf8")).toContain("hook StopFailure --agent claude");
  expect(readFileSync(at(droid), "utf8")).not.toContain("StopFailure");
});

test.each([
  ["cursor", ".cursor/hooks.json", "Stop", ["stop"]],
  ["cursor", ".cursor/hooks.json", "stop", ["stop"]],
  ["gemini", ".gemini/settings.json", "Stop", ["AfterAgent"]],
  ["codex", ".codex/hooks.json", "Notification", ["PermissionRequest"]],
  ["copilot", ".copilot/hooks/beckon.json", "Notification", ["notification"]],
  ["copilot", ".copilot/hooks/beckon.json", "agentStop", ["agentStop"]],
  ["claude", claude, "Stop", ["Stop"]],
  ["claude", claude, "PermissionRequest", ["PermissionRequest"]],
])("%s in %s: %s is registered by the agent's own name: %j", async (name, file, event, nativeEvents) => {
  const { context, at } = installWorld();
  expect(await runInstall({ agents: [name], events: [event] }, { ...context, sampleWaitMs: 0 })).toBe(0);
  expect(Object.keys(JSON.parse(readFileSync(at(file), "utf8")).hooks)).toEqual(nativeEvents);
});

test.each([
  ["cursor", "Notification"],
  ["grok", "stop"],
  ["codex", "agent-turn-complete"],
  ["auggie", "SubagentStop"],
  ["gemini", "SubagentStop"],
])("%s has no hook for %s, and nothing is written that it would reject or ignore", async (name, event) => {
  const { context, home, output } = installWorld();
  const before = listTree(home);
  expect(await readExitCode(runInstall({ agents: [name], events: [event] }, context), context)).toBe(2);
  expect(output()).toContain(`unknown event "${event}"`);
  expect(listTree(home)).toEqual(before);
});

test("an event that the agent's version does not know yet is left out until a newer one", async () => {
  const { context, at, write } = installWorld({ files: both });
  const program = (version: string) => chmodSync(write("bin/claude", `#!/bin/sh\necho ${version}`), 0o755);
  const events = () => Object.keys(JSON.parse(readFileSync(at(claude), "utf8")).hooks);
  const quick = { ...context, sampleWaitMs: 0 };
  program("2.1.77");
  expect(await runInstall({ agents: ["claude"] }, quick)).toBe(0);
  expect(events()).toEqual(["UserPromptSubmit", "Notification", "Elicitation", "Stop", "SubagentStop", "SessionEnd"]);
  expect(await runUpgrade({ yes: true }, quick)).toBe(0);
  expect(events()).not.toContain("StopFailure");
  program("2.1.78");
  expect(await runInstall({ agents: ["claude"] }, quick)).toBe(0);
  expect(events()).toContain("StopFailure");
});

test("an agent that has none of the events is left alone", async () => {
  const { context, at, output } = installWorld({ files: both });
  await runInstall({ yes: true }, context);
  const before = readFileSync(at(droid), "utf8");
  expect(await runInstall({ yes: true, events: ["StopFailure"] }, context)).toBe(0);
  expect(readFileSync(at(droid), "utf8")).toBe(before);
  expect(readFileSync(at(claude), "utf8")).not.toContain("hook Stop ");
  expect(output()).toContain("Droid has none of these events");
});

test("the project scope writes below the working directory, without paths of this machine", async () => {
  const { context, at, inProject } = installWorld({ files: both });
  expect(await runInstall({ agents: ["droid"], scope: "project" }, context)).toBe(0);
  expect(readFileSync(at("project/.factory/settings.json"), "utf8")).toContain('"~/.beckon/hook Stop');
  expect(readFileSync(at(droid), "utf8")).toBe(both[droid]);

  const paths = resolvePaths(at("elsewhere"));
  mkdirSync(at("other"));
  const moved = { ...inProject("other"), paths };
  expect(await runInstall({ agents: ["droid"], scope: "project" }, moved)).toBe(1);
  expect(readdirSync(at("other"))).toEqual([]);
});

test("entries in a project's committed settings are reported, and stay", async () => {
  const { context, at, output } = installWorld({ files: both });
  await runInstall({ agents: ["droid"], scope: "project" }, context);
  const committed = readFileSync(at("project/.factory/settings.json"), "utf8");
  await runInstall({ agents: ["droid"] }, context);
  expect(output()).toContain("beckon uninstall --agent droid --scope project");
  expect(readFileSync(at("project/.factory/settings.json"), "utf8")).toBe(committed);
});

test("private project entries are removed once the user's own settings have the same", async () => {
  const { context, at, output, inProject } = installWorld({ files: both });
  const local = at("project/.claude/settings.local.json");
  const other = at("other/.claude/settings.local.json");
  mkdirSync(at("other/.claude"), { recursive: true });
  writeFileSync(other, '{ "model": "opus" }\n');
  await runInstall({ agents: ["claude"], scope: "local" }, context);
  await runInstall({ agents: ["claude"], scope: "local" }, inProject("other"));
  await runInstall({ agents: ["claude"], events: ["Stop"] }, context);
  expect(readFileSync(local, "utf8")).toContain("hook Notification ");
  expect(output()).toContain("beckon uninstall --agent claude --scope local");
  await runInstall(
    {
      agents: ["claude"],
      events: ["Prompt", "Notification", "Elicitation", "Stop", "StopFailure", "SubagentStop", "SessionEnd"],
    },
    context,
  );
  expect(existsSync(local)).toBe(false);
  expect(readFileSync(other, "utf8")).toBe('{ "model": "opus" }\n');
  expect(readFileSync(at(claude), "utf8")).toContain("hook Notification ");
});

test("an unsupported scope is wrong usage for a named agent; other agents are left alone", async () => {
  const { context, output } = installWorld({ files: { ...both, ".gemini/settings.json": "{}" } });
  expect(await readExitCode(runInstall({ agents: ["gemini"], scope: "local" }, context), context)).toBe(2);
  expect(output()).toContain("Gemini CLI has no settings of scope local\n  It has: user, project.");
  expect(await runInstall({ yes: true, scope: "local" }, context)).toBe(0);
  expect(output()).toContain("Gemini CLI has no settings of scope local; skipped.");
});
