import { chmodSync, chownSync, existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import type { Choice } from "../../../../src/cli/dialog.ts";
import { agentsWith } from "../../../world/agents-with.ts";
import { both, claude, droid, installWorld } from "../../../world/install-world.ts";

const foreign = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}';
const notAnObject = "`hooks` at line 1, column 10 must be an object, not an array";

test.each([
  { name: "an empty file", text: "{}", state: "no hooks yet" },
  { name: "other hooks", text: foreign, state: "1 other hook" },
  { name: "a broken file", text: "{", state: "not valid JSON at line 1, column 2" },
  { name: "a wrong shape", text: '{"hooks":[]}', state: notAnObject },
  { name: "hooks switched off", text: '{"disableAllHooks":true}', state: "no hooks yet, hooks disabled by" },
  { name: "comments where none may be", text: "{} // x", state: "no hooks yet, ignored: comments at line 1, column 4" },
  {
    name: "a setting of the wrong type",
    text: '{"model":1}',
    state: "no hooks yet, ignored: `model` at line 1, column 2",
  },
])("$name is reported before anything is asked", async ({ text, state }) => {
  const { context, output } = installWorld({ files: { [claude]: text } });
  await runInstall({ dryRun: true }, context);
  expect(output()).toContain(`On this machine:\n  Claude Code    ~/${claude}  ${state}`);
});

test("a deselected agent keeps its hooks unless the user agrees to their removal", async () => {
  const only = async (_: string, choices: readonly Choice[]) => choices.slice(1).map(({ value }) => value);
  const world = installWorld({ files: both, isInteractive: true });
  expect(await runInstall({}, world.context)).toBe(0);
  const questions: string[] = [];
  const answering = (answer: boolean) => ({
    ...world.context,
    selectMany: only,
    confirm: async (question: string) => {
      questions.push(question);
      return answer;
    },
  });
  expect(await runInstall({}, answering(false))).toBe(0);
  expect(questions).toEqual([
    expect.stringMatching(/^You deselected (Droid|Claude Code)\. Remove beckon's hooks from it\?$/),
  ]);
  const texts = () => [droid, claude].map((path) => readFileSync(world.at(path), "utf8"));
  expect(texts().every((text) => text.includes("beckon"))).toBe(true);
  expect(await runInstall({}, answering(true))).toBe(0);
  expect(texts().filter((text) => text.includes("beckon"))).toHaveLength(1);
  expect(texts().some((text) => Object.values(both).includes(text))).toBe(true);
  expect(await runInstall({}, answering(true))).toBe(0);
  expect(questions).toHaveLength(2);
});

test("a read-only file, and beckon's own hooks among others", async () => {
  const { context, output, at } = installWorld({ files: { [claude]: foreign, [droid]: "{}" } });
  await runInstall({ agents: ["claude"] }, context);
  chmodSync(at(droid), 0o444);
  await runInstall({ dryRun: true }, context);
  expect(output()).toMatch(/Claude Code .*settings\.json +beckon's hooks and 1 other hook$/m);
  expect(output()).toMatch(/Droid .*settings\.json +no hooks yet, read-only$/m);
});

test.runIf(process.getuid?.() === 0)("another user's file is shown with its hooks, and not written", async () => {
  const { context, at, output } = installWorld({ files: { [claude]: foreign } });
  chownSync(at(claude), 65_534, 65_534);
  expect(await runInstall({ agents: ["claude"], dryRun: true }, context)).toBe(1);
  expect(output()).toContain("1 other hook, another user's file");
  expect(output()).toContain("another user's file. Nothing was changed.");
});

test("an installed agent that was never started is listed, and left alone unless chosen", async () => {
  const agents = agentsWith("droid", {
    program: { files: ["droid"], minimumVersion: { version: "2.0.0", reason: "no hooks" } },
  });
  const world = installWorld({
    files: { [claude]: "{}", "bin/droid": "#!/bin/sh\necho 1.2.3\n" },
    isInteractive: true,
    agents,
  });
  chmodSync(world.at("bin/droid"), 0o755);
  expect(await runInstall({}, world.context)).toBe(0);
  expect(world.output()).toMatch(/Droid +1\.2\.3 .*no hooks yet, never started here/);
  expect(existsSync(world.at(".factory"))).toBe(false);
  const all = async (_: string, choices: readonly Choice[]) => choices.map(({ value }) => value);
  expect(await runInstall({}, { ...world.context, selectMany: all })).toBe(0);
  expect(world.output()).toContain("Note: Droid 1.2.3 is older than 2.0.0: no hooks. Update it.");
  expect(readFileSync(world.at(droid), "utf8")).toContain("hook Stop --agent droid");
});

test.each([
  ["without a question all installed agents are set up if none was ever started", {}, true],
  ["without a question only started agents are set up if there are any", { [claude]: "{}" }, false],
])("%s", async (_, files, expected) => {
  const agents = agentsWith("droid", { program: { files: ["droid"] } });
  const world = installWorld({ files: { ...files, "bin/droid": "#!/bin/sh\necho 1.2.3\n" }, agents });
  chmodSync(world.at("bin/droid"), 0o755);
  expect(await runInstall({ yes: true }, world.context)).toBe(0);
  expect(existsSync(world.at(droid))).toBe(expected);
});

test("if no file can be edited there is no question, and each is refused with its position", async () => {
  const { context, output, asked } = installWorld({ files: { [claude]: "{", [droid]: "[" }, isInteractive: true });
  expect(await runInstall({}, context)).toBe(1);
  expect(asked).toEqual([]);
  expect(output().match(/templates\/settings/g)).toHaveLength(2);
});
