import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Choice } from "../../../../src/cli/commands/install/choose-agents.ts";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { runUpgrade } from "../../../../src/cli/commands/upgrade.ts";
import { pathsOf } from "../../../../src/core/paths.ts";
import { installWorld, launcherThatNotes } from "../../../helpers/install-world.ts";
import { alterAgent } from "../doctor/doctor-home.ts";

const droid = ".factory/settings.json";
const claude = ".claude/settings.json";
const both = { [droid]: '{\n  // mine\n  "model": "x"\n}\n', [claude]: '{"a":1}' };

/** Every file below a folder with its bytes and inode. */
function treeOf(folder: string): unknown[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => [path, statSync(path).ino, statSync(path).mtimeMs, readFileSync(path, "utf8")]);
}

describe("install", () => {
  test("finds the agents, shows the diff, writes, and sends one event through the installed hook", async () => {
    const { context, output, at } = installWorld({ files: both });
    expect(await runInstall({ yes: true }, context)).toBe(0);
    expect(readFileSync(at(droid), "utf8")).toContain('"~/.beckon/hook Stop --agent droid || :"');
    expect(readFileSync(at(claude), "utf8")).toContain('"~/.beckon/hook SubagentStop --agent claude || :"');
    expect(output()).toContain("@@");
    expect(output()).toMatch(/desk {2}sent {2}12 ms {2}Notification --agent droid/);
    expect(output()).toContain("Droid: Restart running Droid sessions");
    expect(output()).toContain("Claude Code: Claude Code holds back");
  });

  test("the toolkit, launcher and folders are private and complete", async () => {
    const { context, at, packageRoot } = installWorld({ files: both });
    await runInstall({ yes: true }, context);
    const modeOf = (path: string) => (statSync(at(path)).mode & 0o777).toString(8);
    for (const folder of [
      "",
      "/app",
      "/app/dist",
      "/spool",
      "/spool/tmp",
      "/spool/new",
      "/spool/cur",
      "/spool/dead",
      "/journal",
      "/state",
    ]) {
      expect([folder, modeOf(`.beckon${folder}`)]).toEqual([folder, "700"]);
    }
    expect(modeOf(".beckon/hook")).toBe("755");
    for (const file of ["config.jsonc", "config.schema.json", "app/node", "app/package.json", "app/dist/cli.js"]) {
      expect([file, modeOf(`.beckon/${file}`)]).toEqual([file, "600"]);
    }
    expect(readFileSync(at(".beckon/app/node"), "utf8")).toBe(`${realpathSync(process.execPath)}\n`);
    expect(readFileSync(at(".beckon/hook"), "utf8")).toBe(
      readFileSync(join(packageRoot, "dist/hooks/hook.sh"), "utf8"),
    );
    const names = readdirSync(at(".beckon")).sort();
    expect(names.map((name) => name.replace(/-[0-9a-f]{12}$/, "-copy"))).toEqual([
      "app",
      "app-copy",
      "config.jsonc",
      "config.schema.json",
      "hook",
      "journal",
      "spool",
      "state",
    ]);
  });

  test("a second run changes no settings file, keeps the configuration and renews the toolkit", async () => {
    const { context, at, packageRoot, output } = installWorld({ files: both });
    await runInstall({ yes: true }, context);
    const before = treeOf(at(".factory"));
    writeFileSync(at(".beckon/config.jsonc"), '{ "mine": 1 }');
    writeFileSync(join(packageRoot, "dist", "cli.js"), "new");
    expect(output().match(/Still needed/g)).toHaveLength(1);
    expect(await runInstall({}, context)).toBe(0);
    expect(output().match(/Still needed/g)).toHaveLength(1);
    expect(treeOf(at(".factory"))).toEqual(before);
    expect(readFileSync(at(".beckon/config.jsonc"), "utf8")).toBe('{ "mine": 1 }');
    expect(readFileSync(at(".beckon/app/dist/cli.js"), "utf8")).toBe("new");
    expect(output()).toContain("has everything");
    expect(readdirSync(at(".beckon")).filter((name) => name.startsWith("app"))).toHaveLength(3);
  });

  test("a dry run writes nothing at all", async () => {
    const { context, home, output } = installWorld({ files: both });
    const before = treeOf(home);
    expect(await runInstall({ dryRun: true, yes: true }, context)).toBe(0);
    expect(treeOf(home)).toEqual(before);
    expect(existsSync(context.paths.root)).toBe(false);
    expect(output()).toContain('+            "command": "~/.beckon/hook Stop --agent droid || :"');
  });

  test("without an agent the toolkit is set up and tried out all the same", async () => {
    const { context, output, at } = installWorld();
    expect(await runInstall({}, context)).toBe(0);
    expect(output()).toContain("No agent has been used");
    expect(output()).toMatch(/desk {2}sent {2}12 ms {2}Notification\n/);
    expect(existsSync(at(".factory"))).toBe(false);
  });

  test("an agent that is named is set up although its folder is missing", async () => {
    const { context, at } = installWorld();
    expect(await runInstall({ agents: ["claude"] }, context)).toBe(0);
    expect(statSync(at(".claude")).mode & 0o777).toBe(0o700);
    expect(statSync(at(claude)).mode & 0o777).toBe(0o600);
  });

  test("a sample that does not arrive is told of and fails nothing", async () => {
    const { context, output, packageRoot } = installWorld({ files: both, sampleWaitMs: 200 });
    writeFileSync(join(packageRoot, "dist", "hooks", "hook.sh"), "#!/bin/sh\nexit 3\n");
    expect(await runInstall({ yes: true }, context)).toBe(0);
    expect(output()).toContain("not delivered within 0.2 s");
  });

  const noDesktop = { status: "skipped", reason: "unsupported: there is no session bus" };
  const noPlayer = { status: "skipped", reason: "unsupported: no player" };
  test.each([
    { outcomes: [noDesktop, noPlayer], isHelped: true },
    { outcomes: [noDesktop, { status: "sent", reason: "delivered" }], isHelped: false },
    { outcomes: [{ status: "skipped", reason: "no route matches" }], isHelped: false },
    { outcomes: [{ status: "failed", reason: "auth: answered 401" }], isHelped: false },
  ])("other ways are named where no notifier works on this machine: $outcomes", async ({ outcomes, isHelped }) => {
    const { context, output, packageRoot } = installWorld({ files: both });
    writeFileSync(join(packageRoot, "dist", "hooks", "hook.sh"), launcherThatNotes(...outcomes));
    expect(await runInstall({ yes: true }, context)).toBe(0);
    for (const { status, reason } of outcomes)
      expect(output()).toMatch(new RegExp(`desk +${status} +12 ms +${reason}`));
    expect(output().includes("`beckon config add` sets up what does")).toBe(isHelped);
  });
});

describe("agreement", () => {
  test("is asked for where somebody can answer", async () => {
    const { context, asked } = installWorld({ files: both, isInteractive: true });
    expect(await runInstall({}, context)).toBe(0);
    expect(asked).toEqual(["Which of them may call you?", "Make these changes to 2 agents?"]);
  });

  test("no is no: nothing is written", async () => {
    const { context, home, output } = installWorld({ files: both, isInteractive: true, ask: async () => false });
    const before = treeOf(home);
    expect(await runInstall({}, context)).toBe(1);
    expect(treeOf(home)).toEqual(before);
    expect(output()).toContain("Nothing was changed");
  });

  test("where nobody can answer, only named agents or --yes count", async () => {
    const { context, home, output } = installWorld({ files: both });
    const before = treeOf(home);
    expect(await runInstall({}, context)).toBe(1);
    expect(treeOf(home)).toEqual(before);
    expect(output()).toContain("--yes");
    expect(await runInstall({ agents: ["droid"] }, context)).toBe(0);
    expect(readFileSync(join(home, claude), "utf8")).toBe(both[claude]);
  });
});

describe("options", () => {
  test.each([
    [{ agents: ["nope"] }, "Known to the installer: droid, qwen"],
    [{ agents: ["kimi"], events: ["PreToolUse"] }, "approve tools without asking"],
    [{ events: ["Nope"] }, "Unknown event"],
    [{ events: ["toString"] }, "Unknown event"],
    [{ waitSeconds: 1.5 }, "--wait"],
    [{ waitSeconds: 601 }, "--wait"],
  ])("%j is wrong usage", async (options, words) => {
    const { context, output, home } = installWorld({ files: both });
    const before = treeOf(home);
    expect(await runInstall({ ...options, yes: true }, context)).toBe(2);
    expect(output()).toContain(words);
    expect(treeOf(home)).toEqual(before);
  });

  test("an event that an agent must never register is refused with the reason, nothing is written", async () => {
    const undo = alterAgent("droid", { never: { Stop: "it would answer for the user" } });
    const { context, output, home } = installWorld({ files: both });
    const before = treeOf(home);
    expect(await runInstall({ agents: ["droid", "claude"], events: ["Stop"], yes: true }, context)).toBe(2);
    expect(output()).toContain("Stop must not be registered with Droid: it would answer for the user");
    expect(treeOf(home)).toEqual(before);
    // Of agents that are merely found, those that may have it get it.
    expect(await runInstall({ events: ["Stop"], yes: true }, context)).toBe(0);
    undo();
    expect(readFileSync(join(home, droid), "utf8")).toBe(both[droid]);
    expect(readFileSync(join(home, claude), "utf8")).toContain("hook Stop --agent claude");
  });

  test("an event that nobody may have is refused with the reason, not as unknown", async () => {
    const undo = alterAgent("droid", { never: { PreToolUse: "approvals would not be shown" } });
    const { context, output } = installWorld({ files: both });
    expect(await runInstall({ events: ["PreToolUse"], yes: true }, context)).toBe(2);
    undo();
    expect(output()).toContain("PreToolUse must not be registered with Droid: approvals would not be shown");
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

  test("an event that only one of the agents knows goes to that agent", async () => {
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
  ])("%s in %s: %s is registered by a name that the agent itself has: %j", async (name, file, event, firings) => {
    const { context, at } = installWorld();
    expect(await runInstall({ agents: [name], events: [event] }, { ...context, sampleWaitMs: 0 })).toBe(0);
    expect(Object.keys(JSON.parse(readFileSync(at(file), "utf8")).hooks)).toEqual(firings);
  });

  test.each([
    ["cursor", "Notification"],
    ["grok", "stop"],
    ["codex", "agent-turn-complete"],
    ["auggie", "SubagentStop"],
    ["gemini", "SubagentStop"],
  ])("%s has no hook for %s: nothing is written that it would reject or pass over", async (name, event) => {
    const { context, home, output } = installWorld();
    const before = treeOf(home);
    expect(await runInstall({ agents: [name], events: [event] }, context)).toBe(2);
    expect(output()).toContain(`Unknown event "${event}"`);
    expect(treeOf(home)).toEqual(before);
  });

  test("an event that the agent's version does not know yet is left out, and comes with a newer one", async () => {
    const { context, at, write } = installWorld({ files: both });
    const program = (version: string) => chmodSync(write("bin/claude", `#!/bin/sh\necho ${version}`), 0o755);
    const events = () => Object.keys(JSON.parse(readFileSync(at(claude), "utf8")).hooks);
    const quick = { ...context, sampleWaitMs: 0 };
    program("2.1.77");
    expect(await runInstall({ agents: ["claude"] }, quick)).toBe(0);
    expect(events()).toEqual(["Notification", "Stop", "SubagentStop", "SessionEnd"]);
    expect(await runUpgrade({ yes: true }, quick)).toBe(0);
    expect(events()).not.toContain("StopFailure");
    program("2.1.78");
    expect(await runInstall({ agents: ["claude"] }, quick)).toBe(0);
    expect(events()).toContain("StopFailure");
  });

  test("an agent that has none of the events is left as it is", async () => {
    const { context, at, output } = installWorld({ files: both });
    await runInstall({ yes: true }, context);
    const before = readFileSync(at(droid), "utf8");
    expect(await runInstall({ yes: true, events: ["StopFailure"] }, context)).toBe(0);
    expect(readFileSync(at(droid), "utf8")).toBe(before);
    expect(readFileSync(at(claude), "utf8")).not.toContain("hook Stop ");
    expect(output()).toContain("Droid has none of these events");
  });

  test("the project scope writes below the working directory, and no path of this machine's", async () => {
    const { context, at } = installWorld({ files: both });
    expect(await runInstall({ agents: ["droid"], scope: "project" }, context)).toBe(0);
    expect(readFileSync(at("project/.factory/settings.json"), "utf8")).toContain('"~/.beckon/hook Stop');
    expect(readFileSync(at(droid), "utf8")).toBe(both[droid]);

    const paths = pathsOf(at("elsewhere"));
    const moved = { ...context, paths, cwd: at("other") };
    mkdirSync(moved.cwd);
    expect(await runInstall({ agents: ["droid"], scope: "project" }, moved)).toBe(1);
    expect(readdirSync(moved.cwd)).toEqual([]);
  });

  test("entries in a project's committed settings are told of, and stay", async () => {
    const { context, at, output } = installWorld({ files: both });
    await runInstall({ agents: ["droid"], scope: "project" }, context);
    const committed = readFileSync(at("project/.factory/settings.json"), "utf8");
    await runInstall({ agents: ["droid"] }, context);
    expect(output()).toContain("beckon uninstall --agent droid --scope project");
    expect(readFileSync(at("project/.factory/settings.json"), "utf8")).toBe(committed);
  });

  test("private entries of any project go once the user's own settings have the same, and not before", async () => {
    const { context, at, output } = installWorld({ files: both });
    const local = at("project/.claude/settings.local.json");
    const other = at("other/.claude/settings.local.json");
    mkdirSync(at("other/.claude"), { recursive: true });
    writeFileSync(other, '{ "model": "opus" }\n');
    await runInstall({ agents: ["claude"], scope: "local" }, context);
    await runInstall({ agents: ["claude"], scope: "local" }, { ...context, cwd: at("other") });
    await runInstall({ agents: ["claude"], events: ["Stop"] }, context);
    expect(readFileSync(local, "utf8")).toContain("hook Notification ");
    expect(output()).toContain("beckon uninstall --agent claude --scope local");
    await runInstall(
      { agents: ["claude"], events: ["Notification", "Stop", "StopFailure", "SubagentStop", "SessionEnd"] },
      context,
    );
    expect(existsSync(local)).toBe(false);
    expect(readFileSync(other, "utf8")).toBe('{ "model": "opus" }\n');
    expect(readFileSync(at(claude), "utf8")).toContain("hook Notification ");
  });

  test("a scope that an agent does not have: named it is wrong usage, found it is left", async () => {
    const { context, output } = installWorld({ files: { ...both, ".gemini/settings.json": "{}" } });
    expect(await runInstall({ agents: ["gemini"], scope: "local" }, context)).toBe(2);
    expect(output()).toContain("Gemini CLI has no settings of scope local. It has: user, project.");
    expect(await runInstall({ yes: true, scope: "local" }, context)).toBe(0);
    expect(output()).toContain("Gemini CLI has no settings of scope local and is left as it is.");
  });
});

describe("what is found", () => {
  const foreign = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}';

  test.each([
    { name: "an empty file", text: "{}", state: "no hooks yet" },
    { name: "hooks of others'", text: foreign, state: "1 hook of others'" },
    { name: "a broken file", text: "{", state: "not valid JSON at line 1, column 2" },
    {
      name: "a wrong shape",
      text: '{"hooks":[]}',
      state: "`hooks` at line 1, column 10 must be an object, not an array",
    },
    { name: "hooks switched off", text: '{"disableAllHooks":true}', state: "no hooks yet, switched off by" },
    { name: "comments where none may be", text: "{} // x", state: "no hooks yet, ignored for its comments" },
  ])("$name is told before anything is asked", async ({ text, state }) => {
    const { context, output } = installWorld({ files: { [claude]: text } });
    await runInstall({ dryRun: true }, context);
    expect(output()).toContain(`On this machine:\n  Claude Code    ~/${claude}  ${state}`);
  });

  test("on a narrow terminal what is known of a file stands below it, and no line is too long", async () => {
    const world = installWorld({ files: { [claude]: '{"hooks":[]}', [droid]: "{}" } });
    const found = async (columns: number) => {
      const from = world.output().length;
      await runInstall({ dryRun: true }, { ...world.context, columns });
      return world.output().slice(from).split("\n\n")[0]?.split("\n") ?? [];
    };
    expect(await found(120)).toContainEqual(
      expect.stringMatching(/^ {2}Droid +~\/\.factory\/settings\.json {2}no hooks yet$/),
    );
    const narrow = await found(80);
    expect(narrow).toContainEqual("      no hooks yet");
    expect(narrow).toContainEqual("      `hooks` at line 1, column 10 must be an object, not an array");
    expect(narrow.filter((line) => line.length > 80)).toEqual([]);
  });

  test("a read-only file, and beckon's own hooks among others'", async () => {
    const { context, output, at } = installWorld({ files: { [claude]: foreign, [droid]: "{}" } });
    await runInstall({ agents: ["claude"] }, context);
    chmodSync(at(droid), 0o444);
    await runInstall({ dryRun: true }, context);
    expect(output()).toMatch(/Claude Code .*settings\.json +beckon's hooks and 1 hook of others'$/m);
    expect(output()).toMatch(/Droid .*settings\.json +no hooks yet, read-only$/m);
  });

  test.runIf(process.getuid?.() === 0)(
    "a file of another user's is shown with what is in it, and not written",
    async () => {
      const { context, at, output } = installWorld({ files: { [claude]: foreign } });
      chownSync(at(claude), 65_534, 65_534);
      expect(await runInstall({ agents: ["claude"], dryRun: true }, context)).toBe(1);
      expect(output()).toContain("1 hook of others', another user's file");
      expect(output()).toContain("another user's file. Nothing was changed.");
    },
  );

  test("an agent whose program is there and that was never started is shown, and left alone unless chosen", async () => {
    const undo = alterAgent("droid", {
      program: { files: ["droid"], floor: { version: "2.0.0", reason: "no hooks" } },
    });
    const world = installWorld({
      files: { [claude]: "{}", "bin/droid": "#!/bin/sh\necho 1.2.3\n" },
      isInteractive: true,
    });
    chmodSync(world.at("bin/droid"), 0o755);
    expect(await runInstall({}, world.context)).toBe(0);
    expect(world.output()).toMatch(/Droid +1\.2\.3 .*not there yet: never started here/);
    expect(existsSync(world.at(".factory"))).toBe(false);
    const all = async (_: string, choices: readonly Choice[]) => choices.map(({ value }) => value);
    expect(await runInstall({}, { ...world.context, choose: all })).toBe(0);
    undo();
    expect(world.output()).toContain("Note: Droid 1.2.3 is older than 2.0.0: no hooks. Update it.");
    expect(readFileSync(world.at(droid), "utf8")).toContain("hook Stop --agent droid");
  });

  test("where no file can be edited nobody is asked which, and each is refused with its place", async () => {
    const { context, output, asked } = installWorld({ files: { [claude]: "{", [droid]: "[" }, isInteractive: true });
    expect(await runInstall({}, context)).toBe(1);
    expect(asked).toEqual([]);
    expect(output().match(/templates\/settings/g)).toHaveLength(2);
  });

  test("whoever turns away from the list changes nothing", async () => {
    const { context, home, output } = installWorld({ files: both, isInteractive: true });
    const before = treeOf(home);
    expect(await runInstall({}, { ...context, choose: async () => undefined })).toBe(1);
    expect(treeOf(home)).toEqual(before);
    expect(output()).toContain("Nothing was changed.");
  });
});

describe("settings files", () => {
  test("one that is broken is refused with its place, the other agent is served", async () => {
    const { context, output, at } = installWorld({ files: { ...both, [droid]: '{\n  "a": oops\n}' } });
    expect(await runInstall({ yes: true }, context)).toBe(1);
    expect(output()).toContain("line 2, column 8");
    expect(output()).toContain(join("templates", "settings", "droid.json"));
    expect(readFileSync(at(droid), "utf8")).toBe('{\n  "a": oops\n}');
    expect(readFileSync(at(claude), "utf8")).toContain("beckon");
  });

  test.each([
    ["droid", ".factory/settings.json", ".beckon", /droid\.json$/m],
    ["droid", ".factory/hooks.json", ".beckon", /droid\.json, what is under its `hooks`$/m],
    [
      "droid",
      ".factory/settings.json",
      "else where",
      /droid\.json, with '\/.*\/else where\/hook' for ~\/\.beckon\/hook$/m,
    ],
    ["kimi", ".kimi-code/config.toml", ".beckon", /kimi\.toml$/m],
  ])(
    "what is to be added by hand to a file of %s's that is refused fits %s, with a root in %s",
    async (name, file, root, words) => {
      const { context, at, output } = installWorld({ files: { [file]: "{ oops" } });
      const paths = pathsOf(at(root));
      expect(await runInstall({ agents: [name], dryRun: true }, { ...context, paths })).toBe(1);
      expect(output()).toMatch(words);
    },
  );

  test("Droid's hooks.json is preferred once it is there, and the older entries move", async () => {
    const { context, at } = installWorld({ files: both });
    await runInstall({ agents: ["droid"] }, context);
    writeFileSync(at(".factory/hooks.json"), '{ "PreToolUse": [] }');
    expect(await runInstall({ agents: ["droid"] }, context)).toBe(0);
    expect(Object.keys(JSON.parse(readFileSync(at(".factory/hooks.json"), "utf8")))).toContain("Stop");
    expect(readFileSync(at(droid), "utf8")).toBe(both[droid]);
  });

  test("a setting that switches hooks off, and comments that make Claude ignore the file, are told of", async () => {
    const { context, output } = installWorld({ files: { [claude]: '{ "disableAllHooks": true } // x' } });
    await runInstall({ yes: true }, context);
    expect(output()).toContain("`disableAllHooks` switches all of Claude Code's hooks off");
    expect(output()).toContain("has comments: the agent ignores the whole file");
  });

  test("a switch in a file that counts for several reasons is told of once", async () => {
    const { context, output } = installWorld({ files: { [droid]: '{ "hooksDisabled": true }' } });
    await runInstall({ yes: true, dryRun: true }, { ...context, cwd: context.home });
    expect(output().split("`hooksDisabled` switches all of Droid's hooks off")).toHaveLength(2);
  });

  test("an agent whose payloads tell that it ran another's hooks is not warned of", async () => {
    const { context, output } = installWorld({ files: { ...both, ".cursor/hooks.json": "" } });
    await runInstall({ yes: true, dryRun: true }, context);
    expect(output()).toContain("+++ ");
    expect(output()).not.toContain("twice");
  });

  test("an agent that also runs the hooks of another that is chosen with it is told of", async () => {
    const undo = alterAgent("droid", { alsoRuns: [{ agent: "claude", scopes: ["user"] }] });
    const { context, output } = installWorld({ files: both });
    const note = "Droid also runs the hooks of Claude Code: its events may come in twice.";
    await runInstall({ agents: ["droid"], dryRun: true }, context);
    expect(output()).not.toContain(note);
    await runInstall({ yes: true, dryRun: true }, context);
    undo();
    expect(output()).toContain(note);
  });

  test("hooks in a second file of Codex's are told of, its memory of trust is not", async () => {
    const config = ".codex/config.toml";
    const trust = '[hooks.state."x"]\ntrusted_hash = "sha256:ab"\n';
    const { context, at, output } = installWorld({ files: { [config]: trust } });
    await runInstall({ agents: ["codex"], dryRun: true }, context);
    expect(output()).not.toContain("holds hooks too");
    writeFileSync(at(config), `${trust}[[hooks.Stop]]\n`);
    await runInstall({ agents: ["codex"], dryRun: true }, context);
    expect(output()).toContain("config.toml holds hooks too. Codex runs the hooks of both files");
  });

  test("an agent that writes its old settings back is told of", async () => {
    const world = installWorld({ files: both });
    const hook = join(world.packageRoot, "dist", "hooks", "hook.sh");
    writeFileSync(hook, `#!/bin/sh\nprintf '{}' >'${world.at(droid)}'\n`);
    const context = { ...world.context, sampleWaitMs: 100 };
    expect(await runInstall({ agents: ["droid"] }, context)).toBe(1);
    expect(world.output()).toContain("are gone from it");
  });
});

describe("the root", () => {
  test("a root with odd characters is quoted, and its hook runs", async () => {
    const world = installWorld({ files: both });
    const paths = pathsOf(join(world.home, "it's $HOME `x` ü"));
    const context = { ...world.context, paths, env: { ...world.context.env, BECKON_HOME: paths.root } };
    expect(await runInstall({ agents: ["droid"] }, context)).toBe(0);
    expect(world.output()).toMatch(/desk {2}sent/);
    expect(await runInstall({ agents: ["droid"] }, context)).toBe(0);
    expect(world.output()).toContain("has everything");
  });

  test.each([[""], [".."]])("home/%s is no root", async (path) => {
    const world = installWorld({ files: both });
    const context = { ...world.context, paths: pathsOf(join(world.home, path)) };
    expect(await runInstall({ yes: true }, context)).toBe(1);
    expect(world.output()).toContain("needs a folder of its own");
    expect(readFileSync(world.at(droid), "utf8")).toBe(both[droid]);
  });

  test("a root that cannot be made is told of, and no settings file changes", async () => {
    const world = installWorld({ files: { ...both, file: "" } });
    const context = { ...world.context, paths: pathsOf(world.at("file/root")) };
    expect(await runInstall({ yes: true }, context)).toBe(1);
    expect(world.output()).toContain("ENOTDIR");
    expect(readFileSync(world.at(droid), "utf8")).toBe(both[droid]);
  });

  test("a package that was not built changes nothing", async () => {
    const world = installWorld({ files: both });
    const context = { ...world.context, packageRoot: dirname(world.packageRoot) };
    expect(await runInstall({ yes: true }, context)).toBe(1);
    expect(world.output()).toContain("npm run build");
    expect(existsSync(context.paths.root)).toBe(false);
  });
});
