import { expect, test } from "vitest";
import { describeTool } from "../../../src/agents/shared/describe-tool.ts";
import type { Payload } from "../../../src/core/agent.ts";

test.each<[Payload, string | undefined]>([
  [{ tool_name: "Bash", tool_input: { command: "rm -rf\n build" } }, "Wants to use Bash: rm -rf build"],
  [{ tool_name: "Write", tool_input: { file_path: "/a/b" } }, "Wants to use Write: /a/b"],
  [{ tool_name: "Fetch", tool_input: { url: "https://h" } }, "Wants to use Fetch: https://h"],
  [{ tool_name: "Task", tool_input: { description: "look" } }, "Wants to use Task: look"],
  [{ tool_name: "Odd", tool_input: { command: 5, file_path: ["x"] } }, "Wants to use Odd"],
  [{ tool_name: "Odd", tool_input: "text" }, "Wants to use Odd"],
  [{ tool_name: "Odd", tool_input: null }, "Wants to use Odd"],
  [{ tool_name: "Ask", tool_input: { questions: [{ question: "Red or blue?" }] } }, "Red or blue?"],
  [{ tool_name: "Ask", tool_input: { questions: [null] } }, "Wants to use Ask"],
  [{ tool_name: "Ask", tool_input: { questions: "x" } }, "Wants to use Ask"],
  [{ tool_input: { command: "ls" } }, undefined],
])("%j asks: %j", (payload, message) => {
  expect(describeTool(payload)).toBe(message);
});
