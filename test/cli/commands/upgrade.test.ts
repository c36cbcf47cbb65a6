import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { InstallOptions } from "../../../src/cli/commands/install/context.ts";
import { runInstall } from "../../../src/cli/commands/install/install.ts";
import { runUninstall } from "../../../src/cli/commands/uninstall.ts";
import { runUpgrade } from "../../../src/cli/commands/upgrade.ts";
import { agentsWith } from "../../world/agents-with.ts";
import { recordNode } from "../../world/home.ts";
import { both, claude, droid, installWorld, listTree, readExitCode } from "../../world/install-world.ts";
import { readOutput } from "../../world/json-output.ts";

/** Creates a machine with 1.2.0 installed, and the package of 1.3.0. */
async function world(options: InstallOptions = { yes: true }) {
  const made = installWorld({ files: both });
  await runInstall(options, made.context);
  const path = join(made.packageRoot, "package.json");
  const packAs = (version: string) => writeFileSync(path, JSON.stringify({ name: "beckon", version }));
  packAs("1.3.0");
  writeFileSync(join(made.packageRoot, "dist", "cli.js"), "// new");
  const read = (file: string) => readFileSync(made.at(file), "utf8");
  /** Rewrites a settings file as an older version, a user or an agent may have left it. */
  const edit = (file: string, from: string | RegExp, to: string) =>
    writeFileSync(made.at(file), read(file).replaceAll(from, to));
  const installed = () => JSON.parse(read(".beckon/app/package.json")).version as string;
  return { ...made, packAs, read, edit, installed };
}

/** Returns the replacement that turns entries into those of an earlier version, with the launcher's absolute path. */
const older = (home: string) => [/~\/\.beckon\/hook/g, `${home}/.beckon/hook`] as const;

describe("upgrade", () => {
  test("prints the old and new version, replaces the toolkit, and keeps configuration and journal", async () => {
    const { context, output, at, read, installed } = await world();
    writeFileSync(at(".beckon/config.jsonc"), '{ "mine": 1 }');
    const journal = readdirSync(at(".beckon/journal"));
    expect(await runUpgrade({}, context)).toBe(0);
    expect(output()).toContain("beckon 1.2.0 → 1.3.0");
    expect(installed()).toBe("1.3.0");
    expect(read(".beckon/app/dist/cli.js")).toBe("// new");
    expect(read(".beckon/config.jsonc")).toBe('{ "mine": 1 }');
    expect(readdirSync(at(".beckon/journal"))).toEqual(journal);
  });

  test("entries of an older form are updated in every recorded agent, scope and project", async () => {
    const { context, at, home, read, edit, inProject } = await world();
    await runInstall({ agents: ["droid"], scope: "project" }, context);
    await runInstall({ agents: ["claude"], scope: "local", events: ["Stop", "PermissionRequest"] }, context);
    const files = [droid, claude, "project/.factory/settings.json", "project/.claude/settings.local.json"];
    const wanted = files.map(read);
    for (const file of files) edit(file, ...older(home));
    mkdirSync(at("elsewhere"));
    expect(await runUpgrade({ yes: true }, inProject("elsewhere"))).toBe(0);
    expect(files.map(read)).toEqual(wanted);
    expect(readdirSync(at("elsewhere"))).toEqual([]);
  });

  test("private project entries that only repeat the user's own are removed", async () => {
    const { context, at, read, inProject } = await world();
    await runInstall({ agents: ["claude"], scope: "local" }, context);
    const wanted = read(claude);
    mkdirSync(at("elsewhere"));
    expect(await runUpgrade({ yes: true }, inProject("elsewhere"))).toBe(0);
    expect(existsSync(at("project/.claude/settings.local.json"))).toBe(false);
    expect(read(claude)).toBe(wanted);
  });

  test("a user's timeout, matcher and position stay", async () => {
    const { context, home, read, edit } = await world();
    edit(claude, '"timeout":3', '"timeout":40');
    edit(claude, '"Stop":[{', '"Stop":[{"hooks":[{"type":"command","command":"say done"}]},{"matcher":"x",');
    const wanted = read(claude);
    edit(claude, ...older(home));
    expect(wanted).toContain('"timeout":40');
    expect(await runUpgrade({ yes: true }, context)).toBe(0);
    expect(read(claude)).toBe(wanted);
  });

  test("chosen events and the wait stay chosen", async () => {
    const { context, home, read, edit } = await world({ agents: ["droid"], events: ["Stop"], waitSeconds: 9 });
    const wanted = read(droid);
    edit(droid, ...older(home));
    expect(await runUpgrade({ yes: true }, context)).toBe(0);
    expect(read(droid)).toBe(wanted);
    expect(wanted).toContain("Stop --agent droid --wait 9 || :");
  });

  test("chosen events and the wait move along if the agent now prefers another file", async () => {
    const { context, at, read } = await world({ agents: ["droid"], events: ["Stop"], waitSeconds: 9 });
    writeFileSync(at(".factory/hooks.json"), '{ "PreToolUse": [] }');
    expect(await runUpgrade({ yes: true }, context)).toBe(0);
    expect(read(droid)).toBe(both[droid]);
    expect(Object.keys(JSON.parse(read(".factory/hooks.json")))).toEqual(["PreToolUse", "Stop"]);
    expect(read(".factory/hooks.json")).toContain("--wait 9");
  });

  test("chosen events move along in other projects than the working directory, too", async () => {
    const { context, at, read, inProject } = await world();
    await runInstall({ agents: ["droid"], scope: "project" }, context);
    writeFileSync(at("project/.factory/hooks.json"), "{}");
    expect(await runUpgrade({ yes: true }, inProject("."))).toBe(0);
    expect(Object.keys(JSON.parse(read("project/.factory/hooks.json")))).toContain("Stop");
    expect(existsSync(at("project/.factory/settings.json"))).toBe(false);
  });

  test("two files of one agent with beckon hooks become one, in one plan", async () => {
    const { context, at, read } = await world();
    const { hooks } = JSON.parse(read(droid).replace("// mine", ""));
    writeFileSync(at(".factory/hooks.json"), JSON.stringify(hooks));
    const lines: string[] = [];
    const quiet = { ...context, print: (text: string) => void lines.push(text) };
    expect(await runUpgrade({ yes: true, json: true }, quiet)).toBe(0);
    expect(JSON.parse(lines[0] ?? "").files.map(({ agent }: { agent: string }) => agent)).toHaveLength(2);
    expect(read(droid)).toBe(both[droid]);
    expect(Object.keys(JSON.parse(read(".factory/hooks.json")))).toEqual(Object.keys(hooks));
  });

  test("a newly registered event is added unless the user chose the events", async () => {
    const { context, read } = await world({ agents: ["droid"] });
    const earlier = { Notification: 5, Stop: 5, SessionEnd: 3 };
    const before = { ...context, agents: agentsWith("claude", { defaultEvents: earlier }) };
    await runInstall({ agents: ["claude"] }, before);
    await runInstall({ agents: ["claude"], scope: "local", events: ["PermissionRequest"] }, before);
    const { hooks } = JSON.parse(read(claude));
    expect(await runUpgrade({ yes: true }, context)).toBe(0);
    const prompt = { hooks: [{ command: expect.stringMatching(/ UserPromptSubmit /) }] };
    expect(JSON.parse(read(claude)).hooks).toMatchObject({ ...hooks, UserPromptSubmit: [prompt] });
    expect(Object.keys(JSON.parse(read("project/.claude/settings.local.json")).hooks)).toEqual(["PermissionRequest"]);
  });

  test("an event that the user removed by hand stays out, also the next time", async () => {
    const { context, at, read, home, edit } = await world();
    const settings = JSON.parse(read(claude));
    delete settings.hooks.SubagentStop;
    writeFileSync(at(claude), JSON.stringify(settings));
    for (let round = 0; round < 2; round += 1) {
      edit(claude, ...older(home));
      expect(await runUpgrade({ yes: true }, context)).toBe(0);
      const names = ["UserPromptSubmit", "Notification", "Elicitation", "Stop", "StopFailure", "SessionEnd"];
      expect(Object.keys(JSON.parse(read(claude)).hooks)).toEqual(names);
    }
  });

  test("files without hooks, and missing files, are left alone", async () => {
    const { context, at, read, output } = await world();
    writeFileSync(at(claude), "{}");
    rmSync(at(droid));
    expect(await runUpgrade({ yes: true }, context)).toBe(0);
    expect(read(claude)).toBe("{}");
    expect(existsSync(at(droid))).toBe(false);
    expect(output()).toContain("settings.json (droid): the file no longer exists; left unchanged.");
    expect(output()).toContain("settings.json (claude): it no longer has beckon's hooks; left unchanged.");
  });

  test("a broken file is refused with its position, and the rest is done", async () => {
    const { context, at, read, output, home, edit, installed } = await world();
    const wanted = read(claude);
    edit(claude, ...older(home));
    writeFileSync(at(droid), "{\n oops");
    expect(await runUpgrade({ yes: true }, context)).toBe(1);
    expect(output()).toContain("not valid JSON at line 2");
    expect(read(droid)).toBe("{\n oops");
    expect([read(claude), installed()]).toEqual([wanted, "1.3.0"]);
  });

  test("a later uninstall restores every file byte for byte", async () => {
    const { context, home, read, edit } = await world();
    for (const file of [droid, claude]) edit(file, ...older(home));
    await runUpgrade({ yes: true }, context);
    expect(await runUninstall({ yes: true }, context)).toBe(0);
    expect([read(droid), read(claude)]).toEqual([both[droid], both[claude]]);
  });

  test("an upgrade from the installed toolkit itself renews the recorded Node and the launcher", async () => {
    const { context, at } = await world();
    recordNode(context.paths, "/gone/node");
    rmSync(at(".beckon/hook"));
    expect(await runUpgrade({}, { ...context, packageRoot: context.paths.app })).toBe(0);
    expect(readlinkSync(context.paths.nodeLink)).not.toBe("/gone/node");
    expect(statSync(at(".beckon/hook")).mode & 0o777).toBe(0o755);
  });
});

describe("nothing is changed", () => {
  test("by a dry run, which shows the changes, with --diff line by line", async () => {
    const { context, home, output, edit } = await world();
    edit(droid, ...older(home));
    const before = listTree(home);
    expect(await runUpgrade({ dryRun: true, yes: true }, context)).toBe(0);
    expect(listTree(home)).toEqual(before);
    expect(output()).toMatch(/Droid +\d+ hooks updated/);
    const removed = `-            "command": "${home}/.beckon/hook Stop --agent droid || :"`;
    expect(output()).not.toContain(removed);
    await runUpgrade({ dryRun: true, yes: true, diff: true }, context);
    expect(output()).toContain(removed);
  });

  test.each([
    { name: "without a terminal", isInteractive: false, words: "--yes" },
    { name: "when the user says no", isInteractive: true, words: "Nothing was changed" },
  ])("$name", async ({ isInteractive, words }) => {
    const { context, home, output, edit } = await world();
    edit(droid, ...older(home));
    const before = listTree(home);
    expect(await runUpgrade({}, { ...context, isInteractive, pressKey: async () => "n" })).toBe(1);
    expect(listTree(home)).toEqual(before);
    expect(output()).toContain(words);
  });

  test("by an older version, which still says how to go back", async () => {
    const { context, home, output, packAs } = await world();
    packAs("1.1.9");
    const before = listTree(home);
    expect(await readExitCode(runUpgrade({ yes: true }, context), context)).toBe(1);
    expect(listTree(home)).toEqual(before);
    expect(output()).toMatch(
      /1\.2\.0 is installed, which is newer than this version \(1\.1\.9\)\n.*: node \S+cli\.js install/,
    );
  });

  test("if beckon is not installed", async () => {
    const { context, output } = installWorld({ files: both });
    expect(await readExitCode(runUpgrade({ yes: true }, context), context)).toBe(1);
    expect(output()).toContain("not installed");
    expect(existsSync(context.paths.root)).toBe(false);
  });
});

test("--json is one object and nothing else", async () => {
  const { context, at, home, edit } = await world();
  edit(droid, ...older(home));
  const lines: string[] = [];
  const quiet = { ...context, print: (text: string) => void lines.push(text) };
  expect(await runUpgrade({ json: true, yes: true }, quiet)).toBe(0);
  const files = expect.arrayContaining([
    { agent: "droid", scope: "user", path: at(droid), result: "updated" },
    { agent: "claude", scope: "user", path: at(claude), result: "current" },
  ]);
  expect(readOutput("upgrade", lines.join("\n"))).toEqual([{ from: "1.2.0", to: "1.3.0", done: true, files }]);
});
