import { defineAgent } from "../core/agent.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudePayload, firstWorkspaceRoot } from "./shared/claude-family.ts";
import { prompt } from "./shared/prompts.ts";

const folder = agentFolder({ name: ".cursor" });

/** Cursor, editor and command line. It has no event for permissions or for idling. */
export const cursor = defineAgent({
  name: "cursor",
  title: "Cursor",
  source: "https://cursor.com/docs/hooks",
  transcriptPathHint: "/.cursor/",
  projectVariables: ["CURSOR_PROJECT_DIR"],
  nativeEvents: {
    stop: { event: "Stop", kind: "finished" },
    subagentStop: { event: "SubagentStop", kind: "info" },
    sessionEnd: { event: "SessionEnd", kind: "info" },
    beforeSubmitPrompt: prompt,
    // Event names in hooks that it runs from Claude Code's settings.
    Stop: { event: "Stop", kind: "finished" },
    SubagentStop: { event: "SubagentStop", kind: "info" },
    SessionEnd: { event: "SessionEnd", kind: "info" },
    UserPromptSubmit: prompt,
  },
  notificationKinds: {},
  echoes: [],
  payload: claudePayload({
    fields: { sessionId: ["session_id", "conversation_id"], turnId: ["generation_id"], message: ["error_message"] },
    readers: { cwd: firstWorkspaceRoot },
  }),
  // It also runs the hooks in Claude Code's settings; only this field of a payload identifies it.
  recognizes: ({ cursor_version }) => typeof cursor_version === "string",
  skipReason: ({ event, extra }) =>
    event === "Stop" && extra.status === "aborted" ? "the user stopped the agent" : undefined,
  classify: ({ event, extra }) => (event === "Stop" && extra.status === "error" ? "failed" : undefined),
  // Reported: it treats empty output as broken JSON. https://github.com/stablyai/orca/issues/15462
  neutralReply: "{}",
  // No transcript: its format is unknown.
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
    // It strips comments naively; its handling of trailing commas is unknown.
    ignoresFileWith: ["trailing commas"],
    alsoRuns: [{ agent: "claude", scopes: ["user", "project", "local"] }],
    program: { files: ["cursor-agent", "cursor"] },
    afterInstall: [],
  },
});
