import { expect, test } from "vitest";
import { parsed } from "../world/parsed.ts";

test.each([
  ["/home/me/.factory/sessions/a.jsonl", "droid"],
  ["/home/me/.claude/projects/a.jsonl", "claude"],
  ["/home/me/.codex/sessions/a.jsonl", "codex"],
  ["/home/me/.gemini/tmp/a.jsonl", "gemini"],
  ["/home/me/.qwen/projects/a.jsonl", "qwen"],
])("the transcript %s shows the agent", (path, agent) => {
  expect(parsed({ transcript_path: path }).agent).toBe(agent);
});

test.each([
  ["named by the launcher", { transcript_path: "/home/me/.factory/x" }, { agent: "qwen" }, "qwen"],
  ["whose native event is unique", { hook_event_name: "AfterAgent" }, {}, "gemini"],
  ["unknown for a native event that many agents share", { hook_event_name: "Stop" }, {}, "unknown"],
  ["shown by the payload when another agent's hook took it", { cursor_version: "1" }, { agent: "claude" }, "cursor"],
  ["named by the hook if the agent runs no other hooks", { cursor_version: "1" }, { agent: "droid" }, "droid"],
])("the agent is the one %s", (_, payload, header, agent) => {
  expect(parsed(payload, header).agent).toBe(agent);
});
