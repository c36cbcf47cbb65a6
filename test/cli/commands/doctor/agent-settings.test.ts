import { chownSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HookSwitch } from "../../../../src/core/agent-settings.ts";
import { type InstallableAgent, installable } from "../../../../src/installer/agents/installable.ts";
import { agentsWith } from "../../../world/agents-with.ts";
import { type CliHome, createCliHome } from "../../../world/cli-home.ts";
import {
  addDroid,
  addEvents,
  addHooks,
  addPlugin,
  codexTrust,
  droidEvents,
  hooksFor,
  installHealthy,
  problemsIn,
  runChecks,
} from "../../../world/doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  installHealthy(home);
});
afterEach(() => home.remove());

const at = (...path: string[]) => join(home.home, ...path);
const json = (path: string, value: unknown) => home.write(path, JSON.stringify(value));
const claudeEvents = ["UserPromptSubmit", "Notification", "Stop", "StopFailure", "SubagentStop", "SessionEnd"];
/** Claude Code with a policy file below the home folder. */
const withSwitch = (file: string, off: HookSwitch["off"] = { managed: true }) =>
  agentsWith("claude", { switches: ({ home: folder }) => [{ path: join(folder, file), off }] });

test.each<[string, () => void, RegExp, (readonly InstallableAgent[])?]>([
  [
    "a project's settings disable hooks",
    () => json(join(home.project, ".claude", "settings.json"), { disableAllHooks: true }),
    /^fail Claude Code: settings: .*: hooks are disabled by disableAllHooks \| Remove disableAllHooks from it, or ask/,
  ],
  [
    "a policy disables hooks",
    () => home.write(at("policy.json"), '{ // said the admin\n "managed": true }'),
    /^fail Claude Code: settings: .*policy\.json: hooks are disabled by managed \| Remove managed from it, or ask/,
    withSwitch("policy.json"),
  ],
  [
    "one of several policy files in a folder disables hooks",
    () => {
      json(at("policy.d", "10-other.json"), { managed: false });
      json(at("policy.d", "20-hooks.json"), { managed: true });
      home.write(at("policy.d", "README"), '{ "managed": true }');
    },
    /^fail Claude Code: settings: .*policy\.d\/20-hooks\.json: hooks are disabled by managed \| Remove managed/,
    agentsWith("claude", {
      switches: ({ home: folder }) =>
        ["policy.d", "nowhere.d"].map((name) => ({ path: join(folder, name, "*.json"), off: { managed: true } })),
    }),
  ],
  [
    "a hook of somebody else's for an event that Kimi does not know disables all hooks",
    () => {
      const events = ["UserPromptSubmit", "PermissionRequest", "Stop", "StopFailure", "SubagentStop", "SessionEnd"];
      const ours = events.map((event) => [event, `~/.beckon/hook ${event} --agent kimi || :`]);
      const tables = [...ours, ["AfterTurn", "say done"]].map(
        ([event, command]) => `[[hooks]]\nevent = "${event}"\ncommand = "${command}"\n`,
      );
      home.write(at(".kimi-code", "config.toml"), tables.join("\n"));
      addEvents(home, "kimi", "UserPromptSubmit", "Notification", "Stop", "SessionEnd");
    },
    /^warn Kimi Code: settings: .*config\.toml: a hook for AfterTurn, which Kimi Code 2\.1\.0 does not know, .*\| Remove that hook/,
  ],
  [
    "a feature in a TOML file disables hooks",
    () => home.write(at("config.toml"), "[features]\nhooks = false\nother = true\n"),
    /^fail Claude Code: settings: .*config\.toml: hooks are disabled by features\.hooks \| Remove features\.hooks/,
    withSwitch("config.toml", { features: { hooks: false } }),
  ],
  [
    "the settings file that has the hooks disables them",
    () => {
      addDroid(home);
      json(at(".factory", "settings.json"), { hooksDisabled: true, hooks: hooksFor("droid", ...droidEvents) });
    },
    /^fail Droid: settings: .*settings\.json: hooks are disabled by hooksDisabled \| Remove hooksDisabled from it/,
  ],
  [
    "one of beckon's hooks is disabled in the agent's own list of hooks",
    () => {
      const disabled = ["their-hook", "~/.beckon/hook AfterAgent --agent gemini || :"];
      addHooks(home, "gemini", { hooksConfig: { disabled } });
    },
    /^fail Gemini CLI: settings: .*: beckon's hooks are disabled by hooksConfig\.disabled \| Remove beckon's hooks from/,
  ],
  [
    "beckon's hooks are disabled there by their name",
    () => addHooks(home, "gemini", { hooksConfig: { disabled: ["their-hook", "beckon"] } }),
    /^fail Gemini CLI: settings: .*: beckon's hooks are disabled by hooksConfig\.disabled \| Remove beckon's hooks from/,
  ],
  [
    "Codex has hooks in config.toml as well",
    () => {
      addHooks(home, "codex");
      const trust = codexTrust(
        home,
        "user_prompt_submit",
        "permission_request",
        "stop",
        "subagent_stop",
        "session_end",
      );
      home.write(at(".codex", "config.toml"), `${trust}\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\n`);
    },
    /^warn Codex: several files: .*config\.toml has hooks too\. Codex runs .* \| Move those hooks to .*hooks\.json\.$/,
  ],
  [
    "hooks.json takes precedence over the settings file that has beckon's hooks",
    () => {
      addDroid(home);
      json(at(".factory", "hooks.json"), { PreToolUse: [] });
    },
    /^warn Droid: several files: .* are in .*settings\.json, but .*hooks\.json exists too, .*may read only that one \| `beckon install --agent droid` moves them\.$/,
  ],
  [
    "beckon's hooks are in hooks.json and other hooks in the settings file",
    () => {
      addDroid(home);
      json(at(".factory", "hooks.json"), hooksFor("droid", ...droidEvents));
      json(at(".factory", "settings.json"), {
        hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] },
      });
    },
    /^warn Droid: several files: .*hooks\.json and .*settings\.json both have hooks: .* \| .*move them to .*hooks\.json/,
  ],
  [
    "hooks are in two scopes of an agent that runs both",
    () => {
      addDroid(home);
      json(join(home.project, ".factory", "settings.json"), { hooks: hooksFor("droid", "Stop") });
    },
    /^warn Droid: duplicates: hooks for Stop are in both .* and .*shop.*, so .* twice \| .*--agent droid --scope project$/,
  ],
  [
    "an agent runs the hooks of another besides its own, and its payloads do not show whose they are",
    () => addDroid(home),
    /^warn Droid: duplicates: Droid also runs the hooks of Claude Code, so .* twice \| .*`beckon uninstall --agent droid`/,
    agentsWith("droid", { alsoRuns: [{ agent: "claude", scopes: ["user"] }] }),
  ],
  [
    "hooks are in an agent's settings and in its plugin",
    () => addPlugin(home, ["Stop"]),
    /^warn Claude Code: duplicates: hooks for Stop are in .*settings\.json and in the plugin .*: these events arrive twice, and beckon drops the second \| Keep one: `beckon uninstall --agent claude`, or `claude plugin uninstall beckon@beckon`\.$/,
  ],
  [
    "a plugin is newer than the beckon that it once set up",
    () => {
      json(at(".claude", "settings.json"), {});
      addPlugin(home, claudeEvents, "99.0.0");
    },
    /^warn Claude Code: plugin: the plugin is 99\.0\.0, but .*app is .* \| .*\/dist\/cli\.js upgrade$/,
  ],
  [
    "a plugin lacks hooks",
    () => {
      json(at(".claude", "settings.json"), {});
      addPlugin(home, ["Stop"]);
    },
    /^warn Claude Code: hooks: missing for UserPromptSubmit, Notification, .* \| beckon install --agent claude$/,
  ],
  [
    "hooks were imported from another agent",
    () => {
      addDroid(home);
      json(at(".factory", "settings.json"), { hooks: hooksFor("claude", ...droidEvents) });
    },
    /^warn Droid: hooks: .* has hooks written for claude, .* \| `beckon install --agent droid` fixes them\.$/,
  ],
  [
    "a project's settings file is broken",
    () => home.write(join(home.project, ".claude", "settings.local.json"), '{\n"hooks":'),
    /^fail Claude Code: settings: .*settings\.local\.json: not valid JSON at line 2.* \| Fix .*; until then Claude Code may/,
  ],
  [
    "the file that has the hooks is broken, and nothing else, since its content is unknown",
    () => home.write(at(".claude", "settings.json"), '{ "hooks": '),
    /^fail Claude Code: settings: /,
  ],
])("a check reports that %s", async (_, make, expected, agents = installable) => {
  make();
  expect(problemsIn((await runChecks(home, { agents })).results)).toEqual([expect.stringMatching(expected)]);
});

test.each<[string, () => void, (readonly InstallableAgent[])?]>([
  ["a switch with another value", () => json(at("policy.json"), { managed: "true" }), withSwitch("policy.json")],
  [
    "a switch of which only a part is set",
    () => json(at("policy.json"), { features: { hooks: false } }),
    withSwitch("policy.json", { features: { hooks: false, all: false } }),
  ],
  [
    "other hooks that are disabled in the agent's own list of hooks",
    () => {
      const disabled = ["their-hook", 3, "echo ~/.beckon/hook AfterAgent --agent gemini || :"];
      addHooks(home, "gemini", { hooksConfig: { disabled } });
    },
  ],
  [
    "hooks that are in a plugin alone",
    () => {
      json(at(".claude", "settings.json"), {});
      addPlugin(home, claudeEvents);
    },
  ],
  [
    "two scopes of an agent that runs the same command once",
    () => json(join(home.project, ".claude", "settings.json"), { hooks: hooksFor("claude", "Stop") }),
  ],
])("no check complains about %s", async (_, make, agents = installable) => {
  make();
  expect(problemsIn((await runChecks(home, { agents })).results)).toEqual([]);
});

test("an agent that also runs the hooks of another is fine where its payloads show it: the second event is dropped", async () => {
  const command = (event: string) => `~/.beckon/hook ${event} --agent cursor || :`;
  const events = ["stop", "subagentStop", "sessionEnd"];
  const hooks = Object.fromEntries(events.map((event) => [event, [{ command: command(event) }]]));
  json(at(".cursor", "hooks.json"), { version: 1, hooks });
  addEvents(home, "cursor", "Stop", "SessionEnd");
  const { results } = await runChecks(home);
  expect(problemsIn(results)).toEqual([]);
  expect(results).toContainEqual({
    name: "Cursor: duplicates",
    status: "ok",
    detail: "Cursor also runs the hooks of Claude Code: beckon recognizes and drops the second event",
  });
});

test.runIf(process.getuid?.() === 0)(
  "files of another user are read as the agent reads them, policies above all",
  async () => {
    json(at("policy.json"), { managed: true });
    for (const path of [at("policy.json"), at(".claude", "settings.json")]) chownSync(path, 65_534, 65_534);
    expect(problemsIn((await runChecks(home, { agents: withSwitch("policy.json") })).results)).toEqual([
      expect.stringMatching(/^fail Claude Code: settings: .*policy\.json: hooks are disabled by managed/),
    ]);
  },
);
