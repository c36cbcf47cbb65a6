import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { both, claude, droid, installWorld, listTree, recordingLauncher } from "../../../world/install-world.ts";
import { readOutput } from "../../../world/json-output.ts";

describe("install", () => {
  test("finds agents, sums up changes, writes, sends an event through the hook, says what is left", async () => {
    const { context, output, at } = installWorld({ files: both });
    expect(await runInstall({ yes: true }, context)).toBe(0);
    expect(readFileSync(at(droid), "utf8")).toContain('"~/.beckon/hook Stop --agent droid || :"');
    expect(readFileSync(at(claude), "utf8")).toContain('"~/.beckon/hook SubagentStop --agent claude || :"');
    expect(output()).toMatch(/Changes:\n {2}Claude Code +\+7 hooks +~\/\.claude\/settings\.json\n {2}Droid +\+5 hooks/);
    expect(output()).not.toContain("@@");
    expect(output()).toMatch(/desk {2}sent {2}12 ms {2}Notification --agent claude/);
    expect(output()).toContain("Droid: Restart running Droid sessions");
    expect(output()).toContain("\n  Claude Code holds back all hooks");
  });

  test("Grok needs trust after an install into a project, not into the user's settings", async () => {
    const { context, output } = installWorld({ files: { ".grok/config.toml": "" } });
    expect(await runInstall({ agents: ["grok"], yes: true }, context)).toBe(0);
    expect(output()).not.toContain("hooks-trust");
    expect(await runInstall({ agents: ["grok"], scope: "project", yes: true }, context)).toBe(0);
    expect(output()).toContain("Grok Build: Grok runs a project's hooks only once you have trusted them");
  });

  test("the list of agents names the hook and agent that switch Kimi's hooks off", async () => {
    const files = { ".kimi-code/config.toml": '[[hooks]]\nevent = "AfterTurn"\ncommand = "say done"\n' };
    const { context, output } = installWorld({ files });
    expect(await runInstall({ yes: true }, context)).toBe(0);
    expect(output()).toContain("1 other hook, disabled by a hook for the unknown event AfterTurn");
  });

  test("the toolkit, launcher and folders are private and complete", async () => {
    const { context, at, packageRoot } = installWorld({ files: both });
    await runInstall({ yes: true }, context);
    const readMode = (path: string) => (statSync(at(path)).mode & 0o777).toString(8);
    const folders = " /app /app/dist /spool /spool/tmp /spool/new /spool/cur /spool/dead /journal /state".split(" ");
    expect(folders.filter((folder) => readMode(`.beckon${folder}`) !== "700")).toEqual([]);
    expect(readMode(".beckon/hook")).toBe("755");
    const files = ["config.jsonc", "config.schema.json", "app/node", "app/package.json", "app/dist/cli.js"];
    expect(files.filter((file) => readMode(`.beckon/${file}`) !== "600")).toEqual([]);
    expect(readFileSync(at(".beckon/app/node"), "utf8")).toBe(`${realpathSync(process.execPath)}\n`);
    expect(readlinkSync(at(".beckon/app/bin/node"))).toBe(realpathSync(process.execPath));
    expect(readFileSync(at(".beckon/hook"))).toEqual(readFileSync(join(packageRoot, "dist/hooks/hook.sh")));
    const names = readdirSync(at(".beckon")).map((name) => name.replace(/-[0-9a-f]{12}$/, "-copy"));
    const expected = "app app-copy config.jsonc config.schema.json hook journal spool state".split(" ");
    expect(names.sort()).toEqual(expected);
  });

  test("a second run changes no settings file, keeps the configuration and renews the toolkit", async () => {
    const { context, at, packageRoot, output } = installWorld({ files: both });
    await runInstall({ yes: true }, context);
    const before = listTree(at(".factory"));
    writeFileSync(at(".beckon/config.jsonc"), '{ "mine": 1 }');
    writeFileSync(join(packageRoot, "dist", "cli.js"), "new");
    expect(output().match(/Next steps/g)).toHaveLength(1);
    expect(await runInstall({}, context)).toBe(0);
    expect(output().match(/Next steps/g)).toHaveLength(1);
    expect(listTree(at(".factory"))).toEqual(before);
    expect(readFileSync(at(".beckon/config.jsonc"), "utf8")).toBe('{ "mine": 1 }');
    expect(readFileSync(at(".beckon/app/dist/cli.js"), "utf8")).toBe("new");
    expect(output()).toMatch(/Droid +up to date/);
    expect(output().match(/desk {2}sent/g)).toHaveLength(1); // no second sample without changes
    expect(output()).toContain("no sample event was sent");
    expect(readdirSync(at(".beckon")).filter((name) => name.startsWith("app"))).toHaveLength(3);
  });

  test("a dry run writes nothing at all", async () => {
    const { context, home, output } = installWorld({ files: both });
    const before = listTree(home);
    expect(await runInstall({ dryRun: true, yes: true }, context)).toBe(0);
    expect(listTree(home)).toEqual(before);
    expect(existsSync(context.paths.root)).toBe(false);
    expect(output()).toMatch(/Droid +\+5 hooks/);
    expect(output()).not.toContain("+++ ");
    await runInstall({ dryRun: true, diff: true }, context);
    expect(output()).toContain("+++ ~/.factory/settings.json\n");
    expect(output()).toContain('+            "command": "~/.beckon/hook Stop --agent droid || :"');
  });

  test("a dry run with --json says what would be updated", async () => {
    const { context, at, output } = installWorld({ files: both });
    expect(await runInstall({ dryRun: true, json: true, agents: ["droid"] }, context)).toBe(0);
    const files = [{ agent: "droid", path: at(droid), result: "would-update" }];
    expect(readOutput("install", output())).toMatchObject([{ done: false, files }]);
  });

  test("without an agent the toolkit is still set up and tested", async () => {
    const { context, output, at } = installWorld();
    expect(await runInstall({}, context)).toBe(0);
    expect(output()).toContain("No agent has been used");
    expect(output()).toMatch(/desk {2}sent {2}12 ms {2}Notification\n/);
    expect(existsSync(at(".factory"))).toBe(false);
  });

  test("a named agent is set up although its folder is missing", async () => {
    const { context, at } = installWorld();
    expect(await runInstall({ agents: ["claude"] }, context)).toBe(0);
    expect(statSync(at(".claude")).mode & 0o777).toBe(0o700);
    expect(statSync(at(claude)).mode & 0o777).toBe(0o600);
  });

  test("a sample that does not arrive is reported without a failure", async () => {
    const { context, output, packageRoot } = installWorld({ files: both, sampleWaitMs: 200 });
    writeFileSync(join(packageRoot, "dist", "hooks", "hook.sh"), "#!/bin/sh\nexit 3\n");
    expect(await runInstall({ yes: true }, context)).toBe(0);
    expect(output()).toContain("Not delivered within 0.2 s");
  });

  const noDesktop = { status: "skipped", reason: "unsupported: there is no session bus" };
  const noPlayer = { status: "skipped", reason: "unsupported: no player" };
  test.each([
    { outcomes: [noDesktop, noPlayer], isHelped: true },
    { outcomes: [noDesktop, { status: "sent", reason: "delivered" }], isHelped: false },
    { outcomes: [{ status: "skipped", reason: "snoozed" }], isHelped: false },
    { outcomes: [{ status: "failed", reason: "auth: answered 401" }], isHelped: false },
    { outcomes: [{ status: "failed", reason: "unavailable: no daemon" }], isHelped: true },
  ])("`config add` is recommended only if no notifier works: $outcomes", async ({ outcomes, isHelped }) => {
    // A notifier that can work on every machine.
    const config = JSON.stringify({ notifiers: { desk: { type: "command", run: ["true"] } } });
    const { context, output, packageRoot } = installWorld({ files: { ...both, ".beckon/config.jsonc": config } });
    writeFileSync(join(packageRoot, "dist", "hooks", "hook.sh"), recordingLauncher(...outcomes));
    expect(await runInstall({ yes: true }, context)).toBe(0);
    for (const { status, reason } of outcomes)
      expect(output()).toMatch(new RegExp(`desk +${status} +12 ms +${reason}`));
    expect(output().trimEnd().endsWith("~/.beckon/app/dist/cli.js config add")).toBe(isHelped);
    expect(output().includes("dist/cli.js config add terminal --alone\n")).toBe(isHelped);
    // One notifier works, and another does not.
    expect(output().includes("config remove desk\n")).toBe(outcomes.length === 2 && !isHelped);
  });

  const terminal = { terminal: { type: "terminal" } };
  const defaults = { desk: { type: "desktop" }, chime: { type: "sound" } };
  const show = "Show notifications in the agent's terminal? This needs no desktop and works over SSH.";
  test.each([
    { isWanted: true, entries: { ...defaults, ...terminal } },
    { isWanted: false, entries: undefined },
  ])("where no notifier works, the user is offered the agent's terminal instead: $isWanted", async (row) => {
    const asked: string[] = [];
    const confirm = async (next: string) => {
      asked.push(next);
      return row.isWanted && next === show;
    };
    const { context, output, packageRoot, at } = installWorld({ files: both, isInteractive: true, confirm });
    writeFileSync(join(packageRoot, "dist", "hooks", "hook.sh"), recordingLauncher(noDesktop, noPlayer));
    expect(await runInstall({}, context)).toBe(0);
    const written = JSON.parse(readFileSync(at(".beckon/config.jsonc"), "utf8")) as { notifiers?: object };
    expect(written.notifiers).toEqual(row.entries);
    expect(asked.slice(-2)).toEqual([show, "Get notifications on your phone too? It takes two minutes."]);
    expect(output()).not.toMatch(/config add \w/);
    expect(output().includes("config remove desk")).toBe(row.isWanted);
  });
});

describe("confirmation", () => {
  test("is requested on a terminal, for a named agent only before the changes", async () => {
    const { context, asked } = installWorld({ files: both, isInteractive: true });
    expect(await runInstall({}, context)).toBe(0);
    expect(asked.slice(0, 2)).toEqual(["Which agents should notify you?", "Make these changes to 2 agents?"]);
    const named = installWorld({ files: both, isInteractive: true, pressKey: async () => "n" });
    expect(await runInstall({ agents: ["droid"] }, named.context)).toBe(1);
    expect([named.asked, existsSync(named.context.paths.app)]).toEqual([[], false]);
  });

  test("without a terminal needs named agents, --yes or --unattended", async () => {
    const { context, home, output } = installWorld({ files: both });
    const before = listTree(home);
    expect(await runInstall({}, context)).toBe(1);
    expect(listTree(home)).toEqual(before);
    expect(output()).toContain("there is no terminal to ask on");
    expect(await runInstall({ agents: ["droid"] }, context)).toBe(0);
    expect(readFileSync(join(home, claude), "utf8")).toBe(both[claude]);
    expect(await runInstall({ unattended: true }, context)).toBe(0);
    expect(readFileSync(join(home, claude), "utf8")).toContain("beckon");
  });

  test("on a terminal is the same with --unattended", async () => {
    const { context, asked, output } = installWorld({ files: both, isInteractive: true });
    expect(await runInstall({ unattended: true }, context)).toBe(0);
    expect(asked.slice(0, 2)).toEqual(["Which agents should notify you?", "Make these changes to 2 agents?"]);
    expect(output()).not.toContain("To undo");
  });
});
