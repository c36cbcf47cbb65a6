import type { Agent, Payload, PayloadFormat } from "../../core/agent.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { RunningTask } from "../../core/facts.ts";
import { asText, toList } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { promptEvent } from "../../core/vocabulary.ts";
import { describeTool } from "../transcripts/describe-call.ts";
import { asLine, objectsIn } from "../transcripts/record.ts";
import { prompt, subAgentTaskSkipReason } from "./prompts.ts";

/**
 * Common traits of agents that adopted Claude Code's hooks. Each agent spreads this object and adds its differences.
 */
export const claudeFamily = {
  nativeEvents: {
    Notification: { event: "Notification", kind: "needs-you" },
    Stop: { event: "Stop", kind: "finished" },
    SubagentStop: { event: "SubagentStop", kind: "info" },
    SessionEnd: { event: "SessionEnd", kind: "info" },
    UserPromptSubmit: prompt,
  },
  /** Notification types that need no attention. */
  notificationKinds: { auth_success: "info", elicitation_complete: "info", elicitation_response: "info" },
  vagueRequests: ["permission_prompt", "worker_permission_prompt", "elicitation_dialog", "agent_needs_input"],
  echoes: [{ nativeEvent: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 }],
  payload: claudePayload({}),
  skipReason: skipSubAgent,
  runningTasks,
} satisfies Partial<Agent>;

/** Traits of `claudeFamily`, with two later events of Claude Code: a permission request and a failed turn. */
export const extendedClaudeFamily = {
  ...claudeFamily,
  nativeEvents: {
    ...claudeFamily.nativeEvents,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    StopFailure: { event: "Stop", kind: "failed" },
  },
  echoes: [
    ...claudeFamily.echoes,
    { nativeEvent: "Notification", notificationType: "idle_prompt", after: "StopFailure", withinMs: 90_000 },
    {
      nativeEvent: "Notification",
      notificationType: "permission_prompt",
      after: "PermissionRequest",
      withinMs: 10_000,
    },
  ],
} satisfies Partial<Agent>;

/** Makes the format of Claude Code's payloads, with another agent's differences. */
export function claudePayload({ fields, readers, ...others }: Partial<PayloadFormat>): PayloadFormat {
  return {
    ...others,
    fields: {
      nativeEvent: ["hook_event_name"],
      sessionId: ["session_id"],
      turnId: ["prompt_id"],
      cwd: ["cwd"],
      transcriptPath: ["transcript_path"],
      notificationType: ["notification_type"],
      message: ["message", "error_details"],
      reason: ["reason", "error"],
      answer: ["last_assistant_message"],
      ...fields,
    },
    readers: { message: describeTool, ...readers },
  };
}

/**
 * Events that beckon must not register, with the reasons: the hooks' output would go to the model, or tool calls would
 * wait for the hooks.
 */
export const outputIsContext: Readonly<Record<string, string>> = {
  SessionStart: "what its hooks print becomes part of the conversation",
  PreToolUse: "its hooks decide about tools, and every call waits for them",
  PostToolUse: "every tool call waits for its hooks",
};

/** Returns the reason to skip a `Stop` or a prompt of a sub-agent; undefined for any other event. */
function skipSubAgent({ event, extra }: AgentEvent): string | undefined {
  if (typeof extra.agent_id !== "string") return undefined;
  if (event === promptEvent) return subAgentTaskSkipReason;
  return event === "Stop" ? "the end of a sub-agent's turn" : undefined;
}

/**
 * Lists running tasks as Claude Code and Grok report them. A task of unknown type counts as work that will wake the
 * agent.
 */
function runningTasks({ background_tasks, backgroundTasks }: Payload): RunningTask[] {
  return objectsIn(background_tasks ?? backgroundTasks).flatMap((task) => {
    const [id = "", isShell] = [asText(task.id), task.type === "shell"];
    if (task.status !== "running") return [];
    return omitUndefined<RunningTask>({ id, of: isShell ? "shell" : "agent", name: asLine(task.command) });
  });
}

/** Picks the first folder open in an editor. */
export function firstWorkspaceRoot({ workspace_roots }: Payload): string | undefined {
  return asText(toList(workspace_roots)[0]);
}
