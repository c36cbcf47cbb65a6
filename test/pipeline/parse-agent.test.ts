import { expect, test } from "vitest";
import { parsed } from "../world/parsed.ts";

test("the agent is the one the launcher names", () => {
  expect(parsed({ transcript_path: "/home/me/.factory/x" }, { agent: "qwen" }).agent).toBe("qwen");
});

test.each([
  ["/home/me/.factory/sessions/a.jsonl", "droid"],
  ["/home/me/.claude/projects/a.jsonl", "claude"],
  ["/home/me/.codex/sessions/a.jsonl", "codex"],
  ["/home/me/.gemini/tmp/a.jsonl", "gemini"],
  ["/home/me/.qwen/projects/a.jsonl", "qwen"],
])("the transcript %s shows the agent", (path, agent) => {
  expect(parsed({ transcript_path: path }).agent).toBe(agent);
});

test("a native event that only one agent has shows the agent; any other leaves it unknown", () => {
  expect(parsed({ hook_event_name: "AfterAgent" }).agent).toBe("gemini");
  expect(parsed({ hook_event_name: "Stop" }).agent).toBe("unknown");
});

test("a payload that another agent's hook took belongs to the agent that it shows", () => {
  expect(parsed({ cursor_version: "1" }, { agent: "claude" }).agent).toBe("cursor");
  expect(parsed({ cursor_version: "1" }, { agent: "droid" }).agent).toBe("droid");
});
