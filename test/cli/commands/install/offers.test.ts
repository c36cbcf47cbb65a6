import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { offerEvents } from "../../../../src/cli/commands/install/offers.ts";
import { installable } from "../../../../src/installer/agents/installable.ts";
import type { Survey } from "../../../../src/installer/survey.ts";
import { both, claude, droid, installWorld } from "../../../world/install-world.ts";

const extension = (folder: string, version: string) => ({
  [`${folder}/extensions/Anthropic.claude-code-${version}-linux-x64/package.json`]: "{}",
});
const files = { ...both, ...extension(".vscode", "2.1.0") };

function eventsIn(text: string): string[] {
  return Object.keys((JSON.parse(text) as { readonly hooks: object }).hooks);
}

test.each<[string, object, boolean]>([
  ["an editor's extension", extension(".vscode", "2.1.0"), true],
  ["the oldest extension with the event", extension(".cursor", "2.0.45"), true],
  ["an extension on a server", extension(".windsurf-server", "2.1.0"), true],
  ["an extension in VSCodium", extension(".vscode-oss", "2.1.0"), true],
  ["the desktop app", { ".config/Claude/config.json": "{}" }, true],
  ["an extension without the event", extension(".vscode", "2.0.44"), false],
  ["one of two extensions without it", { ...files, ...extension(".positron", "1.0.9") }, false],
  ["another extension", { ".vscode/extensions/anthropic.other-2.1.0/package.json": "{}" }, false],
])("with %s, install adds the event of its requests and says so, attended or not: %s", async (_, more, isAdded) => {
  for (const isInteractive of [true, false]) {
    const world = installWorld({ files: { ...both, ...more }, isInteractive });
    expect(await runInstall({ yes: !isInteractive }, world.context)).toBe(0);
    const events = () => eventsIn(readFileSync(world.at(claude), "utf8"));
    expect(events().includes("PermissionRequest")).toBe(isAdded);
    expect(world.output().includes("that event is set up too")).toBe(isAdded);
    expect(await runInstall({ yes: true }, world.context)).toBe(0);
    expect(events().includes("PermissionRequest")).toBe(isAdded);
  }
});

test("an older program keeps the event out, and a note says how to add it", async () => {
  const program = { file: "/usr/bin/claude", version: "2.0.44" };
  const { environment } = installWorld({ files }).context;
  const survey = { agent: installable.find(({ name }) => name === "claude"), program, inspected: [] };
  const { options, notes } = offerEvents([survey as unknown as Survey], {}, { environment });
  expect([options, notes]).toEqual([{}, [expect.stringMatching(/version 2\.0\.44 .*--also PermissionRequest$/)]]);
});

test("a later install adds the event to the usual hooks, but not to chosen ones", async () => {
  for (const [events, isAdded] of [
    [undefined, true],
    [["Stop"], false],
  ] as const) {
    const { context, at } = installWorld({ files: both });
    await runInstall({ yes: true, ...(events && { events }) }, context);
    mkdirSync(at(".vscode/extensions/anthropic.claude-code-2.1.0"), { recursive: true });
    expect(await runInstall({ yes: true }, context)).toBe(0);
    expect(eventsIn(readFileSync(at(claude), "utf8")).includes("PermissionRequest")).toBe(isAdded);
  }
});

test("--also adds an event to the usual ones, only if the agent has it", async () => {
  const { context, at } = installWorld({ files: both });
  expect(await runInstall({ also: ["PermissionRequest"], yes: true }, context)).toBe(0);
  expect(eventsIn(readFileSync(at(claude), "utf8"))).toEqual(expect.arrayContaining(["PermissionRequest", "Stop"]));
  expect(readFileSync(at(droid), "utf8")).not.toContain("PermissionRequest");
  await expect(runInstall({ also: ["Stopp"], yes: true }, context)).rejects.toThrow('unknown event "Stopp"');
});
