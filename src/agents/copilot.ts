import { join } from "node:path";
import type { FiringRule } from "../core/agent.ts";
import { defineAgent } from "../core/agent.ts";
import { commonFirings, movedFolder, outputIsContext } from "./shared/claude-family.ts";
import { copilotTranscript } from "./transcripts/copilot.ts";

const failure: FiringRule = { event: "Stop", kind: "failed" };

/**
 * GitHub Copilot CLI. Measured with 1.0.102. Each event has two names: Claude's, whose payloads are in snake_case and
 * say their name, and its own, whose payloads do neither. Registered are Claude's: on Windows an entrypoint does not
 * know what it was called for.
 */
export const copilot = defineAgent({
  name: "copilot",
  title: "GitHub Copilot CLI",
  source: "https://docs.github.com/en/copilot/reference/hooks-reference",
  measured: ["1.0.102"],
  footprint: "/.copilot/",
  firings: {
    ...commonFirings,
    ErrorOccurred: failure,
    notification: { event: "Notification", kind: "needs-you" },
    agentStop: { event: "Stop", kind: "finished" },
    errorOccurred: failure,
    subagentStop: { event: "SubagentStop", kind: "info" },
    sessionEnd: { event: "SessionEnd", kind: "info" },
  },
  // All four are about work in the background; that somebody must answer is told by the others.
  notificationKinds: {
    shell_completed: "info",
    shell_detached_completed: "info",
    agent_completed: "info",
    agent_idle: "info",
  },
  echoes: [
    { firing: "SessionEnd", after: "SessionEnd", withinMs: 30_000 },
    { firing: "sessionEnd", after: "sessionEnd", withinMs: 30_000 },
    // It fires for each attempt, 6 of them in 17 s, and calls even the last one recoverable.
    { firing: "ErrorOccurred", after: "ErrorOccurred", withinMs: 60_000 },
    { firing: "errorOccurred", after: "errorOccurred", withinMs: 60_000 },
    // A run without a terminal ends with its error.
    { firing: "SessionEnd", after: "ErrorOccurred", withinMs: 60_000 },
    { firing: "sessionEnd", after: "errorOccurred", withinMs: 60_000 },
  ],
  // It runs hooks of Claude Code's settings too. Its payloads have a time and, but for turns, no transcript.
  isOwn({ transcript_path, hookEventName, cwd, timestamp }) {
    if (typeof transcript_path === "string") return transcript_path.replaceAll("\\", "/").includes("/.copilot/");
    return typeof cwd === "string" && timestamp !== undefined && hookEventName === undefined;
  },
  kindOf: ({ event, extra }) =>
    event === "Stop" && ("errorContext" in extra || "error_context" in extra) ? "failed" : undefined,
  transcript: copilotTranscript,
  settings: {
    folder: ({ home, env }) => copilotFolder(home, env),
    // A file for each tool.
    files(scope, { home, project, env }) {
      if (scope === "local") return [];
      const folder = scope === "user" ? copilotFolder(home, env) : join(project, ".github");
      return [{ path: join(folder, "hooks", "beckon.json"), shape: "flat" }];
    },
    register: { notification: 5, Stop: 5, ErrorOccurred: 5, SubagentStop: 5, SessionEnd: 3 },
    optional: ["agentStop", "errorOccurred", "subagentStop", "sessionEnd"],
    never: {
      ...outputIsContext,
      PermissionRequest: "it comes before the rules decide: most of the time nobody is asked; `notification` tells",
      permissionRequest: "it comes before the rules decide: most of the time nobody is asked; `notification` tells",
      preToolUse: "its hooks decide about tools, and every call waits for them",
      sessionStart: "what its hooks print becomes part of the conversation",
      userPromptSubmitted: "what its hooks print becomes part of the conversation",
    },
    timeoutUnit: "s",
    entry: { command: "bash", windowsCommand: "powershell", timeout: "timeoutSec" },
    preamble: { version: 1 },
    ignoresFileWith: ["comments", "trailing commas"],
    offSwitches: { disableAllHooks: true },
    switches: ({ home, project, env }) =>
      [
        join(copilotFolder(home, env), "settings.json"),
        join(project, ".github", "copilot", "settings.json"),
        join(project, ".github", "copilot", "settings.local.json"),
      ].map((path) => ({ path, off: { disableAllHooks: true } })),
    alsoRuns: [{ agent: "claude", scopes: ["project", "local"] }],
    program: {
      files: ["copilot"],
      // https://github.com/github/awesome-copilot/pull/1507
      floor: { version: "1.0.35", reason: "it does not know events by Claude's names yet, and runs no hook of them" },
    },
    afterInstall: ["Restart running Copilot sessions: hooks are read at start."],
  },
});

function copilotFolder(home: string, env: NodeJS.ProcessEnv): string {
  return movedFolder(env["COPILOT_HOME"]) ?? join(home, ".copilot");
}
