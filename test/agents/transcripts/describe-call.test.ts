import { expect, test } from "vitest";
import { describeTool } from "../../../src/agents/transcripts/describe-call.ts";
import type { Payload } from "../../../src/core/agent.ts";

const choice = { question: "Which?", options: [{ label: "Red" }, "Blue", 5] };
const questionnaire = "1. [question] Which?\n[topic] C\n[option] Red\n[option] Blue\n";

test.each<[Payload, string | undefined]>([
  [{ tool_name: "Bash", tool_input: { command: "rm -rf\n build" } }, "Bash: rm -rf build"],
  [{ tool_name: "Write", tool_input: { file_path: "/a/b" } }, "Write /a/b"],
  [{ tool_name: "Fetch", tool_input: { url: "https://h" } }, "Fetch: https://h"],
  [{ tool_name: "Task", tool_input: { description: "look" } }, "Task: look"],
  [{ tool_name: "Odd", tool_input: { command: 5, file_path: ["x"] } }, "Odd"],
  [{ tool_name: "Odd", tool_input: "text" }, "Odd"],
  [{ tool_name: "Odd", tool_input: null }, "Odd"],
  [{ tool_name: "Ask", tool_input: { questions: [{ question: "Red or blue?" }] } }, "Red or blue?"],
  [{ tool_name: "Edit", cwd: "/home/dev/shop", tool_input: { file_path: "/home/dev/shop/src/a.ts" } }, "Edit src/a.ts"],
  [{ tool_name: "Edit", cwd: "/home/dev/shop", tool_input: { file_path: "/etc/hosts" } }, "Edit /etc/hosts"],
  [{ tool_name: "Edit", cwd: "/home/dev/shop", tool_input: { file_path: "/home/dev/shop" } }, "Edit shop"],
  [{ tool_name: "Ask", tool_input: { questions: [choice] } }, "Which? (Red / Blue)"],
  [{ tool_name: "Ask", tool_input: { questions: [{ question: "Which?" }, { question: "When?" }] } }, "Which? When?"],
  [{ tool_name: "AskUser", tool_input: { questionnaire } }, "Which? (Red / Blue)"],
  [{ tool_name: "AskUserQuestion", tool_input: { message: "How many?" } }, "How many?"],
  [{ tool_name: "Send", tool_input: { message: "How many?" } }, "Send"],
  [{ tool_name: "ExitPlanMode", tool_input: { plan: "# Repair the login\n\n1. Read" } }, "Plan: Repair the login"],
  [{ tool_name: "Ask", tool_input: { questions: [null] } }, "Ask"],
  [{ tool_name: "Ask", tool_input: { questions: "x" } }, "Ask"],
  [{ tool_input: { command: "ls" } }, undefined],
])("%j asks: %j", (payload, message) => {
  expect(describeTool(payload)).toBe(message);
});
