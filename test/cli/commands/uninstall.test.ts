import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../../src/cli/commands/install/install.ts";
import { runUninstall } from "../../../src/cli/commands/uninstall.ts";
import { resolvePaths } from "../../../src/files/paths.ts";
import { both, claude, droid, installWorld, listTree, readExitCode } from "../../world/install-world.ts";
import { readOutput } from "../../world/json-output.ts";

async function installed() {
  const world = installWorld({ files: both });
  await runInstall({ yes: true }, world.context);
  return world;
}

test("every settings file is restored byte for byte; beckon's own folder stays, and is named", async () => {
  const { context, at, output } = await installed();
  expect(await runUninstall({ yes: true }, context)).toBe(0);
  for (const [path, text] of Object.entries(both)) expect(readFileSync(at(path), "utf8")).toBe(text);
  expect(existsSync(context.paths.config)).toBe(true);
  expect(output()).toMatch(/^Kept: ~\/\.beckon\. To delete everything: beckon uninstall --purge$/m);
});

test("a relative BECKON_HOME is refused, since the home that would be deleted is another one", async () => {
  const { context } = installWorld({ files: {} });
  const environment = { ...context.environment, env: { ...context.environment.env, BECKON_HOME: "b2" } };
  const ended = runUninstall({ yes: true, purge: true }, { ...context, environment });
  await expect(ended).rejects.toThrow(/BECKON_HOME is b2, which is not an absolute path/);
});

test("a second home takes over the hooks, and each home removes only its own", async () => {
  const { context, at, output, write } = installWorld({ files: { ".claude/mine": "" } });
  const asked = { agents: ["claude"], projects: ["~/code/**"] };
  write(".beckon/config.jsonc", JSON.stringify({ answers: asked }));
  expect(await runInstall({ agents: ["claude"] }, context)).toBe(0);
  const second = { ...context, paths: resolvePaths(at("second")) };
  expect(await runInstall({ agents: ["claude"] }, second)).toBe(0);
  const settings = readFileSync(at(claude), "utf8");
  expect(settings).toContain("/second/hook Stop --agent claude");
  expect(settings).not.toContain("/.beckon/hook");
  expect(output()).toContain("Note: The hooks called ~/.beckon so far, ");
  expect(await runUninstall({ yes: true }, context)).toBe(0);
  expect(readFileSync(at(claude), "utf8")).toBe(settings);
  expect(await runUninstall({ yes: true, purge: true }, second)).toBe(0);
  expect(output()).toMatch(/To let the hooks call .*\.beckon instead: BECKON_HOME=\S+ \S+ install\n/);
  expect([claude, "second", ".beckon/config.jsonc"].filter((path) => existsSync(at(path)))).toEqual([
    ".beckon/config.jsonc",
  ]);
});

test("only the named agent or scope is removed", async () => {
  const { context, at } = await installed();
  await runInstall({ agents: ["claude"], scope: "local" }, context);
  expect(await runUninstall({ agents: ["claude"], scope: "local" }, context)).toBe(0);
  expect(existsSync(at("project/.claude"))).toBe(false);
  expect(await runUninstall({ agents: ["droid"] }, context)).toBe(0);
  expect(readFileSync(at(droid), "utf8")).toBe(both[droid]);
  expect(readFileSync(at(claude), "utf8")).toContain("beckon");
});

test("a project other than the working directory is found by its record", async () => {
  const { context, at, inProject } = await installed();
  await runInstall({ agents: ["droid"], scope: "project" }, context);
  expect(await runUninstall({ yes: true }, inProject("."))).toBe(0);
  expect(existsSync(at("project/.factory"))).toBe(false);
});

test("entries are found without any record", async () => {
  const { context, at } = await installed();
  rmSync(join(context.paths.state, "installs"), { recursive: true });
  expect(await runUninstall({ yes: true }, context)).toBe(0);
  for (const [path, text] of Object.entries(both)) expect(readFileSync(at(path), "utf8")).toBe(text);
});

test("a dry run shows the removals and writes nothing", async () => {
  const { context, at, output } = await installed();
  const before = readFileSync(at(droid), "utf8");
  expect(await runUninstall({ dryRun: true, purge: true }, context)).toBe(0);
  expect(readFileSync(at(droid), "utf8")).toBe(before);
  expect(output()).toMatch(/Droid +-\d+ hooks/);
  expect(output()).toMatch(/Would delete from ~\/\.beckon: app, config\.jsonc, .*, spool, state\nDry run: nothing/);
  expect(output()).not.toContain("--- ");
});

test("--diff shows each line, with the home folder as ~", async () => {
  const { context, output } = await installed();
  await runUninstall({ dryRun: true, diff: true }, context);
  expect(output()).toContain("--- ~/.factory/settings.json\n+++ ~/.factory/settings.json\n");
  expect(output()).toContain('-            "command": "~/.beckon/hook Stop --agent droid || :"');
});

test("--json without --yes says what would be removed, and exits with 1", async () => {
  const { context, output, at } = await installed();
  const from = output().length;
  expect(await runUninstall({ json: true, purge: true }, context)).toBe(1);
  expect(readOutput("uninstall", output().slice(from + 1))).toEqual([
    {
      done: false,
      files: [
        { agent: "claude", path: at(claude), result: "would-remove" },
        { agent: "droid", path: at(droid), result: "would-remove" },
      ],
      folder: "would-remove",
    },
  ]);
});

test("a file broken since then is refused, and beckon's folder is not purged", async () => {
  const { context, at, output } = await installed();
  writeFileSync(at(droid), "{ oops");
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(1);
  expect(readFileSync(at(droid), "utf8")).toBe("{ oops");
  expect(readFileSync(at(claude), "utf8")).toBe(both[claude]);
  expect(output()).toContain("line 1");
  expect(existsSync(context.paths.launcher)).toBe(true);
});

test("--purge removes all beckon files, with saved secrets and what a killed installer left half-written", async () => {
  const { context, write } = await installed();
  for (const name of ["hook", "config.schema.json", "config.jsonc"]) write(`.beckon/${name}.0123456789abcdef.tmp`, "");
  write(".beckon/secrets/slack-url", "https://example.org/canary");
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(0);
  expect(existsSync(context.paths.root)).toBe(false);
});

test("--purge leaves foreign files", async () => {
  const { context } = await installed();
  writeFileSync(join(context.paths.root, "diary.txt"), "");
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(1);
  expect(readdirSync(context.paths.root)).toEqual(["diary.txt"]);
});

test("--purge does not touch a foreign folder", async () => {
  const world = installWorld();
  for (const name of ["state", "hook", "app"]) mkdirSync(join(world.context.paths.root, name), { recursive: true });
  expect(await runUninstall({ purge: true, yes: true }, world.context)).toBe(1);
  expect(readdirSync(world.context.paths.root)).toEqual(["app", "hook", "state"]);
});

test("--purge keeps the folder as long as another agent needs it", async () => {
  const { context, output } = await installed();
  expect(await runUninstall({ agents: ["droid"], purge: true, yes: true }, context)).toBe(1);
  expect(output()).toContain(claude);
  expect(existsSync(context.paths.launcher)).toBe(true);
});

test("on a terminal it lists the removals and asks; without one, or with no, it changes nothing", async () => {
  const { context, home, output, asked } = await installed();
  const before = listTree(home);
  const terminal = { ...context, isInteractive: true };
  expect(await runUninstall({}, { ...terminal, pressKey: async () => "n" })).toBe(1);
  expect(output()).toMatch(/Changes:\n {2}Claude Code +-7 hooks +~\/\.claude\/settings\.json\n {2}Droid +-5 hooks/);
  expect(await runUninstall({}, context)).toBe(1);
  expect(output()).toContain("there is no terminal to ask on. Run this with --yes, or name the agents with --agent.");
  expect(listTree(home)).toEqual(before);
  expect(await runUninstall({}, terminal)).toBe(0);
  expect(asked).toEqual(["Remove beckon's hooks from these 2 files?"]);
});

test("--purge asks again on a terminal, where Enter means no, and needs --yes without one", async () => {
  const { context, output } = await installed();
  const enter = async (_: string, usual: boolean): Promise<boolean> => usual;
  expect(await runUninstall({ purge: true }, { ...context, isInteractive: true, confirm: enter })).toBe(1);
  expect(await runUninstall({ agents: ["droid"], purge: true }, context)).toBe(1);
  expect(output()).toContain("Kept ~/.beckon, because there is no terminal to ask on. Use --yes to delete it.");
  expect(existsSync(context.paths.launcher)).toBe(true);
});

test("--json is one object with the outcome of each file and of beckon's folder", async () => {
  const { context, output, at } = await installed();
  writeFileSync(at(droid), "{ oops");
  const from = output().length;
  expect(await runUninstall({ json: true, yes: true }, context)).toBe(1);
  expect(JSON.parse(output().slice(from))).toEqual({
    done: false,
    files: [
      { agent: "droid", path: at(droid), result: "refused", message: expect.stringContaining("line 1") },
      { agent: "claude", path: at(claude), result: "removed" },
    ],
    folder: "kept",
  });
});

test("without any entry nothing changes", async () => {
  const { context, output } = installWorld({ files: both });
  expect(await runUninstall({ yes: true }, context)).toBe(0);
  expect(output()).toContain("No settings files contain hooks of ~/.beckon.");
  expect(await readExitCode(runUninstall({ agents: ["nope"] }, context), context)).toBe(2);
});

test("a plugin is left to its agent, with removal instructions", async () => {
  const { context, at, output } = await installed();
  const [extension] = [at(".gemini/extensions/beckon")];
  mkdirSync(extension, { recursive: true });
  writeFileSync(join(extension, "gemini-extension.json"), "{}");
  expect(await runUninstall({ agents: ["claude"], yes: true }, context)).toBe(0);
  expect(output()).not.toContain("extension");
  expect(await runUninstall({ yes: true, purge: true }, context)).toBe(0);
  const line = "Gemini CLI still has beckon's extension, which would set beckon up again.";
  expect(output().replaceAll(/\s+/g, " ")).toContain(`${line} To remove it: gemini extensions uninstall beckon`);
});
