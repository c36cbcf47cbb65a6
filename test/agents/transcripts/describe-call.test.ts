import { expect, test } from "vitest";
import { readToolRequest } from "../../../src/agents/transcripts/describe-call.ts";
import type { Payload } from "../../../src/core/agent.ts";
import { type AgentRequest, describeRequests } from "../../../src/text/request.ts";

const choice = { question: "Which?", options: [{ label: "Red" }, "Blue", 5] };
const questionnaire = "1. [question] Which?\n[topic] C\n[option] Red\n[option] Blue\n";
const call = (tool_name: unknown, tool_input?: unknown, cwd = ""): Payload => ({ tool_name, tool_input, cwd });
const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const issue = { project: "SHOP", summary: "Login is broken" };

test.each<[Payload, string | undefined]>([
  [call("Bash", { command: "# harmless\nrm -rf  build", description: "x" }), "Bash: # harmless\nrm -rf  build"],
  [
    call("Bash", { command: "rm ./*/_b_/* \u202e\u200b\r\n\u001b[2K\tx" }),
    "Bash: rm ./*/_b_/* \\u{202e}\\u{200b}\n\\u{1b}[2K\tx",
  ],
  [call("Write", { file_path: "/a/b", content: "x" }), "Write /a/b"],
  [call("Fetch", { url: "https://h" }), "Fetch: https://h"],
  [call("Task", { description: "look" }), "Task: look"],
  [call("Odd", { command: 5, file_path: [1] }), "Odd"],
  [call("Odd", "text"), "Odd"],
  [call("Odd", null), "Odd"],
  [call("Edit", { file_path: "/home/dev/shop/src/a.ts" }, "/home/dev/shop"), "Edit src/a.ts"],
  [call("Edit", { file_path: "/etc/hosts" }, "/home/dev/shop"), "Edit /etc/hosts"],
  [call("Edit", { file_path: "/home/dev/shop" }, "/home/dev/shop"), "Edit shop"],
  [{ tool_input: { command: "ls" } }, undefined],
  [call("WebSearch", { query: "zod 5" }), "WebSearch: zod 5"],
  [call("Skill", { skill: "deploy", args: "prod" }), "Skill: deploy (args prod)"],
  [call("CronCreate", { cron: "0 9 * * *", prompt: "Check it" }), 'CronCreate: Check it (cron "0 9 * * *")'],
  [call("SendMessage", { to: "ann", message: "Done?" }), "SendMessage: Done? (to ann)"],
  [call("EnterWorktree", { name: "fix" }), "EnterWorktree: fix"],
  [call("Grep", { pattern: "TODO", path: "src" }), "Grep src: TODO"],
  [call("NotebookEdit", { notebook_path: "a.ipynb", new_source: "x" }), "NotebookEdit a.ipynb"],
  [call("Send", { text: "How many?" }), "Send: How many?"],
  // Questions and plans.
  [call("AskUserQuestion", { questions: [choice] }), "Which? (Red / Blue)"],
  [call("ask_user_question", { questions: [{ question: "Which?" }, { question: "When?" }] }), "Which?\nWhen?"],
  [call("AskUser", { questionnaire }), "Which? (Red / Blue)"],
  [call("ask_user", { message: "How many?" }), "How many?"],
  [call("AskUserQuestion", { questions: [null] }), "AskUserQuestion"],
  [call("AskUserQuestion", { questions: "x" }), "AskUserQuestion: x"],
  [call("ExitPlanMode", { plan: "# Repair the login\n\n1. Read" }), "Plan: Repair the login"],
  [call("ExitPlanMode", { plan: "# Plan\n\n1. Add a table\n2. Add a route" }), "Plan: Add a table"],
  [
    call("exit_plan_mode", { plan: "**Implementation Plan:**\n\n## Context\nThe button is red.\n- Paint it" }),
    "Plan: Paint it",
  ],
  [call("ExitSpecMode", { plan: "## Plan d'implémentation\n\nAjouter une table" }), "Plan: Ajouter une table"],
  [call("ExitPlanMode", { plan: "# 実装計画\n\n1、テーブルを追加" }), "Plan: テーブルを追加"],
  [call("ExitPlanMode", { plan: "# Plano de implementação\n* Criar a tabela" }), "Plan: Criar a tabela"],
  [call("ExitPlanMode", { plan: "# Plan for the login\n1. Read" }), "Plan: Plan for the login"],
  [call("ExitPlanMode", { plan: "# Plan" }), "Plan: Plan"],
  // Other programs' tools.
  [call("mcp__tracker__create_issue", issue), 'tracker · create issue: project SHOP, summary "Login is broken"'],
  [
    call("mcp__tracker__createIssue", { ...issue, fields: {} }),
    'tracker · create issue: project SHOP, summary "Login is broken" … (+1 argument)',
  ],
  [
    call("linear___list_issues", { team: "a", limit: 5, open: true, page: 2 }),
    "linear · list issues: team a, limit 5, open true … (+1 argument)",
  ],
  [
    call("mcp_wiki_ask_question", { question: "How does it work?" }),
    'wiki · ask question: question "How does it work?"',
  ],
  [call("github-mcp-server-change_plan", { plan: "enterprise" }), "github mcp server · change plan: plan enterprise"],
  [call("mcp__shell__run", { command: "ls\nrm x" }), 'shell · run: command "ls\nrm x"'],
  [
    call("mcp__db__query", { sql: `SELECT '${"x".repeat(90)}'` }),
    `db · query: sql "SELECT '${"x".repeat(34)}… (+57 characters)"`,
  ],
  [
    call("mcp__api__login", { user: "ann", password: "hunter2hunter", header: key }),
    "api · login: user ann, password [secret], header [secret]",
  ],
  [call("mcp__api__login"), "api · login"],
])("%j asks: %j", (payload, message) => {
  const request = readToolRequest(payload);
  expect(request && describeRequests([request], payload["cwd"] as string).message).toBe(message);
});

test("a text for a team lacks the arguments of other programs' tools, and only those", () => {
  const requests = [call("mcp__tracker__create_issue", issue), call("Bash", { command: "ls" })].map(readToolRequest);
  const known = requests.filter((request) => request !== undefined);
  expect(describeRequests(known).brief).toBe("tracker · create issue · Bash: ls");
  expect(describeRequests(known.slice(1)).brief).toBeUndefined();
  const [first, second] = known as [AgentRequest, AgentRequest];
  expect(describeRequests([second, first, second]).brief).toBe("2 × Bash: ls · tracker · create issue");
});
