import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { InstallContext } from "../../../../src/cli/commands/install/context.ts";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { resolvePaths } from "../../../../src/files/paths.ts";
import { agentsWith } from "../../../world/agents-with.ts";
import { collectFailures } from "../../../world/collect-failures.ts";
import { both, claude, droid, installWorld } from "../../../world/install-world.ts";

test("a broken file is refused with its position, and the other agent is installed", async () => {
  const { context, output, at } = installWorld({ files: { ...both, [droid]: '{\n  "a": oops\n}' } });
  expect(await runInstall({ yes: true }, context)).toBe(1);
  expect(output()).toContain("line 2, column 8");
  expect(output()).toContain(join("templates", "settings", "droid.json"));
  expect(readFileSync(at(droid), "utf8")).toBe('{\n  "a": oops\n}');
  expect(readFileSync(at(claude), "utf8")).toContain("beckon");
});

test.each([
  ["droid", ".factory/settings.json", ".beckon", /droid\.json$/m],
  ["droid", ".factory/hooks.json", ".beckon", /droid\.json, without the `hooks` level around them$/m],
  [
    "droid",
    ".factory/settings.json",
    "else where",
    /droid\.json, with '\/.*\/else where\/hook' in place of ~\/\.beckon\/hook$/m,
  ],
  ["kimi", ".kimi-code/config.toml", ".beckon", /kimi\.toml$/m],
])("the advice for a refused file of %s fits %s, with a root in %s", async (name, file, root, words) => {
  const { context, at, output } = installWorld({ files: { [file]: "{ oops" } });
  const paths = resolvePaths(at(root));
  expect(await runInstall({ agents: [name], dryRun: true }, { ...context, paths })).toBe(1);
  expect(output()).toMatch(words);
});

test("Droid's hooks.json is preferred if it exists, and the older entries move there", async () => {
  const { context, at } = installWorld({ files: both });
  await runInstall({ agents: ["droid"] }, context);
  writeFileSync(at(".factory/hooks.json"), '{ "PreToolUse": [] }');
  expect(await runInstall({ agents: ["droid"] }, context)).toBe(0);
  expect(Object.keys(JSON.parse(readFileSync(at(".factory/hooks.json"), "utf8")))).toContain("Stop");
  expect(readFileSync(at(droid), "utf8")).toBe(both[droid]);
});

test("a setting that disables hooks, and comments that make Claude ignore the file, are reported", async () => {
  const { context, output } = installWorld({ files: { [claude]: '{ "disableAllHooks": true } // x' } });
  await runInstall({ yes: true }, context);
  expect(output()).toContain("`disableAllHooks` disables all hooks of Claude Code");
  expect(output()).toMatch(/comments at line \d+, column \d+: the agent ignores the whole file/);
});

test("a hook that makes the agent ignore the whole file is reported with its position", async () => {
  const text = '{ "hooks": { "PreToolUse": [ { "hooks": ["true"] } ] } }';
  const { context, output } = installWorld({ files: { [claude]: text } });
  await runInstall({ yes: true }, context);
  const [before = "", after = ""] = output().split("Changes:");
  expect(before).toContain("ignored: `hooks.PreToolUse[0]");
  expect(before).toContain(` at line 1, column ${text.indexOf('"true"') + 1} must be `);
  expect(after).toMatch(/`hooks\.PreToolUse.*line \d+, column \d+ .*: the agent ignores the whole file/);
});

test("a relative path in a variable for the agent's folder is reported", async () => {
  const world = installWorld({ files: { [claude]: "{}" } });
  const environment = { ...world.context.environment, env: { CLAUDE_CONFIG_DIR: "~/.claude-work", BECKON_HOME: "b" } };
  await runInstall({ yes: true, agents: ["claude"] }, { ...world.context, environment });
  const output = world.output().replace(/\s+/g, " ");
  expect(output).toContain(
    "CLAUDE_CONFIG_DIR is ~/.claude-work, which is not an absolute path: Claude Code may resolve it",
  );
  expect(output).toContain("BECKON_HOME is b, which is not an absolute path, so beckon uses");
});

test("a note about another agent file is printed once, however its folder is reached", async () => {
  type World = ReturnType<typeof installWorld>;
  const rows: Readonly<Record<string, (world: World) => Promise<InstallContext> | InstallContext>> = {
    "in the home folder": ({ inProject }) => inProject("."),
    "in the home folder, with a slash": ({ inProject }) => inProject("./"),
    "in the home folder by a link": ({ at, inProject }) => {
      symlinkSync(at("."), at("linked"));
      return inProject("linked");
    },
    "in a project whose folder is a link to the user's": ({ at, inProject }) => {
      symlinkSync(at(".codex"), at("project/.codex"));
      return inProject("project");
    },
    "in a project whose file is a link to the user's": ({ at, inProject }) => {
      mkdirSync(at("project/.codex"));
      symlinkSync(at(".codex/config.toml"), at("project/.codex/config.toml"));
      return inProject("project");
    },
    "in the agent's own folder": ({ at, context }) => {
      const env = { ...context.environment.env, CODEX_HOME: at("./.codex/") };
      return { ...context, environment: { ...context.environment, env, project: at(".") } };
    },
  };
  const check = async ([, contextIn]: [string, (typeof rows)[string]]) => {
    const world = installWorld({ files: { ".codex/config.toml": '[[hooks.Stop]]\nmatcher = ""\n' } });
    await runInstall({ yes: true, agents: ["codex"] }, await contextIn(world));
    expect(world.output().replace(/\s+/g, " ").split("config.toml has hooks too")).toHaveLength(2);
  };
  expect(await collectFailures(Object.entries(rows), check)).toEqual([]);
});

test("a login shell that refuses Codex's options is reported", async () => {
  const world = installWorld({ files: { ".codex/hooks.json": "{}" } });
  const check = async (shell: string) => {
    const env = { ...world.context.environment.env, SHELL: shell };
    await runInstall(
      { dryRun: true, agents: ["codex"] },
      { ...world.context, environment: { ...world.context.environment, env } },
    );
    const note =
      `Codex before 0.169.0 runs hooks with \`${shell} -lc\`, which that shell does not support. ` +
      "Update Codex, or start it with another shell: SHELL=/bin/sh codex";
    expect(world.output().replace(/\s+/g, " ")).toContain(note);
  };
  expect(await collectFailures(["/usr/bin/elvish", "/bin/tcsh"], check)).toEqual([]);
});

test("a switch in a file with several roles is reported once", async () => {
  const { inProject, output } = installWorld({ files: { [droid]: '{ "hooksDisabled": true }' } });
  await runInstall({ yes: true, dryRun: true }, inProject("."));
  expect(output().split("`hooksDisabled` disables all hooks of Droid")).toHaveLength(2);
});

test("no warning appears for an agent whose payloads show that it ran another's hooks", async () => {
  const { context, output } = installWorld({ files: { ...both, ".cursor/hooks.json": "" } });
  await runInstall({ yes: true, dryRun: true }, context);
  expect(output()).toContain("Changes:");
  expect(output()).not.toContain("twice");
});

test("an agent that also runs the hooks of another chosen agent is reported", async () => {
  const agents = agentsWith("droid", { alsoRuns: [{ agent: "claude", scopes: ["user"] }] });
  const { context, output } = installWorld({ files: both, agents });
  const note = "Droid also runs the hooks of Claude Code, so its events may arrive twice.";
  await runInstall({ agents: ["droid"], dryRun: true }, context);
  expect(output()).not.toContain(note);
  await runInstall({ yes: true, dryRun: true }, context);
  expect(output()).toContain(note);
});

test("an agent that also has the plugin is reported", async () => {
  const extension = ".gemini/extensions/beckon/gemini-extension.json";
  const { context, output } = installWorld({ files: { [extension]: "{}" } });
  await runInstall({ agents: ["gemini"], dryRun: true }, context);
  expect(output().replaceAll(/\s+/g, " ")).toContain(
    "Gemini CLI also has beckon's extension, so each event fires twice; beckon drops the second. " +
      "To keep only one, run: gemini extensions uninstall beckon",
  );
});

test("hooks in a second Codex file are reported, its trust records are not", async () => {
  const config = ".codex/config.toml";
  const trust = '[hooks.state."x"]\ntrusted_hash = "sha256:ab"\n';
  const { context, at, output } = installWorld({ files: { [config]: trust } });
  await runInstall({ agents: ["codex"], dryRun: true }, context);
  expect(output()).not.toContain("holds hooks too");
  writeFileSync(at(config), `${trust}[[hooks.Stop]]\n`);
  await runInstall({ agents: ["codex"], dryRun: true }, context);
  expect(output()).toContain("config.toml has hooks too. Codex runs the hooks of both files");
});

test("an agent that writes its old settings back is reported", async () => {
  const world = installWorld({ files: both });
  const hook = join(world.packageRoot, "dist", "hooks", "hook.sh");
  writeFileSync(hook, `#!/bin/sh\nprintf '{}' >'${world.at(droid)}'\n`);
  const context = { ...world.context, sampleWaitMs: 100 };
  expect(await runInstall({ agents: ["droid"] }, context)).toBe(1);
  expect(world.output()).toContain("hooks are gone");
});
