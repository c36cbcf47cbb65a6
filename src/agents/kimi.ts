import { defineAgent } from "../core/agent.ts";
import { asText } from "../core/json-value.ts";
import { kimiHooks } from "./schemas/hooks-files.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudePayload, extendedClaudeFamily } from "./shared/claude-family.ts";
import { kimiTranscript } from "./transcripts/kimi.ts";

const folder = agentFolder({ name: ".kimi-code", pathVariable: "KIMI_CODE_HOME" });

/**
 * Kimi Code. Tested with 2.1.0. Kimi Code fires no hook when it asks a question. The older kimi-cli has another
 * settings file and no permission event.
 */
export const kimi = defineAgent({
  name: "kimi",
  title: "Kimi Code",
  source: "https://moonshotai.github.io/kimi-code/en/customization/hooks.html",
  transcriptPathHint: "/.kimi-code/",
  ...extendedClaudeFamily,
  echoes: [],
  stopsForSubAgents: true,
  // A sub-agent's failure also fires StopFailure, and then the session continues.
  mayRetry: ({ nativeEvent }) => nativeEvent === "StopFailure",
  payload: claudePayload({
    fields: {
      turnId: ["turn_id"],
      message: ["error_message", "body"],
      reason: ["reason", "error_type"],
      answer: ["response"],
    },
    title: ({ session_title }) => asText(session_title),
  }),
  // Kimi's notifications concern background tasks: `task.completed` and similar.
  classify: ({ notificationType }) => (notificationType?.startsWith("task.") ? "info" : undefined),
  transcript: kimiTranscript,
  permissionHook: "its only hook that can decide runs for every call, before it is known whether you will be asked",
  settings: {
    folder,
    files: filesIn(folder, { user: { "config.toml": "tables" } }),
    defaultEvents: {
      UserPromptSubmit: 5,
      PermissionRequest: 5,
      Stop: 5,
      StopFailure: 5,
      SubagentStop: 5,
      SessionEnd: 3,
    },
    forbiddenEvents: {
      // https://github.com/MoonshotAI/kimi-code/issues/3888
      PreToolUse: "with a hook there, web, desktop and VS Code approve tools without asking",
      SessionHeartbeat: "with a hook there, web, desktop and VS Code approve tools without asking",
      SessionStart: "what its hooks print becomes part of the conversation",
    },
    timeoutUnit: "s",
    maxTimeoutSeconds: () => 600,
    entry: { constants: {} },
    // Kimi's schema lists these events. For a hook with another event, Kimi discards the whole section.
    onlyKnown: {
      version: "2.1.0",
      events: [
        ...["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionResult"],
        ...["UserPromptSubmit", "UserPromptQueued", "TurnStarted", "Stop", "StopFailure", "Interrupt"],
        ...["SessionStart", "SessionEnd", "SessionHeartbeat", "SubagentStart", "SubagentStop", "TaskStarted"],
        ...["PreCompact", "PostCompact", "Notification"],
      ],
    },
    schema: kimiHooks,
    program: { files: ["kimi"] },
    afterInstall: ["Restart running Kimi sessions: hooks are read at start."],
  },
});
