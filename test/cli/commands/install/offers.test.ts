import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runInstall } from "../../../../src/cli/commands/install/install.ts";
import { both, claude, droid, installWorld } from "../../../world/install-world.ts";

const extension = { ".vscode/extensions/Anthropic.claude-code-2.1.0-linux-x64/package.json": "{}" };
const files = { ...both, ...extension };
const isInteractive = true;
const offer = "Notify you about Claude Code's desktop app or editor extension too?";

function eventsIn(text: string): string[] {
  return Object.keys((JSON.parse(text) as { readonly hooks: object }).hooks);
}

test("with Claude Code's editor extension, a question offers the event for its requests", async () => {
  const { context, asked, at } = installWorld({ files, isInteractive });
  expect(await runInstall({}, context)).toBe(0);
  expect(asked.filter((question) => question === offer)).toHaveLength(1);
  expect(eventsIn(readFileSync(at(claude), "utf8"))).toContain("PermissionRequest");
  await runInstall({}, context);
  expect(asked.filter((question) => question === offer)).toHaveLength(1); // its hooks exist now
  expect(eventsIn(readFileSync(at(claude), "utf8"))).toContain("PermissionRequest");
});

test('"no" adds nothing', async () => {
  const ask = async (question: string) => question !== offer;
  const { context, at } = installWorld({ files, isInteractive, ask });
  expect(await runInstall({}, context)).toBe(0);
  expect(eventsIn(readFileSync(at(claude), "utf8"))).not.toContain("PermissionRequest");
});

test("without the extension, or with named events, there is no question", async () => {
  const without = installWorld({ files: both, isInteractive });
  await runInstall({}, without.context);
  const named = installWorld({ files, isInteractive });
  await runInstall({ events: ["Stop"] }, named.context);
  expect([...without.asked, ...named.asked]).not.toContain(offer);
  expect(without.output() + named.output()).not.toContain("PermissionRequest");
});

test("without a terminal one line says how to add the event", async () => {
  const { context, output, at } = installWorld({ files });
  expect(await runInstall({ yes: true }, context)).toBe(0);
  expect(output().replace(/\s+/g, " ")).toContain("To add it: beckon install --agent claude --also PermissionRequest");
  expect(eventsIn(readFileSync(at(claude), "utf8"))).not.toContain("PermissionRequest");
});

test("--also adds an event to the usual ones, only if the agent has it", async () => {
  const { context, at } = installWorld({ files: both });
  expect(await runInstall({ also: ["PermissionRequest"], yes: true }, context)).toBe(0);
  expect(eventsIn(readFileSync(at(claude), "utf8"))).toEqual(expect.arrayContaining(["PermissionRequest", "Stop"]));
  expect(readFileSync(at(droid), "utf8")).not.toContain("PermissionRequest");
  await expect(runInstall({ also: ["Stopp"], yes: true }, context)).rejects.toThrow('unknown event "Stopp"');
});
