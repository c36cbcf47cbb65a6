import { isAbsolute } from "node:path";
import type { FiringRule } from "../../core/agent.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Kind } from "../../core/vocabulary.ts";

/** The firings that all agents of Claude's family have in common. */
export const commonFirings: Readonly<Record<string, FiringRule>> = {
  Notification: { event: "Notification", kind: "needs-you" },
  Stop: { event: "Stop", kind: "finished" },
  SubagentStop: { event: "SubagentStop", kind: "info" },
  SessionEnd: { event: "SessionEnd", kind: "info" },
};

/** Notification types that are no call for anybody; every other type is `needs-you`. */
export const quietNotifications: Readonly<Record<string, Kind>> = {
  auth_success: "info",
  elicitation_complete: "info",
  elicitation_response: "info",
};

/** A folder that a variable names, if it does so absolutely: a relative one would be another in every project. */
export function movedFolder(variable: string | undefined): string | undefined {
  return variable && isAbsolute(variable) ? variable : undefined;
}

/** A path that each platform has its own of; one that is neither macOS nor Windows has that of Linux. */
export function pathByPlatform(paths: { readonly darwin: string; readonly win32: string; readonly linux: string }) {
  return (platform: NodeJS.Platform): string =>
    platform === "darwin" || platform === "win32" ? paths[platform] : paths.linux;
}

/** Firings whose hook's output goes to the model, or which every prompt or tool call waits for: none for a notice. */
export const outputIsContext: Readonly<Record<string, string>> = {
  SessionStart: "what its hooks print becomes part of the conversation",
  UserPromptSubmit: "what its hooks print becomes part of the conversation, and every prompt waits for them",
  PreToolUse: "its hooks decide about tools, and every call waits for them",
  PostToolUse: "every tool call waits for its hooks",
};

/** Why a `Stop` is not the end of the user's own turn: it belongs to a sub-agent, or work goes on in the background. */
export function unfinishedStop(event: AgentEvent): string | undefined {
  if (event.event !== "Stop") return undefined;
  if (typeof event.extra["agent_id"] === "string") return "the end of a sub-agent's turn";
  const tasks = event.extra["background_tasks"];
  const running =
    Array.isArray(tasks) && tasks.some((task) => (task as { status?: unknown } | null)?.status === "running");
  return running ? "background tasks are still running" : undefined;
}
