import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { HookSwitch } from "../../../../src/core/agent-settings.ts";
import { failureHints } from "../../../../src/core/errors.ts";
import { type InstallableAgent, installable } from "../../../../src/installer/agents/installable.ts";
import { seal } from "../../../../src/installer/editors/own-editor.ts";
import { slack } from "../../../../src/notifiers/slack.ts";
import { agentsWith } from "../../../world/agents-with.ts";
import { builtCli, useCliHome } from "../../../world/cli-home.ts";
import { collectFailures } from "../../../world/collect-failures.ts";
import {
  addDroid,
  addEvents,
  addHooks,
  addPlugin,
  addProgram,
  codexTrust,
  droidEvents,
  findAgent,
  hooksFor,
  installHealthy,
  printChecks,
  problemsIn,
  runChecks,
} from "../../../world/doctor-home.ts";
import { fillDisk } from "../../../world/full-disk.ts";
import { recordNode } from "../../../world/home.ts";
import { listTree } from "../../../world/install-world.ts";
import { readOutput } from "../../../world/json-output.ts";

const home = useCliHome();
beforeEach(() => installHealthy(home));

const at = (...path: string[]) => join(home.home, ...path);
const json = (path: string, value: unknown) => home.write(path, JSON.stringify(value));
const claudeSettings = () => at(".claude", "settings.json");
const problems = async (agents: readonly InstallableAgent[] = installable) =>
  problemsIn((await runChecks(home, { agents })).results);

const droidHooks = hooksFor("droid", ...droidEvents);
/** Codex's names of the events with beckon hooks. */
const allTrusted = ["user_prompt_submit", "permission_request", "stop", "subagent_stop", "session_end"];
/** Installs beckon's hooks for Codex, and its record of those that its user trusts. */
function addTrustedCodex({ others = {}, trusted = allTrusted, more = "" } = {}): void {
  addHooks(home, "codex", others);
  home.write(at(".codex", "config.toml"), `model = "x"\n\n${codexTrust(home, ...trusted)}${more}`);
}

type Change<Expected> = readonly [make: () => unknown, expected: Expected, agents?: readonly InstallableAgent[]];
/** Tests by title: a change to a healthy home, and the only problem that the checks report then. */
function testReports(reports: Readonly<Record<string, Change<RegExp>>>): void {
  test.each(Object.entries(reports))("a check reports that %s", async (_, [make, expected, agents]) => {
    make();
    const { exitCode, results } = await runChecks(home, agents && { agents });
    const found = problemsIn(results);
    expect(found).toEqual([expect.stringMatching(expected)]);
    expect(exitCode).toBe(found[0]?.startsWith("fail") ? 1 : 0);
  });
}

describe("answers", () => {
  const ownChat = { type: "telegram", token: "123456:ABCdefGHIjklMNOpqrSTUvwx", chatId: "1" };
  const answers = { agents: ["claude"], projects: ["~/**"], from: { me: { users: [4242] } } };
  const conflict = "answers cannot be read: auth: https://api.telegram.org answered 409: something else reads";
  const listReports = async (name: string) => (await problems()).filter((line) => line.includes(`answers: ${name}`));

  test("a chat that another program reads is reported for a day, whatever else happened there", async () => {
    home.config({ notifiers: { me: ownChat }, answers });
    const line = { id: "answers-me", notifier: "me", status: "skipped", reason: conflict } as const;
    home.journal({ ...line, at: new Date(Date.now() - 25 * 3_600_000).toISOString() });
    expect(await listReports("reading")).toEqual([]);
    home.journal(line);
    home.journal({ notifier: "me", status: "skipped", reason: "no route matches" });
    expect(await listReports("reading")).toEqual([
      expect.stringMatching(/^warn answers: reading: me: answers cannot be read: .* 409.* \| If another program reads/),
    ]);
  });
});

/** Tests by title: a harmless change to a healthy home, and the line of a check that says so. */
function testSilences(silences: Readonly<Record<string, Change<RegExp | undefined>>>): void {
  test.each(Object.entries(silences))("no check complains about %s", async (_, [make, line, agents]) => {
    make();
    const { results } = await runChecks(home, agents && { agents });
    expect(problemsIn(results)).toEqual([]);
    const details = results.map(({ name, detail }) => `${name} ${detail}`);
    if (line) expect(details).toContainEqual(expect.stringMatching(line));
  });
}

/** Installs an agent's hooks, as the command does, without a sample event. */
async function install(agent: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  cpSync(join(dirname(builtCli), "..", "templates"), join(home.paths.app, "templates"), { recursive: true });
  const environment = { ...home.environment, env: { ...home.env, ...env, BECKON_DISABLE: "1" } };
  expect((await home.run(["install", "--agent", agent, "--yes"], { environment })).exitCode).toBe(0);
}

describe("doctor", () => {
  test("every check is ok on a healthy machine, exit code 0", async () => {
    const { exitCode, results } = await runChecks(home);
    expect(problemsIn(results)).toEqual([]);
    expect(exitCode).toBe(0);
    expect(new Set(results.flatMap((result) => Object.keys(result)))).toEqual(new Set(["name", "status", "detail"]));
  });

  test("without --all, ok results are only counted", async () => {
    home.addDeadLetter("event-0001");
    const stdout = await printChecks(home, { all: false });
    expect(stdout).not.toContain("✓");
    expect(stdout).toMatch(
      /^! failed: 1 event\n {4}For the reasons: beckon log --failed.*\n\n0 problems, 1 warning, \d+ ok \(shown with --all\)\n$/,
    );
  });

  test("people see problems first with their cures, results by agent, and a summary", async () => {
    addDroid(home);
    rmSync(home.paths.worker);
    json(at(".factory", "hooks.json"), { PreToolUse: [] });
    const lines = (await printChecks(home)).trimEnd().split("\n");
    const missing = "✗ worker program: ~/.beckon/app/dist/worker.cjs is missing: events wait in the spool";
    expect(lines.slice(0, 2)).toEqual([missing, "    beckon install"]);
    expect(lines).toContain("✓ notifier team: slack");
    const findRow = (start: string): number => lines.findIndex((line) => line.startsWith(start));
    expect(findRow("! Droid")).toBeLessThan(findRow("✓"));
    const subjects = lines.flatMap((line) => /^✓ (Droid|Claude Code):/.exec(line)?.[1] ?? []);
    expect(subjects).toEqual([...subjects].sort());
    expect(lines.at(-1)).toMatch(/^1 problem, 1 warning, \d+ ok$/);
  });
});

describe("agent events", () => {
  beforeEach(() => rmSync(home.paths.journal, { recursive: true }));

  const sample = { agent: "claude", sessionId: "beckon-install-0123", status: "sent" } as const;

  testReports({
    "an agent has never sent an event, except for the installer's sample": [
      () => home.journal({ ...sample, event: "Notification" }),
      /^warn Claude Code: last event: never \| .*trust the folder\. Then let the agent finish a turn and run `beckon doctor` again\.$/,
    ],
    "one of the events has never arrived": [
      () => {
        addEvents(home, "claude", "Stop", "Notification", "UserPromptSubmit");
        home.journal({ ...sample, event: "SessionEnd" });
      },
      /^warn .*: events seen: UserPromptSubmit 20.*, Notification or Elicitation 20.*, Stop or StopFailure 20.*, SubagentStop never, SessionEnd never \| End a session.*--follow --json$/,
    ],
  });

  /** Installs Claude Code's hooks alone. */
  async function installClaude() {
    rmSync(claudeSettings());
    await install("claude");
    const setTime = (file: string, hours: number) => {
      const then = new Date(Date.now() - hours * 3_600_000);
      utimesSync(file, then, then);
    };
    const folder = join(home.paths.state, "installs");
    return {
      setTime,
      age: (hours: number) => readdirSync(folder).forEach((file) => void setTime(join(folder, file), hours)),
      last: async () => (await runChecks(home)).results.find(({ name }) => name === "Claude Code: last event"),
    };
  }

  test("hooks that never fired are a problem after the agent was used with them for a day", async () => {
    const { setTime, age, last } = await installClaude();
    const recording = home.write(at(".claude", "projects", "shop", "s-1.jsonl"), "{}\n");
    age(72);
    setTime(recording, 80);
    expect(await last()).toMatchObject({ status: "warn", detail: "never" });
    setTime(recording, 2);
    expect(await last()).toMatchObject({
      status: "fail",
      detail: expect.stringMatching(/^never, although Claude Code recorded a session at 20/),
      cure: expect.stringMatching(/^Check that .*settings\.json\. .* run `beckon doctor` again\.$/),
    });
  });

  test("an event that never arrived is reported once the hooks are a day old", async () => {
    const { age, last } = await installClaude();
    age(23);
    expect(await last()).toMatchObject({ status: "ok", detail: "none yet; the hooks were installed 23 h ago" });
    age(25);
    expect(await last()).toMatchObject({ status: "warn", detail: "never" });
  });
});

const claudeEvents = [
  "UserPromptSubmit",
  "Notification",
  "Elicitation",
  "Stop",
  "StopFailure",
  "SubagentStop",
  "SessionEnd",
];

describe("agent settings", () => {
  const disableInGemini = (...disabled: unknown[]) => addHooks(home, "gemini", { hooksConfig: { disabled } });
  const addPluginAlone = (events: readonly string[], version?: string): void => {
    json(claudeSettings(), {});
    addPlugin(home, events, version);
  };
  const projectSettings = () => join(home.project, ".claude", "settings.json");
  const cursorHooks = (events: readonly string[]) =>
    Object.fromEntries(events.map((event) => [event, [{ command: `~/.beckon/hook ${event} --agent cursor || :` }]]));
  const stopHooks = { hooks: hooksFor("claude", "Stop") };
  /** Makes Claude Code read policy files below the home folder. */
  const withSwitch = (files: readonly string[], off: HookSwitch["off"] = { managed: true }) =>
    agentsWith("claude", { switches: ({ home: folder }) => files.map((file) => ({ path: join(folder, file), off })) });

  /** Agents in which Claude Code takes a module that only beckon writes. */
  const withModule = agentsWith("claude", {
    files: (scope, { home: folder }) =>
      scope === "user" ? [{ path: join(folder, ".claude", "beckon.js"), shape: "module" }] : [],
    ownText: (commands) => `const commands = ${JSON.stringify(commands)};\n`,
    schema: () => z.unknown(),
  });
  const writeModule = (changed = "", end = "") => {
    const command = (event: string) => [event, `~/.beckon/hook ${event} --agent claude || :`];
    const commands = JSON.stringify(Object.fromEntries(claudeEvents.map(command)));
    home.write(at(".claude", "beckon.js"), seal(`const commands = ${commands};\n${changed}`, "//") + end);
  };

  /** Adds a group to Claude Code's installed hooks. */
  const besideOurs = (group: unknown) => () =>
    json(claudeSettings(), { hooks: { ...hooksFor("claude", ...claudeEvents), PreToolUse: [group] } });
  const command = { type: "command", command: "true" };

  testReports({
    "a matcher is an object": [
      besideOurs({ matcher: { type: "always" }, hooks: [command] }),
      /^fail Claude Code: settings: .*PreToolUse\[0\]\.matcher` at line 1, column \d+ .*: Claude Code ignores the whole/,
    ],
    "another version wrote the agent's module": [
      () => writeModule("older();\n"),
      /^warn Claude Code: settings: .*beckon\.js was written by another version \| beckon upgrade$/,
      withModule,
    ],
    "the agent's module was edited": [
      () => writeModule("", "mine();\n"),
      /^warn Claude Code: settings: .*beckon\.js was edited after beckon wrote it \| Move your changes .* Then: beckon i/,
      withModule,
    ],
    "the agent's module is somebody else's": [
      () => void home.write(at(".claude", "beckon.js"), "mine();\n"),
      /^fail Claude Code: hooks: not installed, and `beckon install` refuses: .*beckon\.js: beckon did not write this file \| Rename it, then try again\./,
      withModule,
    ],
    "a rule is broken": [
      () => json(claudeSettings(), { permissions: { deny: ["Read("] }, hooks: hooksFor("claude", ...claudeEvents) }),
      /^warn Claude Code: settings: .*`permissions\.deny\[0\]` at line 1, column \d+ .*: some versions of Claude Code ignore/,
    ],
    "a switch is off in quotes": [
      () => addHooks(home, "gemini", { hooksConfig: { enabled: "false" } }),
      /^fail Gemini CLI: settings: .*`hooksConfig\.enabled` disables all hooks of Gemini CLI \| /,
    ],
    "Cursor's hooks file has no version": [
      () => {
        const events = Object.keys(findAgent("cursor").settings.defaultEvents);
        json(at(".cursor", "hooks.json"), { hooks: cursorHooks(events) });
        addEvents(home, "cursor", ...events);
      },
      /^warn Cursor.*: settings: .*hooks\.json: the file at line 1, column 1 has no `version`: some versions of Cursor/,
      installable.filter(({ name }) => name === "cursor"),
    ],
    "Codex does not know a setting in its hooks file": [
      () => addTrustedCodex({ others: { version: 1 } }),
      /^fail Codex: settings: .*`version` at line 1, column 2 is a setting .*: Codex ignores the whole file/,
    ],
    "Droid does not know a type of hook": [
      () => addDroid(home, { hooks: { ...droidHooks, PreToolUse: [{ hooks: [{ type: "prompt", prompt: "x" }] }] } }),
      /^fail Droid: settings: .*hooks\[0\]\.type` at line 1, column \d+ .*: Droid ignores the whole file/,
    ],
  });

  test("each switch that only older versions of Gemini read is a warning, in every file and form", async () => {
    const command = "~/.beckon/hook AfterAgent --agent gemini || :";
    const all = "all hooks of Gemini CLI";
    const ours = "beckon's hooks";
    const rows = [
      [{ tools: { enableHooks: false } }, "tools.enableHooks", all, "Remove tools.enableHooks from it."],
      [{ hooks: { enabled: false } }, "hooks.enabled", all, "Remove hooks.enabled from it."],
      [{ hooks: { enabled: "false", AfterAgent: [] } }, "hooks.enabled", all, "Remove hooks.enabled from it."],
      [{ hooks: { disabled: ["theirs", "beckon"] } }, "hooks.disabled", ours, "Remove beckon's hooks"],
      [{ hooks: { disabled: [command] } }, "hooks.disabled", ours, "Remove beckon's hooks"],
    ] as const;
    addHooks(home, "gemini");
    const path = join(home.project, ".gemini", "settings.json");
    const lead = `warn Gemini CLI: settings: ${path}: in older versions of Gemini CLI,`;
    const check = async ([settings, setting, hooks, cure]: (typeof rows)[number]) => {
      json(path, settings);
      const expected = `${lead} \`${setting}\` disables ${hooks} | ${cure}`;
      expect(await problems()).toContainEqual(expect.stringContaining(expected));
    };
    expect(await collectFailures(rows, check)).toEqual([]);
    json(path, { hooks: { enabled: true, disabled: ["theirs"] }, tools: { enableHooks: true } });
    expect(await problems()).toEqual([]);
  });

  testReports({
    "a project's settings disable hooks": [
      () => json(projectSettings(), { disableAllHooks: true }),
      /^fail Claude Code: settings: .*: `disableAllHooks` disables all hooks of Claude Code \| Remove disableAllHooks from it, or ask/,
    ],
    "a policy disables hooks": [
      () => home.write(at("policy.json"), '{ // said the admin\n "managed": true }'),
      /^fail Claude Code: settings: .*policy\.json: `managed` disables all hooks of Claude Code \| Remove managed from it, or ask/,
      withSwitch(["policy.json"]),
    ],
    "one of several policy files in a folder disables hooks": [
      () => {
        json(at("policy.d", "10-other.json"), { managed: false });
        json(at("policy.d", "20-hooks.json"), { managed: true });
        home.write(at("policy.d", "README"), '{ "managed": true }');
      },
      /^fail Claude Code: settings: .*policy\.d\/20-hooks\.json: `managed` disables all hooks of Claude Code \| Remove managed/,
      withSwitch(["policy.d/*.json", "nowhere.d/*.json"]),
    ],
    "a foreign hook for an event unknown to Kimi disables all hooks": [
      () => {
        const events = ["UserPromptSubmit", "PermissionRequest", "Stop", "StopFailure", "SubagentStop", "SessionEnd"];
        const ours = events.map((event) => [event, `~/.beckon/hook ${event} --agent kimi || :`]);
        const table = ([event, command]: string[]) => `[[hooks]]\nevent = "${event}"\ncommand = "${command}"\n`;
        const tables = [...ours, ["AfterTurn", "say done"]].map(table);
        home.write(at(".kimi-code", "config.toml"), tables.join("\n"));
        addEvents(home, "kimi", "UserPromptSubmit", "Notification", "Stop", "SessionEnd");
      },
      /^warn Kimi Code: settings: .*config\.toml: a hook for AfterTurn disables all hooks, because Kimi Code 2\.1\.0 .*\| Remove that hook/,
    ],
    "a feature in a TOML file disables hooks": [
      () => home.write(at("config.toml"), "[features]\nhooks = false\nother = true\n"),
      /^fail Claude Code: settings: .*config\.toml: `features\.hooks` disables all hooks of Claude Code \| Remove features\.hooks/,
      withSwitch(["config.toml"], { features: { hooks: false } }),
    ],
    "the settings file with the hooks disables them": [
      () => addDroid(home, { hooksDisabled: true }),
      /^fail Droid: settings: .*settings\.json: `hooksDisabled` disables all hooks of Droid \| Remove hooksDisabled from it/,
    ],
    "one of beckon's hooks is disabled in the agent's own list of hooks": [
      () => disableInGemini("their-hook", "~/.beckon/hook AfterAgent --agent gemini || :"),
      /^fail Gemini CLI: settings: .*: `hooksConfig\.disabled` disables beckon's hooks \| Remove beckon's hooks from/,
    ],
    "beckon's hooks are disabled in that list by name": [
      () => disableInGemini("their-hook", "beckon"),
      /^fail Gemini CLI: settings: .*: `hooksConfig\.disabled` disables beckon's hooks \| Remove beckon's hooks from/,
    ],
    "Codex has hooks in config.toml as well": [
      () => addTrustedCodex({ more: '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\n' }),
      /^warn Codex: several files: .*config\.toml has hooks too\. Codex runs .* \| Move those hooks to .*hooks\.json\.$/,
    ],
    "hooks.json overrides the settings file that has beckon's hooks": [
      () => {
        addDroid(home);
        json(at(".factory", "hooks.json"), { PreToolUse: [] });
      },
      /^warn Droid: several files: .* are in .*settings\.json, but .*may only read .*hooks\.json.* \| To move them: beckon install --agent droid$/,
    ],
    "beckon's hooks are in hooks.json and other hooks in the settings file": [
      () => {
        addDroid(home, { hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] } });
        json(at(".factory", "hooks.json"), droidHooks);
      },
      /^warn Droid: several files: .*hooks\.json and .*settings\.json both have hooks, .* \| .*move them to .*hooks\.json/,
    ],
    "hooks are in two scopes of an agent that runs both": [
      () => {
        addDroid(home);
        json(join(home.project, ".factory", "settings.json"), { hooks: hooksFor("droid", "Stop") });
      },
      /^warn Droid: duplicates: hooks for Stop are in both .* and .*shop.*, so .* twice \| .*--agent droid --scope project$/,
    ],
    "an agent also runs another's hooks, and its payloads do not show whose they are": [
      () => addDroid(home),
      /^warn Droid: duplicates: Droid also runs the hooks of Claude Code, so .* twice \| .*beckon uninstall --agent droid$/,
      agentsWith("droid", { alsoRuns: [{ agent: "claude", scopes: ["user"] }] }),
    ],
    "hooks are in an agent's settings and in its plugin": [
      () => addPlugin(home, ["Stop"]),
      /^warn Claude Code: duplicates: hooks for Stop are in .*settings\.json and in the plugin .*so their events arrive twice and beckon drops the second \| To remove one of them: `beckon uninstall --agent claude` or `claude plugin uninstall beckon@beckon`$/,
    ],
    "a plugin is newer than the beckon that it once set up": [
      () => addPluginAlone(claudeEvents, "99.0.0"),
      /^warn Claude Code: plugin: the plugin is 99\.0\.0, but .*app is .* \| .*\/dist\/cli\.js upgrade$/,
    ],
    "a plugin lacks hooks": [
      () => addPluginAlone(["Stop"]),
      /^warn Claude Code: hooks: missing for UserPromptSubmit, Notification, .* \| beckon install --agent claude$/,
    ],
    "hooks were imported from another agent": [
      () => addDroid(home, { hooks: hooksFor("claude", ...droidEvents) }),
      /^warn Droid: hooks: .* has hooks written for claude, .* \| To replace them: beckon install --agent droid$/,
    ],
    "hooks call another beckon home": [
      () => {
        home.write(at("second", "hook"), "# beckon\n");
        const { hooks } = JSON.parse(readFileSync(claudeSettings(), "utf8"));
        const other = `${at("second", "hook")} Stop --agent claude || :`;
        json(claudeSettings(), {
          hooks: { ...hooks, Stop: [...hooks.Stop, { hooks: [{ type: "command", command: other }] }] },
        });
      },
      /^warn Claude Code: hooks: hooks in .* call another beckon home, .*second.* \| To move them .* BECKON_HOME=\S+second \S+ uninstall$/,
    ],
    "a project's settings file is broken": [
      () => home.write(join(home.project, ".claude", "settings.local.json"), '{\n"hooks":'),
      /^fail Claude Code: settings: .*settings\.local\.json: not valid JSON at line 2.* \| Correct .*; until then, Claude Code may/,
    ],
    "the file with the hooks is broken, without further results as its content is unknown": [
      () => home.write(claudeSettings(), '{ "hooks": '),
      /^fail Claude Code: settings: /,
    ],
  });

  testSilences({
    "a switch that is off": [() => json(projectSettings(), { disableAllHooks: false }), undefined],
    "a switch with another value": [
      () => json(at("policy.json"), { managed: "true" }),
      undefined,
      withSwitch(["policy.json"]),
    ],
    "a partly set switch": [
      () => json(at("policy.json"), { features: { hooks: false } }),
      undefined,
      withSwitch(["policy.json"], { features: { hooks: false, all: false } }),
    ],
    "other hooks that are disabled in the agent's own list of hooks": [
      () => disableInGemini("their-hook", 3, "echo ~/.beckon/hook AfterAgent --agent gemini || :"),
      undefined,
    ],
    "hooks in a plugin alone": [() => addPluginAlone(claudeEvents), undefined],
    "two scopes of an agent that runs the same command once": [() => json(projectSettings(), stopHooks), undefined],
    "an agent that also runs another's hooks and whose payloads show it": [
      () => {
        json(at(".cursor", "hooks.json"), { version: 1, hooks: cursorHooks(["stop", "subagentStop", "sessionEnd"]) });
        addEvents(home, "cursor", "Stop", "SessionEnd");
      },
      /^Cursor: duplicates Cursor also runs the hooks of Claude Code; beckon drops the duplicate events$/,
    ],
  });

  test.runIf(process.getuid?.() === 0)(
    "files of another user are read as the agent reads them, policies above all",
    async () => {
      json(at("policy.json"), { managed: true });
      for (const path of [at("policy.json"), claudeSettings()]) chownSync(path, 65_534, 65_534);
      expect(await problems(withSwitch(["policy.json"]))).toEqual([
        expect.stringMatching(
          /^fail Claude Code: settings: .*policy\.json: `managed` disables all hooks of Claude Code/,
        ),
      ]);
    },
  );
});

describe("MCP servers", () => {
  const register = (command: string, cli: string) =>
    json(at(".claude.json"), { mcpServers: { beckon: { command, args: [cli, "mcp"] } } });
  const installedCli = () => join(home.paths.app, "dist", "cli.js");

  testReports({
    "the program of beckon's MCP server is missing": [
      () => register("/gone/node", installedCli()),
      /^fail Claude Code: tools: the MCP server in .*\.claude\.json cannot start: \/gone\/node does not exist \| .*install --agent claude --mcp$/,
    ],
  });

  test("a registered server that can start is ok, and status names its file", async () => {
    register(process.execPath, installedCli());
    const { results } = await runChecks(home);
    expect(problemsIn(results)).toEqual([]);
    expect(results).toContainEqual(expect.objectContaining({ name: "Claude Code: tools", status: "ok" }));
    expect((await home.run(["status", "--verbose"])).stdout).toMatch(
      /hooks, MCP tools[\s\S]*MCP tools \(~\/\.claude\.json\)/,
    );
  });
});

describe("agents", () => {
  const folderTrust = (enabled: boolean) => ({ security: { folderTrust: { enabled } } });
  /** Installs beckon's hooks for Gemini, and its record of the project. */
  const addGemini = (trust: string, isEnabled = true) => {
    addHooks(home, "gemini", folderTrust(isEnabled));
    json(at(".gemini", "trustedFolders.json"), { [home.project]: trust });
  };

  testReports({
    "an agent's program is too old for its hooks": [
      () => {
        addDroid(home);
        addProgram(home, "droid", "echo droid 0.190.3");
      },
      /^warn Droid: version: 0\.190\.3 is older than 0\.202\.0: .* \| Update Droid \(.*\/bin\/droid\) and restart it\.$/,
    ],
    "no agent has hooks": [
      () => home.write(claudeSettings(), "{}"),
      /^fail Claude Code: hooks: not installed \| beckon install --agent claude$/,
    ],
    "one of two agents has no hooks": [
      () => mkdirSync(at(".factory")),
      /^warn Droid: hooks: not installed \| beckon install --agent droid$/,
    ],
    "only the predecessor of an agent has hooks": [
      () => {
        addGemini("TRUST_FOLDER");
        mkdirSync(at(".gemini", "antigravity-cli"));
      },
      /^warn Antigravity CLI: hooks: not installed \| beckon install --agent antigravity$/,
    ],
    "hooks were removed": [
      () => json(claudeSettings(), { hooks: hooksFor("claude", "Stop") }),
      /^warn Claude Code: hooks: missing for (?!.*\bStop\b).*SubagentStop.* \| beckon install --agent claude$/,
    ],
    "an editor's extension asks through an event without a hook": [
      () => mkdirSync(at(".vscode-oss", "extensions", "anthropic.claude-code-2.1.0"), { recursive: true }),
      /^warn Claude Code: hooks: without PermissionRequest, nothing .* \| beckon install --agent claude --also PermissionRequest$/,
    ],
    "such an extension is too old for the event": [
      () => mkdirSync(at(".cursor", "extensions", "anthropic.claude-code-2.0.44"), { recursive: true }),
      /^warn Claude Code: hooks: without PermissionRequest, .* \| Update 2\.0\.44, then: beckon install /,
    ],
    "Codex does not trust every hook": [
      () => addTrustedCodex({ trusted: ["stop", "session_end"] }),
      /^warn Codex: trust: not trusted for UserPromptSubmit, PermissionRequest, SubagentStop \| .*\/hooks in Codex/,
    ],
    "Gemini does not trust the folder": [
      () => addGemini("DO_NOT_TRUST"),
      /^warn Gemini CLI: trust: .*shop is marked as not trusted \| .*\/permissions in Gemini CLI/,
    ],
  });

  test("a check reports that Gemini does not trust the folder, if its hooks have not fired either", async () => {
    json(at(".gemini", "settings.json"), { hooks: hooksFor("gemini", "Notification", "AfterAgent", "SessionEnd") });
    expect(await problems()).toContainEqual(
      expect.stringMatching(/^warn Gemini CLI: trust: .*shop is not trusted yet: .* runs no hook .*\| .*\/permissions/),
    );
  });

  testSilences({
    "a program that is new enough": [
      () => {
        addDroid(home);
        addProgram(home, "droid", "echo 0.202.0");
      },
      /^Droid: version 0\.202\.0$/,
    ],
    "a version that beckon has not been run with": [
      () => addProgram(home, "opencode", "echo 2.0.18"),
      /^OpenCode: version 2\.0\.18: not measured; beckon follows the documentation from 2\.0\.0 on$/,
    ],
    "an agent that beckon was never run with": [
      () => addDroid(home),
      /^Droid: version unknown: not measured; beckon follows the documentation$/,
      agentsWith("droid", { program: { files: [], unmeasuredFrom: "0.0.0" } }),
    ],
    "the same with a known version": [
      () => addProgram(home, "agy", "echo 1.2.3"),
      /^Antigravity CLI: version 1\.2\.3: not measured; beckon follows the documentation$/,
    ],
    "a program that does not print its version": [() => addProgram(home, "claude", "exit 3"), undefined],
    "a missing hook for an event that the agent's version does not know": [
      () => {
        json(claudeSettings(), { hooks: hooksFor("claude", ...droidEvents) });
        addProgram(home, "claude", "echo 2.1.75");
      },
      /^Claude Code: hooks UserPromptSubmit, Notification, Stop, SubagentStop, SessionEnd$/,
      agentsWith("claude", { program: { files: ["claude"] } }),
    ],
    "an agent without its own hooks that runs those of another": [
      () => mkdirSync(at(".factory")),
      /^Droid: hooks none of its own; it runs the hooks of Claude Code$/,
      agentsWith("droid", { alsoRuns: [{ agent: "claude", scopes: ["user"] }] }),
    ],
    "hooks that Codex trusts": [() => addTrustedCodex(), /^Codex: trust trusted/],
    "a folder for which Gemini has no rule, with the user's hooks alone": [
      () => addHooks(home, "gemini", folderTrust(true)),
      undefined,
    ],
    "a folder that Gemini does not trust while folder trust is disabled": [
      () => addGemini("DO_NOT_TRUST", false),
      undefined,
    ],
    "a folder that Claude Code is known to trust": [
      () => json(at(".claude.json"), { projects: { [dirname(home.project)]: { hasTrustDialogAccepted: true } } }),
      /^Claude Code: trust .*shop is trusted$/,
    ],
  });

  test("an editor's extension whose event has a hook is fine", async () => {
    mkdirSync(at(".vscode", "extensions", "anthropic.claude-code-2.1.0"), { recursive: true });
    json(claudeSettings(), { hooks: hooksFor("claude", ...claudeEvents, "PermissionRequest") });
    expect((await problems()).filter((problem) => /hooks:/.test(problem))).toEqual([]);
  });

  test("hooks that the agent itself has moved to another of its files count as unchanged", async () => {
    rmSync(at(".claude"), { recursive: true });
    rmSync(home.paths.journal, { recursive: true });
    home.write(at(".factory", "settings.json"), "{}");
    await install("droid");
    const { hooks } = JSON.parse(readFileSync(at(".factory", "settings.json"), "utf8"));
    json(at(".factory", "hooks.json"), hooks);
    json(at(".factory", "settings.json"), {});
    expect(await problems()).toEqual([]);
    delete hooks.Stop;
    const missing = expect.stringMatching(/^warn Droid: hooks: missing for Stop \|/);

    json(at(".factory", "hooks.json"), hooks);
    expect(await problems()).toEqual([missing]);
  });
});

describe("events", () => {
  const inSpool = (...path: string[]) => join(home.paths.spool, ...path);
  const id = "event-0001";
  const rejectedKey = { status: "accepted", reason: "lookup service: https://api.example.com answered 401" } as const;

  testReports({
    "an event is not claimed by a worker": [
      () => {
        home.fresh(id);
        const then = new Date(Date.now() - 90_000);
        utimesSync(inSpool("new", `${id}.json`), then, then);
      },
      /^fail spool: 1 event waiting, the oldest for 2 min \| beckon flush$/,
    ],
    "a worker has left an event behind": [
      () => home.write(inSpool("cur", `${id}.json`), ""),
      /^warn spool: 1 event abandoned by a worker \| beckon flush$/,
    ],
    "an attempt is overdue": [
      () => home.write(inSpool("cur", `${id}.t${Date.now() - 90_000}.json`), ""),
      /^warn spool: 1 event abandoned by a worker \| beckon flush$/,
    ],
    "an event is dead": [
      () => home.addDeadLetter(id),
      /^warn failed: 1 event \| .*To try again: beckon retry --failed$/,
    ],
    "the service rejects the key": [
      () => home.journal({ ...rejectedKey, sessionId: "s 1" }),
      /^warn lookups: .* answered 401 \| .*`beckon service sessions list --limit 20` and `.*messages 's 1' --role assistant --limit 10`$/,
    ],
    "a transcript cannot be read": [
      () => home.journal({ status: "accepted", reason: "lookup transcript: took too long" }),
      /^warn lookups: .* took too long \| beckon log$/,
    ],
    "input was rejected, which is not also counted as failed": [
      () => {
        home.addDeadLetter(id);
        home.journal({ id, status: "rejected" }, { status: "rejected" });
      },
      /^warn rejected, last 7 days: 2 events could not be read \| beckon log --failed$/,
    ],
    "input of another machine was rejected": [
      () => home.journal({ status: "rejected", host: "ci-7" }, { status: "rejected", host: "ci-7" }),
      /2 events could not be read; .* from ci-7 \| beckon log --failed; .*`beckon relay revoke ci-7`$/,
    ],
    "a server is full": [
      () =>
        home.journal({
          status: "retrying",
          notifier: "home",
          reason: "unavailable: too many events wait at the server",
        }),
      /^warn relay: space on the server: .*too many events wait at the server \| .* on your own machine\.$/,
    ],
    "more events were lost than the journal has lines": [
      () => {
        home.journal({ id: "lost-1", status: "expired", reason: "evicted: the disk was full when it arrived" });
        for (const name of ["lost-1.lost.noted", "lost-2.lost.noted", "lost-3.lost"])
          writeFileSync(join(home.paths.spool, name), "", { mode: 0o600 });
      },
      /^warn evicted, last 7 days: 3 events dropped /,
    ],
    "an event was evicted": [
      () => home.journal({ status: "expired", reason: "evicted: the spool is full" }),
      /^warn evicted, last 7 days: 1 event dropped .* \| beckon log --failed$/,
    ],
  });

  const lastWeek = () => new Date(Date.now() - 8 * 86_400_000).toISOString();
  const noNotifier = "notifiers.desk.type (line 1): must be a type of notifier.";
  testSilences({
    "rejections older than a week": [() => home.journal({ at: lastWeek(), status: "rejected" }), undefined],
    "configuration errors, which are not events": [
      () => home.journal({ id: "config", status: "rejected", reason: noNotifier }),
      undefined,
    ],
  });

  test("a lookup failure is not reported after five events without one", async () => {
    home.journal(rejectedKey, ...Array.from({ length: 4 }, () => ({ status: "accepted" }) as const));
    expect(await problems()).toHaveLength(1);
    home.journal({ status: "accepted" });
    expect(await problems()).toEqual([]);
  });
});

describe("files", () => {
  const inSpool = (file: string) => join(home.paths.spool, file);
  const inState = (file: string) => {
    mkdirSync(home.paths.state, { recursive: true, mode: 0o700 });
    return join(home.paths.state, file);
  };
  const oldLock = "worker.lock-moved-7";
  const month = () => join(home.paths.journal, "2026-01.jsonl");
  const moved = (what: string) => new RegExp(`^warn files: .*${what}, so beckon ignores it \\| Move it away: mv '`);

  testReports({
    "a folder is in new/": [() => mkdirSync(inSpool("new/a.json")), moved("new/a.json is a folder")],
    "a pipe is in cur/": [() => execFileSync("mkfifo", [inSpool("cur/a.t5.json")]), moved("cur/a.t5.json is a pipe")],
    "a link is in tmp/": [() => symlinkSync("/dev/zero", inSpool("tmp/a")), moved("tmp/a is a link")],
    "a folder is in the lock's place": [() => mkdirSync(inSpool("worker.lock")), moved("worker.lock is a folder")],
    "a broken lock is larger than a line": [
      () => writeFileSync(inSpool("worker.lock"), "1".repeat(600), { mode: 0o600 }),
      /^warn files: .*worker\.lock was too large, so hooks read it for a long time \| It has been removed; nothing/,
    ],
    "a file is in the place of the answers": [
      () => writeFileSync(home.paths.asks, "", { mode: 0o600 }),
      /^fail answers: requests are only answered in the agent: .*asks must be a folder of yours \| Put a folder in/,
    ],
    "a folder was in the lock's place": [() => mkdirSync(inSpool(oldLock)), moved(`${oldLock} is a folder`)],
    "a folder is in the start mark's place": [
      () => mkdirSync(inSpool("worker.starting")),
      moved("starting is a folder"),
    ],
    "a folder is in a state file's place": [() => mkdirSync(inState("pauses.json")), moved("pauses.json is a folder")],
    "a folder is in a journal month's place": [() => mkdirSync(month()), moved("2026-01.jsonl is a folder")],
    "a newer version's event is in the spool": [
      () => writeFileSync(inSpool("new/a.json"), '{"v":99,"event":"Stop"}\n{}\n{"end":0}\n', { mode: 0o600 }),
      /^warn newer events: 1 event from a newer version of beckon in .*spool \| Install the newer version again\.$/,
    ],
    "a month of the journal is larger than a string": [
      () => {
        writeFileSync(month(), "", { mode: 0o600 });
        truncateSync(month(), 600 * 2 ** 20);
      },
      /^warn journal: .*2026-01\.jsonl has 600 MiB, so most commands only read its newest part \| Move it away: mv '/,
    ],
  });

  test.runIf(process.platform === "linux" && process.getuid?.() === 0)("a check reports a full disk", async () => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", home.paths.spool]);
    try {
      for (const folder of ["tmp", "new", "cur", "dead"]) mkdirSync(inSpool(folder), { mode: 0o700 });
      fillDisk(inSpool("dead"));
      const full =
        /^fail storing: events cannot be stored in .*tmp: the disk is full \(ENOSPC\) \| Make room on that disk\.$/;
      expect(await problems()).toEqual([expect.stringMatching(full)]);
    } finally {
      execFileSync("umount", ["-l", home.paths.spool]);
    }
  });

  testSilences({
    "the folders that beckon itself keeps in its state": [
      () => ["alerts", "installs"].map((folder) => mkdirSync(inState(folder))),
      undefined,
    ],
  });
});

describe("installation", () => {
  const setVersion = (version: string) =>
    writeFileSync(join(home.paths.app, "package.json"), JSON.stringify({ name: "beckon", version }));

  testReports({
    "a folder is missing": [
      () => rmSync(join(home.paths.spool, "cur"), { recursive: true }),
      /^fail folders: missing: .*cur \| beckon install$/,
    ],
    "a folder is open to others": [
      () => chmodSync(home.paths.spool, 0o755),
      /^fail folders: .*spool is open to other users \| chmod 700 .*spool$/,
    ],
    ...Object.fromEntries(
      ["", "dist", "dist/hooks"].map((folder) => [
        `others can write to programs in app/${folder}`,
        [() => chmodSync(join(home.paths.app, folder), 0o777), /^fail folders: .* can be written to by other users/],
      ]),
    ),
    "the configuration is open to others": [
      () => chmodSync(home.paths.config, 0o644),
      /^fail folders: .*config\.jsonc is open to other users \| chmod 600 /,
    ],
    "the installed copy is older than this package": [
      () => setVersion("0.0.9"),
      /^warn app: .*app is version 0\.0\.9, this is \d.* \| beckon upgrade$/,
    ],
    "the installed copy is newer than this package": [
      () => setVersion("99.0.0"),
      /^warn app: .*app is version 99\.0\.0, newer than this .* \| Use .*app\/dist\/cli\.js, or update /,
    ],
    "the installed copy is another build of the same version": [
      () => writeFileSync(join(home.paths.app, "dist", "cli.js"), "// another"),
      /^warn app: .* is a different build of \d.* \| beckon upgrade$/,
    ],
  });
});

describe("notifiers", () => {
  const team = (url: string) => home.config({ notifiers: { team: { type: "slack", url } } });
  const fileReference = (mode?: number) => `\${file:${home.write(join(home.home, "s"), "canary-7Xw", mode)}}`;

  testReports({
    "there is no notifier": [
      () => home.config({ notifiers: {} }),
      /^fail notifiers: none: .*journal \| beckon config add$/,
    ],
    "a secret is not set": [
      () => team("${env:BECKON_TEST_UNSET}"),
      /^fail notifier team: .*\$\{env:BECKON_TEST_UNSET\} is not set \| Set it/,
    ],
    "a secret's file is open to others": [
      () => team(fileReference(0o644)),
      /^fail notifier team: .* can be read by other users \| .*chmod 600/,
    ],
    "a secret is not an address": [
      () => team(fileReference()),
      /^fail notifier team: .*not usable once its reference is resolved.* \| ./,
    ],
  });

  const absent = { type: "command", run: ["/nowhere/notify"] };
  const present = { type: "command", run: ["true"] };
  const unable = /^warn notifier absent: .* \| ./;
  const reach = (notifiers: object, routes?: readonly object[]) => () =>
    home.config({ notifiers, ...(routes && { routes }) });

  testReports({
    "every notifier lacks its program": [
      reach({ absent }),
      /^fail notifier absent: .*, so needs-you and failed events only reach/,
    ],
    "one of two notifiers lacks its program": [reach({ absent, present }), unable],
    "the working notifier gets only finished turns": [
      reach({ absent, present }, [
        { kinds: ["needs-you"], to: ["absent"] },
        { kinds: ["finished"], to: ["present"] },
      ]),
      /^fail notifier absent: .*, so needs-you events only reach/,
    ],
    "the notifier without its program is in no route": [reach({ absent, present }, [{ to: ["present"] }]), unable],
    "a route's folder does not exist": [
      reach({ present }, [
        { projects: ["/nowhere/shop/**", "/usr", "**", "~/**"], to: ["present"] },
        { hosts: ["devbox"], projects: ["/srv/nowhere"], to: ["present"] },
      ]),
      /^warn projects: \/nowhere\/shop in `projects` of route 1 does not exist, .* \| .*config edit$/,
    ],
    "no route leads anywhere": [reach({ present }, []), /^fail notifiers: no route leads to one,/],
  });

  test("a missing folder of answers is reported", async () => {
    home.config({ notifiers: { present }, answers: { agents: ["claude"], projects: ["~/code/shpo/**"] } });
    expect(await problems()).toContainEqual(
      expect.stringMatching(/^warn projects: .*shpo in `projects` of `answers` /),
    );
  });

  test("a working notifier in no route is reported, and that no route takes requests", async () => {
    reach({ absent, present }, [{ kinds: ["finished"], to: ["absent"] }])();
    const expected = [/^warn configuration: .* routes: none takes/, /^fail notifier absent: .*, so all events only/];
    expect(await problems()).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });

  test("several notifiers that lack their programs are reported each", async () => {
    reach({ absent, other: { type: "command", run: ["no-such-program-here"] } })();
    const expected = [/^fail notifier absent: .* \| ./, /^fail notifier other: .* \| ./];
    expect(await problems()).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });

  test("a route that no project of the last month can match is named, once configuration and journal are that old", async () => {
    const folders = ["code/shop", "code/api", "sites/blog"].map((name) => at(name));
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    const [shop = "", , blog = ""] = folders;
    const routes = [`${shop}/**`, at("code", "*"), at("**"), `${blog}/**`, "/usr/*/x/**"];
    home.config({ notifiers: { present }, routes: routes.map((glob) => ({ projects: [glob], to: ["present"] })) });
    const named = async () => {
      return (await problems()).flatMap((line) => /^warn routes: no project .* of route (\d)/.exec(line)?.[1] ?? []);
    };
    home.journal({ project: "shop (fix-login)", status: "accepted" });
    expect(await named()).toEqual([]);
    utimesSync(home.paths.config, 0, 0);
    expect(await named()).toEqual([]);
    home.write(join(home.paths.journal, "2020-01.jsonl"), "");
    expect(await named()).toEqual(["4"]);
  });

  test("the cure of an unusable notifier is the hint from its test", async () => {
    const chime = { type: "sound", program: "/nowhere/player" };
    home.config({ notifiers: { absent, chime, voice: { type: "speech", program: "/nowhere/voice" } } });
    const tested = readOutput("test", (await home.run(["test", "absent", "chime", "voice", "--json"])).stdout);
    const { results } = await runChecks(home);
    expect(readOutput("doctor", (await home.run(["doctor", "--json"])).stdout).length).toBeGreaterThan(0);
    const cures = results.flatMap(({ name, cure }) => (name.startsWith("notifier ") ? [[name.slice(9), cure]] : []));
    expect(cures).toEqual(tested.map(({ name, hint }) => [name, hint]));
  });

  test("a notifier that failed at the last event is reported, until one was sent again", async () => {
    const line = { id: "event-0001", notifier: "team" } as const;
    home.journal({ ...line, status: "failed", reason: "rejected: no such channel" });
    const failed = /^warn notifier team: failed at 20.*: rejected: no such channel \| beckon test team$/;
    expect(await problems()).toEqual([expect.stringMatching(failed)]);
    home.journal({ ...line, status: "retrying", reason: "unavailable: it cannot be reached" });
    expect(await problems()).toEqual([expect.stringMatching(/^warn notifier team: failed at 20.*: unavailable: it/)]);
    expect((await home.run(["status"])).stdout).toMatch(/team +slack +failed at 20.*: unavailable/);
    home.journal({ ...line, status: "skipped", reason: "unsupported: no sound server" });
    const said = "did not work at 20.*: no sound server";
    const sole = `^fail notifier team: ${said}, so needs-you .* \\| To try it: beckon test team\\. If .* remove team$`;
    expect(await problems()).toEqual([expect.stringMatching(new RegExp(sole))]);
    expect((await home.run(["status"])).stdout).toMatch(new RegExp(`team +slack +${said}`));
    const slack = { type: "slack", url: "https://example.org/x" };
    home.config({ notifiers: { team: slack, log: { type: "file", path: "~/l" } } });
    const spare = `^warn notifier team: ${said} \\| To see what it needs: beckon test team\\. If .* remove team$`;
    expect(await problems()).toEqual([expect.stringMatching(new RegExp(spare))]);
    home.journal({ ...line, status: "sent" });
    expect(await problems()).toEqual([]);
    expect((await home.run(["status"])).stdout).toMatch(/team +slack +ready/);
  });

  test("a configuration error is reported with its position and the fallback notifiers", async () => {
    team("canary-7Xw");
    const error = /^fail configuration: .*config\.jsonc:1:\d+ notifiers\.team\.url: .* \| .*config edit/;
    const standIns = /^warn configuration: .*needs-you or failed.* default-desk, default-chime \| ./;
    const expected = [error, standIns].map((pattern) => expect.stringMatching(pattern));
    expect(await problems()).toEqual(expect.arrayContaining(expected));
  });

  test("a notifier's own check gets its resolved settings", async () => {
    const verification = slack.verification ?? {};
    verification.check = async ({ settings: { url } }) => `there is no lamp at ${url}`;
    const { exitCode, results } = await runChecks(home).finally(() => delete verification.check);
    expect(exitCode).toBe(1);
    const detail = "there is no lamp at [secret], so needs-you and failed events only reach the journal";
    expect(problemsIn(results)).toEqual([`fail notifier team: ${detail} | ${failureHints.unsupported}`]);
  });
});

describe("programs", () => {
  const remove = (path: "nodeLink" | "launcher" | "worker") => () => rmSync(home.paths[path]);
  const launch = (text: string) => () => writeFileSync(home.paths.launcher, text);
  /** Records a program as the worker's Node. */
  const recordScript = (script: string) => () =>
    recordNode(home.paths, home.write(join(home.home, "node"), `#!/bin/sh\n${script}\n`, 0o700));

  testReports({
    "no Node is recorded": [remove("nodeLink"), /^fail node for the worker: .* is no link; .* \| .*: beckon upgrade$/],
    "the recorded Node is missing": [
      () => recordNode(home.paths, "/gone/node"),
      /^fail node for the worker: \/gone\/node does not exist or .*; meanwhile the worker runs with \/.*node \| .*: beckon upgrade$/,
    ],
    "the recorded Node does not run": [
      recordScript("exit 1"),
      /^fail node for the worker: .* does not run .*--version/,
    ],
    "the recorded Node is too old": [
      recordScript("echo v20.18.3"),
      /^fail node for the worker: .* is v20\.18\.3 \| Install Node 20\.19 or newer/,
    ],
    "the launcher is missing": [remove("launcher"), /^fail launcher: .* is missing: .* \| beckon install$/],
    "the launcher is not executable": [
      () => chmodSync(home.paths.launcher, 0o600),
      /^fail launcher: .* not executable: .* \| chmod 700 /,
    ],
    "the launcher is from another version": [
      () => writeFileSync(home.paths.launcher, `${readFileSync(home.paths.launcher, "utf8")}# old\n`),
      /^warn launcher: .* differs from the one in .*app \| beckon install$/,
    ],
    "the launcher is empty": [
      launch("#!/bin/sh\n"),
      /^fail launcher: .*hook stores no event: hooks do nothing \| beckon install$/,
    ],
    "the launcher has Windows' line ends": [
      launch("#!/bin/sh\r\nexit 0\r\n"),
      /^fail launcher: .*cannot be started: .* \| beckon install$/,
    ],
    "the launcher's interpreter is gone": [
      launch("#!/nowhere/sh\n"),
      /^fail launcher: .*cannot be started: .* \| beckon install$/,
    ],
    "the launcher has a syntax error": [
      launch("#!/bin/sh\nif\n"),
      /^fail launcher: .*exits with code 2 \(.*\): hooks .* \| beckon install$/,
    ],
    "the launcher has an exit code of its own": [
      launch("#!/bin/sh\nexit 3\n"),
      /^fail launcher: .*exits with code 3: hooks do nothing \| beckon/,
    ],
    "a folder is in the launcher's place": [
      () => [rmSync(home.paths.launcher), mkdirSync(home.paths.launcher)],
      /^fail launcher: .*is not a regular file: hooks do nothing \| mv .*hook' .* && beckon install$/,
    ],
    "the launcher is cut": [
      () => truncateSync(home.paths.launcher, 6_000),
      /^fail launcher: .*: hooks do nothing \| beckon install$/,
    ],
    "the worker is missing": [remove("worker"), /^fail worker program: .* is missing: .* \| beckon install$/],
  });

  test.each([
    ["worker.cjs", 2_000, 1],
    ["worker.cjs", 0, 1],
    ["worker-main.cjs", 500_000, 1],
    ["worker-main.cjs", Number.POSITIVE_INFINITY, 0],
  ])("the worker is tried: %s cut to %s bytes", async (file, bytes, problems) => {
    const installed = dirname(home.paths.worker);
    for (const name of ["worker-main.cjs", "import-module.cjs"])
      cpSync(join(dirname(builtCli), name), join(installed, name));
    if (Number.isFinite(bytes)) truncateSync(join(installed, file), bytes);
    const before = listTree(home.paths.root);
    const { exitCode, results } = await runChecks(home, { runsNode: true });
    const found = problemsIn(results).filter((line) => line.startsWith("fail"));
    const expected = /^fail worker program: .*: events wait in the spool \| beckon install$/;
    expect(found).toEqual(problems > 0 ? [expect.stringMatching(expected)] : []);
    expect(exitCode).toBe(problems);
    expect(listTree(home.paths.root)).toEqual(before);
  });

  test("without Node on PATH a version manager's Node is named with the command that records it", async () => {
    const node = home.write(at(".nvm", "versions", "node", "v22.1.0", "bin", "node"), "#!/bin/sh\n", 0o755);
    const upgrade = `${node} ${join(home.paths.app, "dist", "cli.js")} upgrade`;
    const path = [join(home.home, "empty"), "/usr/bin", "/bin"].filter((folder) => !existsSync(join(folder, "node")));
    const onPath = async () => (await runChecks(home, { path })).results.find(({ name }) => name === "node on PATH");
    expect(await onPath()).toMatchObject({ status: "warn", detail: `none, but nvm has ${node}` });
    recordNode(home.paths, "/gone/node");
    const { results } = await runChecks(home, { path });
    const recorded = results.find(({ name }) => name === "node for the worker");
    expect(recorded).toMatchObject({ status: "fail", cure: upgrade });
    expect((await onPath())?.cure).toContain(upgrade);
  });

  test("missing programs are reported", async () => {
    const { results } = await runChecks(home, { path: [join(home.home, "empty")] });
    const missing = results.filter(({ status }) => status !== "ok").map(({ name, status }) => `${name}: ${status}`);
    expect(missing).toEqual(["node on PATH: warn", "sh: fail", "timeout: warn", "setsid: warn"]);
  });
});

describe("environment", () => {
  const environmentProblems = async (env: NodeJS.ProcessEnv) => problemsIn((await runChecks(home, { env })).results);

  test("a relative path in a variable for an agent's folder is a problem for each agent", async () => {
    const folders = installable.flatMap(({ title, settings }) =>
      settings.folder.variables.map((variable) => [variable, title] as const),
    );
    expect(folders.map(([variable]) => variable)).toEqual(expect.arrayContaining(["CLAUDE_CONFIG_DIR", "CODEX_HOME"]));
    const problemsWith = (value: string) =>
      environmentProblems(Object.fromEntries(folders.map(([variable]) => [variable, value])));
    for (const value of ["~/elsewhere", "elsewhere", "./elsewhere", "$HOME/elsewhere"]) {
      const found = (await problemsWith(value)).filter((line) => line.includes("not an absolute path"));
      const expected = folders.map(
        ([variable, title]) =>
          `fail ${title}: folder: ${variable} is ${value}, which is not an absolute path: ${title} may resolve`,
      );
      expect(found).toEqual(expected.map((text) => expect.stringContaining(text)));
    }
    for (const value of ["", home.home]) expect((await problemsWith(value)).join()).not.toContain("absolute path");
  });

  test("a login shell that cannot parse Codex's hooks is a problem until the next install", async () => {
    addTrustedCodex();
    expect(await environmentProblems({ SHELL: "/usr/bin/fish" })).toEqual([]);
    const expected =
      /^fail Codex: shell: Codex runs hooks with \/usr\/bin\/nu, which .* Stop.* \| beckon install --agent codex$/;
    expect(await environmentProblems({ SHELL: "/usr/bin/nu" })).toEqual([expect.stringMatching(expected)]);
    await install("codex", { SHELL: "/usr/bin/nu" });
    const found = await environmentProblems({ SHELL: "/usr/bin/nu" });
    expect(found.filter((line) => line.includes("shell"))).toEqual([]);
    await install("codex", { SHELL: "/bin/sh" });
    expect(readFileSync(at(".codex", "hooks.json"), "utf8")).not.toContain("sh -c");
  });

  test("a login shell that refuses Codex's options is a problem with a suggested shell", async () => {
    addTrustedCodex();
    const check = async (shell: string) => {
      const cure = "Update Codex, or start it with another shell: SHELL=/bin/sh codex";
      const found = await environmentProblems({ SHELL: shell });
      const detail = `Codex before 0.169.0 runs hooks with \`${shell} -lc\`, which that shell does not support`;
      expect(found).toEqual([`warn Codex: shell: ${detail} | ${cure}`]);
    };
    expect(await collectFailures(["/usr/bin/elvish", "/bin/tcsh", "/opt/homebrew/bin/elvish"], check)).toEqual([]);
    addProgram(home, "codex", "echo codex-cli 0.169.0");
    expect(await environmentProblems({ SHELL: "/usr/bin/elvish" })).toEqual([]);
  });

  test("a relative BECKON_HOME is a warning that names the folder in use", async () => {
    const expected =
      /^warn environment: BECKON_HOME is ~\/b, which .*, so beckon uses .*\.beckon \| Change it to an absolute/;
    expect(await environmentProblems({ BECKON_HOME: "~/b" })).toEqual([expect.stringMatching(expected)]);
  });
});
