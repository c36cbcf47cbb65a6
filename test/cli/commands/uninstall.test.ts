import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInstall } from "../../../src/cli/commands/install/install.ts";
import { runUninstall } from "../../../src/cli/commands/uninstall.ts";
import { both, claude, droid, exitCodeOf, installWorld } from "../../helpers/install-world.ts";

async function installed() {
  const world = installWorld({ files: both });
  await runInstall({ yes: true }, world.context);
  return world;
}

test("every settings file gets its bytes back; beckon's own folder stays", async () => {
  const { context, at } = await installed();
  expect(await runUninstall({}, context)).toBe(0);
  for (const [path, text] of Object.entries(both)) expect(readFileSync(at(path), "utf8")).toBe(text);
  expect(existsSync(context.paths.config)).toBe(true);
});

test("only the named agent, or scope, is removed", async () => {
  const { context, at } = await installed();
  await runInstall({ agents: ["claude"], scope: "local" }, context);
  expect(await runUninstall({ agents: ["claude"], scope: "local" }, context)).toBe(0);
  expect(existsSync(at("project/.claude"))).toBe(false);
  expect(await runUninstall({ agents: ["droid"] }, context)).toBe(0);
  expect(readFileSync(at(droid), "utf8")).toBe(both[droid]);
  expect(readFileSync(at(claude), "utf8")).toContain("beckon");
});

test("a project that is not the working directory is found by its record", async () => {
  const { context, at, inProject } = await installed();
  await runInstall({ agents: ["droid"], scope: "project" }, context);
  expect(await runUninstall({}, inProject("."))).toBe(0);
  expect(existsSync(at("project/.factory"))).toBe(false);
});

test("entries are found without any record", async () => {
  const { context, at } = await installed();
  rmSync(join(context.paths.state, "installs"), { recursive: true });
  expect(await runUninstall({}, context)).toBe(0);
  for (const [path, text] of Object.entries(both)) expect(readFileSync(at(path), "utf8")).toBe(text);
});

test("a dry run shows what would be removed and writes nothing", async () => {
  const { context, at, output } = await installed();
  const before = readFileSync(at(droid), "utf8");
  expect(await runUninstall({ dryRun: true, purge: true }, context)).toBe(0);
  expect(readFileSync(at(droid), "utf8")).toBe(before);
  expect(output()).toContain('-            "command": "~/.beckon/hook Stop --agent droid || :"');
});

test("a file that has been broken since is refused, and beckon's folder is not purged", async () => {
  const { context, at, output } = await installed();
  writeFileSync(at(droid), "{ oops");
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(1);
  expect(readFileSync(at(droid), "utf8")).toBe("{ oops");
  expect(readFileSync(at(claude), "utf8")).toBe(both[claude]);
  expect(output()).toContain("line 1");
  expect(existsSync(context.paths.launcher)).toBe(true);
});

test("--purge removes everything of beckon's", async () => {
  const { context } = await installed();
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(0);
  expect(existsSync(context.paths.root)).toBe(false);
});

test("--purge removes what an installer that was killed left half written", async () => {
  const { context } = await installed();
  for (const name of ["hook", "config.schema.json", "config.jsonc"]) {
    writeFileSync(join(context.paths.root, `${name}.0123456789abcdef.tmp`), "");
  }
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(0);
  expect(existsSync(context.paths.root)).toBe(false);
});

test("--purge leaves what is not beckon's", async () => {
  const { context } = await installed();
  writeFileSync(join(context.paths.root, "diary.txt"), "");
  expect(await runUninstall({ purge: true, yes: true }, context)).toBe(1);
  expect(readdirSync(context.paths.root)).toEqual(["diary.txt"]);
});

test("--purge does not touch a folder that is not beckon's", async () => {
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

test("--purge asks where there is a terminal", async () => {
  const { context } = await installed();
  expect(await runUninstall({ purge: true }, { ...context, isInteractive: true, ask: async () => false })).toBe(1);
  expect(existsSync(context.paths.launcher)).toBe(true);
});

test("without any entry there is nothing to do", async () => {
  const { context, output } = installWorld({ files: both });
  expect(await runUninstall({}, context)).toBe(0);
  expect(output()).toContain("No settings file has beckon's hooks");
  expect(await exitCodeOf(runUninstall({ agents: ["nope"] }, context), context)).toBe(2);
});
