import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type InstallableAgent, installable } from "../../../../src/installer/agents/installable.ts";
import { agentsWith } from "../../../world/agents-with.ts";
import { builtCli, type CliHome, createCliHome } from "../../../world/cli-home.ts";
import {
  addDroid,
  addHooks,
  addProgram,
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
const claudeSettings = () => at(".claude", "settings.json");
const folderTrust = { security: { folderTrust: { enabled: true } } };
const allTrusted = ["user_prompt_submit", "permission_request", "stop", "subagent_stop", "session_end"];

test.each<[string, () => void, RegExp]>([
  [
    "an agent's program is too old for its hooks",
    () => {
      addDroid(home);
      addProgram(home, "droid", "echo droid 0.190.3");
    },
    /^warn Droid: version: 0\.190\.3 is older than 0\.202\.0: .* \| Update Droid \(.*\/bin\/droid\) and restart it\.$/,
  ],
  [
    "no agent has hooks",
    () => home.write(claudeSettings(), "{}"),
    /^fail Claude Code: hooks: not installed \| beckon install --agent claude$/,
  ],
  [
    "one of two agents has no hooks",
    () => mkdirSync(at(".factory")),
    /^warn Droid: hooks: not installed \| beckon install --agent droid$/,
  ],
  [
    "hooks were removed",
    () => json(claudeSettings(), { hooks: hooksFor("claude", "Stop") }),
    /^warn Claude Code: hooks: missing for (?!.*\bStop\b).*SubagentStop.* \| beckon install --agent claude$/,
  ],
  [
    "Codex does not trust every hook",
    () => {
      addHooks(home, "codex");
      home.write(at(".codex", "config.toml"), `model = "x"\n\n${codexTrust(home, "stop", "session_end")}`);
    },
    /^warn Codex: trust: not trusted for UserPromptSubmit, PermissionRequest, SubagentStop \| .*\/hooks in Codex/,
  ],
  [
    "Gemini does not trust the folder",
    () => {
      addHooks(home, "gemini", folderTrust);
      json(at(".gemini", "trustedFolders.json"), { [home.project]: "DO_NOT_TRUST" });
    },
    /^warn Gemini CLI: trust: .*shop is marked as not trusted \| .*\/permissions in Gemini CLI/,
  ],
])("a check reports that %s", async (_, make, expected) => {
  make();
  expect(problemsIn((await runChecks(home)).results)).toEqual([expect.stringMatching(expected)]);
});

test("a check reports that Gemini was never told to trust the folder, where it has not fired either", async () => {
  json(at(".gemini", "settings.json"), { hooks: hooksFor("gemini", "Notification", "AfterAgent", "SessionEnd") });
  expect(problemsIn((await runChecks(home)).results)).toContainEqual(
    expect.stringMatching(/^warn Gemini CLI: trust: .*shop is not trusted yet: .* runs no hook .*\| .*\/permissions/),
  );
});

test.each<[string, () => void, RegExp?, (readonly InstallableAgent[])?]>([
  [
    "a program that is new enough",
    () => {
      addDroid(home);
      addProgram(home, "droid", "echo 0.202.0");
    },
    /^Droid: version 0\.202\.0$/,
  ],
  ["a program that does not print its version", () => addProgram(home, "claude", "exit 3")],
  [
    "a missing hook for an event that the agent's version does not know",
    () => {
      json(claudeSettings(), { hooks: hooksFor("claude", ...droidEvents) });
      addProgram(home, "claude", "echo 2.1.77");
    },
    /^Claude Code: hooks UserPromptSubmit, Notification, Stop, SubagentStop, SessionEnd$/,
    agentsWith("claude", { program: { files: ["claude"] } }),
  ],
  [
    "an agent without hooks of its own that runs those of another",
    () => mkdirSync(at(".factory")),
    /^Droid: hooks none of its own; it runs those of Claude Code$/,
    agentsWith("droid", { alsoRuns: [{ agent: "claude", scopes: ["user"] }] }),
  ],
  [
    "hooks that Codex trusts",
    () => {
      addHooks(home, "codex");
      home.write(at(".codex", "config.toml"), codexTrust(home, ...allTrusted));
    },
    /^Codex: trust trusted/,
  ],
  ["a folder for which Gemini has no rule, with the user's hooks alone", () => addHooks(home, "gemini", folderTrust)],
  [
    "a folder that Gemini does not trust while folder trust is disabled",
    () => {
      addHooks(home, "gemini", { security: { folderTrust: { enabled: false } } });
      json(at(".gemini", "trustedFolders.json"), { [home.project]: "DO_NOT_TRUST" });
    },
  ],
  [
    "a folder that Claude Code is known to trust",
    () => json(at(".claude.json"), { projects: { [dirname(home.project)]: { hasTrustDialogAccepted: true } } }),
    /^Claude Code: trust .*shop is trusted$/,
  ],
])("no check complains about %s", async (_, make, line, agents = installable) => {
  make();
  const { results } = await runChecks(home, { agents });
  expect(problemsIn(results)).toEqual([]);
  if (line) expect(results.map(({ name, detail }) => `${name} ${detail}`)).toContainEqual(expect.stringMatching(line));
});

test("hooks that the agent itself has moved to another of its files count as unchanged", async () => {
  rmSync(at(".claude"), { recursive: true });
  rmSync(home.paths.journal, { recursive: true });
  home.write(at(".factory", "settings.json"), "{}");
  cpSync(join(dirname(builtCli), "..", "templates"), join(home.paths.app, "templates"), { recursive: true });
  const env = { ...home.env, BECKON_DISABLE: "1" };
  const environment = { home: home.home, project: home.project, env, platform: process.platform };
  expect((await home.run(["install", "--agent", "droid", "--yes"], { environment })).exitCode).toBe(0);
  const { hooks } = JSON.parse(readFileSync(at(".factory", "settings.json"), "utf8"));
  json(at(".factory", "hooks.json"), hooks);
  json(at(".factory", "settings.json"), {});
  expect(problemsIn((await runChecks(home)).results)).toEqual([]);
  delete hooks.Stop;
  json(at(".factory", "hooks.json"), hooks);
  expect(problemsIn((await runChecks(home)).results)).toEqual([
    expect.stringMatching(/^warn Droid: hooks: missing for Stop \|/),
  ]);
});
