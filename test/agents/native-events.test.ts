import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import { parsed } from "../world/parsed.ts";

const skipped = { skip: expect.any(String) };
const agentEnd = { notification_type: "agent_completed" };
test.each<[string, string, object, Partial<AgentEvent>]>([
  ["claude", "Notification", {}, { event: "Notification", kind: "needs-you" }],
  ["claude", "Notification", { notification_type: "permission_prompt" }, { kind: "needs-you" }],
  ["claude", "Notification", { notification_type: "agent_completed" }, { kind: "finished" }],
  ["claude", "Notification", { notification_type: "something_new" }, { kind: "needs-you" }],
  ["claude", "StopFailure", { error: "rate_limit" }, { event: "Stop", kind: "failed", reason: "rate_limit" }],
  ["claude", "SubagentStop", { agent_type: "" }, skipped],
  ["claude", "Notification", { notification_type: "computer_use_enter" }, { kind: "info" }],
  ["claude", "Notification", { notification_type: "computer_use_exit" }, { kind: "info" }],
  ["claude", "Notification", { notification_type: "model_refusal_fallback" }, { kind: "info" }],
  ["claude", "Notification", { notification_type: "quota_auto_resume_fired" }, { kind: "info" }],
  ["claude", "Notification", { notification_type: "quota_auto_resume_disabled" }, { kind: "needs-you" }],
  ["claude", "Notification", { notification_type: "quota_auto_resume_stale" }, { kind: "needs-you" }],
  ["claude", "Notification", { notification_type: "permission_prompt_resolved" }, { kind: "info" }],
  ["claude", "Notification", { notification_type: "push_notification" }, { kind: "finished" }],
  ["claude", "Notification", { notification_type: "auth_storage_failure" }, { kind: "needs-you" }],
  ["claude", "PermissionDenied", {}, { event: "Notification", kind: "info", nativeEvent: "PermissionDenied" }],
  ["claude", "Notification", { notification_type: "elicitation_url_dialog" }, { kind: "needs-you" }],
  ["claude", "Notification", { ...agentEnd, message: "Agent x completed" }, { kind: "finished" }],
  ["claude", "Notification", { ...agentEnd, message: "Agent x failed" }, { kind: "failed" }],
  ["claude", "Notification", { ...agentEnd, message: 'Agent "fix-failed-login" completed' }, { kind: "finished" }],
  ["claude", "Notification", { ...agentEnd, message: 'Agent "login" failed: "no key"' }, { kind: "failed" }],
  ["grok", "Notification", { notificationType: "task_complete" }, { kind: "info" }],
  ["copilot", "Stop", { agent_id: "a", parent_agent_id: "s" }, skipped],
  ["copilot", "ErrorOccurred", { agent_id: "a", error: { message: "400" } }, skipped],
  ["claude", "Stop", { agent_id: "a" }, skipped],
  ["claude", "SessionEnd", { reason: "prompt_input_exit" }, { event: "SessionEnd", kind: "info" }],
  ["claude", "SessionEnd", { reason: "error" }, { event: "SessionEnd", kind: "failed" }],
  ["claude", "PreCompact", {}, { event: "PreCompact", kind: "info" }],
  ["gemini", "AfterAgent", { prompt_response: "[no response text]" }, { event: "Stop", kind: "failed" }],
  ["codex", "agent-turn-complete", {}, { event: "Stop", ...skipped }],
  ["droid", "PermissionRequest", {}, { event: "PermissionRequest", kind: "info" }],
  ["droid", "Notification", { notification_type: "idle_prompt", message: "Agent stopped by user" }, skipped],
  ["antigravity", "Stop", { conversationId: "c", terminationReason: "ERROR" }, { kind: "failed", sessionId: "c" }],
  ["antigravity", "Stop", { conversationId: "c" }, { event: "Stop", kind: "finished" }],
  ["somebody-else", "StopFailure", {}, { agent: "somebody-else", event: "Stop", kind: "failed" }],
])("%s event %s %j has the expected meaning", (agent, nativeEvent, payload, expected) => {
  const event = parsed({ hook_event_name: nativeEvent, ...payload }, { event: "Stop", agent });
  expect(event).toMatchObject(expected);
  if (!("skip" in expected)) expect(event).not.toHaveProperty("skip");
});
