import { expect, test } from "vitest";
import { replay } from "./replay.ts";

/** What each ring of a session says first: its title, and the first line of its body. */
async function firstWords(recording: string, host?: string): Promise<string[]> {
  const rings = await replay(recording, host);
  return rings.map(({ title, body }) => `${title} | ${body.split("\n")[0]}`);
}

test("two agents in one folder are told apart", async () => {
  expect(await firstWords("claude/z-tr")).toEqual(["shop · Claude Code needs you | RIG-SHELL go"]);
  expect(await firstWords("kimi/i-shell-no")).toEqual(["shop · Kimi Code needs you | RIG-SHELL go"]);
});

test.each([
  ["claude/x-bgshell", "claude/x-question"],
  ["codex/i-shell-yes", "codex/p-400"],
  ["copilot/i-ask", "copilot/x-bgshell"],
  ["droid/i-bg", "droid/x-empty"],
  ["gemini/p-400", "gemini/x-question"],
  ["grok/i-task", "grok/x-bgshell"],
  ["kimi/i-shell-no", "kimi/x-bgshell"],
  ["qwen/i-clear", "qwen/x-bgshell"],
])("two sessions of one agent in one folder are told apart: %s, %s", async (one, other) => {
  const [these, those] = [await firstWords(one), await firstWords(other)];
  expect(these).not.toEqual([]);
  expect(those).not.toEqual([]);
  expect(these.filter((words) => those.includes(words))).toEqual([]);
});

test("an agent on another machine is called with the machine's name", async () => {
  expect(await firstWords("claude/z-tr", "devbox")).toEqual(["shop@devbox · Claude Code needs you | RIG-SHELL go"]);
});
