import { expect, test } from "vitest";
import { parsed } from "../world/parsed.ts";

test("the time, project and session of a prompt are known, and its text is dropped", () => {
  const typed = "my secret plan";
  const terminal = { WINDOWID: "12" };
  const payload = {
    ...{ hook_event_name: "UserPromptSubmit", session_id: "s", prompt_id: "t", cwd: "/home/me/shop" },
    ...{ transcript_path: "/home/me/.claude/a.jsonl", prompt: typed, message: typed, reason: typed, error: typed },
    ...{ last_assistant_message: typed, notification_type: typed, session_title: typed, anything: [{ text: typed }] },
  };
  expect(parsed(payload, { agent: "claude", processes: [2, 3], terminal, wait: 5 })).toEqual({
    ...{ id: "id-1", atMs: 1_700_000_000_000, event: "Prompt", nativeEvent: "UserPromptSubmit", kind: "info" },
    ...{ agent: "claude", sessionId: "s", turnId: "t", cwd: "/home/me/shop", project: "shop", isAwaited: true },
    ...{ transcriptPath: "/home/me/.claude/a.jsonl", processes: [2, 3], terminal, extra: {} },
  });
});

test.each<[string, string, object]>([
  ["claude", "UserPromptSubmit", {}],
  ["droid", "UserPromptSubmit", {}],
  ["codex", "UserPromptSubmit", {}],
  ["qwen", "UserPromptSubmit", {}],
  ["kimi", "UserPromptSubmit", { prompt: [{ type: "text", text: "go" }] }],
  ["grok", "user_prompt_submit", {}],
  ["gemini", "BeforeAgent", {}],
  ["copilot", "userPromptSubmitted", {}],
  ["cursor", "beforeSubmitPrompt", {}],
  ["auggie", "PromptSubmit", {}],
  ["somebody-else", "UserPromptSubmit", {}],
  ["claude", "Prompt", {}], // from the entrypoint, with a payload that does not name its event
])("the prompt of %s is its %s", (agent, event, more) => {
  const found = parsed({ session_id: "s", prompt: "go", ...more }, { agent, event });
  expect(found).toMatchObject({ event: "Prompt", kind: "info" });
  expect(found.extra).toEqual({});
  expect(found).not.toHaveProperty("skip");
});

test.each<[string, object, RegExp]>([
  ["codex", { agent_id: "a", prompt: "look around" }, /sub-agent/],
  ["copilot", { agent_id: "a", prompt: "look around" }, /sub-agent/],
  ["droid", { message_id: "task-completion:7", prompt: "Background task completed." }, /report/],
  ["grok", { subagentType: "general-purpose", prompt: "look around" }, /sub-agent/],
])("a prompt of %s that a program wrote is marked: %j", (agent, payload, why) => {
  const found = parsed({ session_id: "s", ...payload }, { agent, event: "UserPromptSubmit" });
  expect(found).toMatchObject({ event: "Prompt", skip: expect.stringMatching(why) });
  expect(found.extra).toEqual({});
});
