import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { movedFolder } from "./claude-shape.ts";

/** GitHub Copilot CLI. Its own names of the events come without a name in the payload: the command line has it. */
export const copilot = defineAgent({
  name: "copilot",
  title: "GitHub Copilot CLI",
  source: "https://docs.github.com/en/copilot/reference/hooks-reference",
  footprint: "/.copilot/",
  firings: {
    notification: { event: "Notification", kind: "needs-you" },
    agentStop: { event: "Stop", kind: "finished" },
    errorOccurred: { event: "Stop", kind: "failed" },
    subagentStop: { event: "SubagentStop", kind: "info" },
    sessionEnd: { event: "SessionEnd", kind: "info" },
  },
  notificationKinds: {
    shell_completed: "info",
    shell_detached_completed: "info",
    agent_completed: "finished",
  },
  echoes: [
    { firing: "notification", notificationType: "agent_idle", after: "agentStop", withinMs: 90_000 },
    { firing: "notification", notificationType: "agent_completed", after: "agentStop", withinMs: 10_000 },
    { firing: "sessionEnd", after: "sessionEnd", withinMs: 30_000 },
  ],
  // Title, answers and token counts in its transcripts are not established.
  settings: {
    folder: ({ home, env }) => movedFolder(env["COPILOT_HOME"]) ?? join(home, ".copilot"),
    // A file for each tool.
    files(scope, { home, project, env }) {
      if (scope === "local") return [];
      const folder =
        scope === "user" ? (movedFolder(env["COPILOT_HOME"]) ?? join(home, ".copilot")) : join(project, ".github");
      return [{ path: join(folder, "hooks", "beckon.json"), shape: "flat" }];
    },
    register: { notification: 5, agentStop: 5, errorOccurred: 5, subagentStop: 5, sessionEnd: 3 },
    never: {
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
    switches: ({ home, env }) => [
      {
        path: join(movedFolder(env["COPILOT_HOME"]) ?? join(home, ".copilot"), "settings.json"),
        off: { disableAllHooks: true },
      },
    ],
    alsoRuns: [{ agent: "claude", scopes: ["project", "local"] }],
    program: { files: ["copilot"], floor: { version: "0.0.422", reason: "it has no hooks per user yet" } },
    afterInstall: ["Restart running Copilot sessions: hooks are read at start."],
  },
});
