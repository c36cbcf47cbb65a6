import type { Agent, Payload, PayloadFormat } from "../../core/agent.ts";
import type { AgentEvent } from "../../core/event.ts";
import { at, listOf } from "../../core/json-value.ts";
import { asText } from "../transcripts/record.ts";
import { describeTool } from "./describe-tool.ts";

/** What agents have in common that took over Claude Code's hooks. Each spreads it and adds what it does differently. */
export const claudeFamily = {
  nativeEvents: {
    Notification: { event: "Notification", kind: "needs-you" },
    Stop: { event: "Stop", kind: "finished" },
    SubagentStop: { event: "SubagentStop", kind: "info" },
    SessionEnd: { event: "SessionEnd", kind: "info" },
  },
  /** Types that ask for nobody's attention. */
  notificationKinds: { auth_success: "info", elicitation_complete: "info", elicitation_response: "info" },
  echoes: [{ nativeEvent: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 }],
  payload: claudePayload({}),
  skipReason: unfinishedStop,
} satisfies Partial<Agent>;

/** The same with two later events of Claude Code: it asks for a permission; a turn failed. */
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

type PayloadDifferences = Omit<Partial<PayloadFormat>, "fields"> & {
  readonly fields?: Partial<PayloadFormat["fields"]>;
};

/** Claude Code's payloads, but for what another agent does differently. */
export function claudePayload({ fields, readers, ...others }: PayloadDifferences): PayloadFormat {
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

/** Events that beckon must stay away from: their hooks' output goes to the model, or prompts and tool calls wait. */
export const outputIsContext: Readonly<Record<string, string>> = {
  SessionStart: "what its hooks print becomes part of the conversation",
  UserPromptSubmit: "what its hooks print becomes part of the conversation, and every prompt waits for them",
  PreToolUse: "its hooks decide about tools, and every call waits for them",
  PostToolUse: "every tool call waits for its hooks",
};

/** Why a `Stop` is not the end of the user's own turn: it is a sub-agent's, or background tasks still run. */
function unfinishedStop({ event, extra }: AgentEvent): string | undefined {
  if (event !== "Stop") return undefined;
  if (typeof extra.agent_id === "string") return "the end of a sub-agent's turn";
  const isRunning = listOf(extra.background_tasks).some((task) => at(task, "status") === "running");
  return isRunning ? "background tasks are still running" : undefined;
}

/** The first of the folders that an editor has open. */
export function firstWorkspaceRoot({ workspace_roots }: Payload): string | undefined {
  return asText(listOf(workspace_roots)[0]);
}
