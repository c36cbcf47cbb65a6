import { isAbsolute, join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { commonFirings, quietNotifications, unfinishedStop } from "./claude-shape.ts";
import { claudeTranscript } from "./transcripts/claude.ts";

/** Claude Code. Measured with 2.1.197 and 2.1.329. */
export const claude = defineAgent({
  name: "claude",
  title: "Claude Code",
  source: "https://code.claude.com/docs/en/hooks",
  footprint: "/.claude/",
  firings: {
    ...commonFirings,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    StopFailure: { event: "Stop", kind: "failed" },
  },
  notificationKinds: { ...quietNotifications, agent_completed: "finished" },
  echoes: [
    { firing: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 },
    { firing: "Notification", notificationType: "idle_prompt", after: "StopFailure", withinMs: 90_000 },
    { firing: "Notification", notificationType: "permission_prompt", after: "PermissionRequest", withinMs: 10_000 },
  ],
  falseEnd(event) {
    if (event.event === "SubagentStop" && event.extra["agent_type"] === "") return "a compaction, not a sub-agent";
    return unfinishedStop(event);
  },
  transcript: claudeTranscript,
  settings: {
    folder: ({ home, env }) => claudeFolder(home, env),
    files(scope, { home, project, env }) {
      if (scope === "user") return [{ path: join(claudeFolder(home, env), "settings.json"), shape: "wrapped" }];
      const name = scope === "project" ? "settings.json" : "settings.local.json";
      return [{ path: join(project, ".claude", name), shape: "wrapped" }];
    },
    register: { Notification: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    timeoutUnit: "s",
    ignoresFileWith: ["comments", "trailing commas"],
    offSwitches: { disableAllHooks: true },
    afterInstall: ["Claude Code holds back all hooks in a folder until you have trusted it."],
  },
});

function claudeFolder(home: string, env: NodeJS.ProcessEnv): string {
  const moved = env["CLAUDE_CONFIG_DIR"];
  return moved && isAbsolute(moved) ? moved : join(home, ".claude");
}
