import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import { asText, at } from "../core/json-value.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudeFamily, claudePayload, outputIsContext } from "./shared/claude-family.ts";
import { describeTool } from "./shared/describe-tool.ts";
import { prompt } from "./shared/prompts.ts";
import { copilotTranscript } from "./transcripts/copilot.ts";

const failure = { event: "Stop", kind: "failed" } as const;

const folder = agentFolder({ name: ".copilot", inProjects: ".github", pathVariable: "COPILOT_HOME" });

/**
 * GitHub Copilot CLI. Tested with 1.0.102. Each event has two names. Payloads for Claude's name are in snake_case and
 * contain the event's name; payloads for Copilot's own name use another case and lack the name. beckon registers
 * Claude's names, because on Windows only the payload can name the event.
 */
export const copilot = defineAgent({
  name: "copilot",
  title: "GitHub Copilot CLI",
  aliases: ["copilot-cli"],
  source: "https://docs.github.com/en/copilot/reference/hooks-reference",
  transcriptPathHint: "/.copilot/",
  nativeEvents: {
    ...claudeFamily.nativeEvents,
    ErrorOccurred: failure,
    notification: { event: "Notification", kind: "needs-you" },
    agentStop: { event: "Stop", kind: "finished" },
    errorOccurred: failure,
    subagentStop: { event: "SubagentStop", kind: "info" },
    sessionEnd: { event: "SessionEnd", kind: "info" },
    userPromptSubmitted: prompt,
  },
  // These four types concern background work. Questions have other types.
  notificationKinds: {
    shell_completed: "info",
    shell_detached_completed: "info",
    agent_completed: "info",
    agent_idle: "info",
  },
  vagueRequests: ["elicitation_dialog"],
  // Copilot answers on its own after 25 ms if it has no terminal, or if a rule or a model decides.
  autoDecisionMs: ({ notificationType }) => (notificationType === "permission_prompt" ? 500 : undefined),
  mayRetry: (event) => isError(event) && event.extra.recoverable !== false,
  echoes: [
    { nativeEvent: "SessionEnd", after: "SessionEnd", withinMs: 30_000 },
    { nativeEvent: "sessionEnd", after: "sessionEnd", withinMs: 30_000 },
    // Copilot fires this event for each attempt, 6 in 17 s, and calls even the last error recoverable.
    { nativeEvent: "ErrorOccurred", after: "ErrorOccurred", withinMs: 60_000 },
    { nativeEvent: "errorOccurred", after: "errorOccurred", withinMs: 60_000 },
    // A session without a terminal ends after an error.
    { nativeEvent: "SessionEnd", after: "ErrorOccurred", withinMs: 60_000 },
    { nativeEvent: "sessionEnd", after: "errorOccurred", withinMs: 60_000 },
  ],
  payload: claudePayload({
    fields: { answer: ["last_assistant_message", "response"] },
    readers: { message: (payload) => asText(at(payload.error, "message")) ?? describeTool(payload) },
  }),
  // Copilot also runs the hooks in Claude Code's settings. Copilot's payloads have a timestamp, and only those about
  // turns have a transcript.
  recognizes({ transcript_path, hookEventName, cwd, timestamp }) {
    if (typeof transcript_path === "string") return transcript_path.replaceAll("\\", "/").includes("/.copilot/");
    return typeof cwd === "string" && timestamp !== undefined && hookEventName === undefined;
  },
  classify: (event) => (isError(event) ? "failed" : undefined),
  // Includes errors of sub-agents, which come as events of separate sessions.
  skipReason: claudeFamily.skipReason,
  transcript: copilotTranscript,
  permissionHook: "its hook also runs for calls that its rules allow anyway",
  settings: {
    folder,
    // The folder `hooks` holds one file for each tool.
    files: filesIn(folder, { user: { "hooks/beckon.json": "flat" }, project: { "hooks/beckon.json": "flat" } }),
    sessions: "session-state",
    defaultEvents: { UserPromptSubmit: 5, notification: 5, Stop: 5, ErrorOccurred: 5, SubagentStop: 5, SessionEnd: 3 },
    optionalEvents: ["agentStop", "errorOccurred", "subagentStop", "sessionEnd", "userPromptSubmitted"],
    forbiddenEvents: {
      ...outputIsContext,
      PermissionRequest:
        "it comes before the rules decide, and mostly they allow; `notification` comes when you are asked",
      permissionRequest:
        "it comes before the rules decide, and mostly they allow; `notification` comes when you are asked",
      preToolUse: "its hooks decide about tools, and every call waits for them",
      sessionStart: "what its hooks print becomes part of the conversation",
    },
    timeoutUnit: "s",
    entry: { command: "bash", windowsCommand: "powershell", timeout: "timeoutSec" },
    ignoresFileWith: ["comments", "trailing commas"],
    offSwitches: { disableAllHooks: true },
    switches: (environment) =>
      [
        join(folder(environment), "settings.json"),
        join(folder(environment, "project"), "copilot", "settings.json"),
        join(folder(environment, "project"), "copilot", "settings.local.json"),
      ].map((path) => ({ path, off: { disableAllHooks: true } })),
    alsoRuns: [{ agent: "claude", scopes: ["project", "local"] }],
    program: {
      files: ["copilot"],
      // https://github.com/github/awesome-copilot/pull/1507
      minimumVersion: {
        version: "1.0.35",
        reason: "it does not know events by Claude's names yet, and runs no hook of them",
      },
    },
    afterInstall: ["Restart running Copilot sessions: hooks are read at start."],
  },
});

/** Tells if an event reports an error. The payload of such an event does not name the event. */
function isError({ event, extra }: AgentEvent): boolean {
  return event === "Stop" && ("errorContext" in extra || "error_context" in extra);
}
