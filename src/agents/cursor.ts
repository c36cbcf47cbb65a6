import { defineAgent } from "../core/agent.ts";
import { cursorHooksFile } from "./schemas/hooks.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudePayload, firstWorkspaceRoot, prompt } from "./shared/claude-family.ts";

const folder = agentFolder({ name: ".cursor" });

/** Cursor's editor and command line. Cursor has no event for permission requests or for idle sessions. */
export const cursor = defineAgent({
  name: "cursor",
  title: "Cursor",
  aliases: ["cursor-agent", "cursor-cli"],
  source: "https://cursor.com/docs/hooks",
  transcriptPathHint: "/.cursor/",
  projectVariables: ["CURSOR_PROJECT_DIR"],
  nativeEvents: {
    stop: { event: "Stop", kind: "finished" },
    subagentStop: { event: "SubagentStop", kind: "info" },
    sessionEnd: { event: "SessionEnd", kind: "info" },
    beforeSubmitPrompt: prompt,
    // Event names for the hooks that Cursor runs from Claude Code's settings.
    Stop: { event: "Stop", kind: "finished" },
    SubagentStop: { event: "SubagentStop", kind: "info" },
    SessionEnd: { event: "SessionEnd", kind: "info" },
    UserPromptSubmit: prompt,
  },
  payload: claudePayload({
    fields: { sessionId: ["session_id", "conversation_id"], turnId: ["generation_id"], message: ["error_message"] },
    readers: { cwd: firstWorkspaceRoot },
  }),
  // Cursor also runs the hooks in Claude Code's settings. Only this field shows that a payload is from Cursor.
  recognizes: ({ cursor_version }) => typeof cursor_version === "string",
  skipReason: ({ event, extra }) =>
    event === "Stop" && extra.status === "aborted" ? "the user stopped the agent" : undefined,
  classify: ({ event, extra }) => (event === "Stop" && extra.status === "error" ? "failed" : undefined),
  // Cursor reportedly treats empty output as broken JSON. https://github.com/stablyai/orca/issues/15462
  neutralReply: "{}",
  // No transcript is read, because its format is unknown.
  settings: {
    folder,
    files: filesIn(folder, { user: { "hooks.json": "flat" }, project: { "hooks.json": "flat" } }),
    defaultEvents: { stop: 5, subagentStop: 5, sessionEnd: 3 },
    forbiddenEvents: {
      beforeSubmitPrompt: "its hooks decide whether a prompt is sent; how it takes beckon's reply is untested",
      preToolUse: "its hooks decide about tools, and every call waits for them",
      sessionStart: "what its hooks print becomes part of the conversation",
    },
    timeoutUnit: "s",
    entry: { constants: {} },
    schema: cursorHooksFile,
    // Cursor accepts comments, but how it handles trailing commas is unknown.
    ignoresFileWith: ["trailing commas"],
    alsoRuns: [{ agent: "claude", scopes: ["user", "project", "local"] }],
    program: { files: ["cursor-agent", "cursor"], unmeasuredFrom: "0.0.0" },
    afterInstall: [],
  },
});
