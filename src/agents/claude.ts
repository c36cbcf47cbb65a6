import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import {
  commonFirings,
  movedFolder,
  outputIsContext,
  pathByPlatform,
  quietNotifications,
  unfinishedStop,
} from "./shared/claude-family.ts";
import { claudeTranscript } from "./transcripts/claude.ts";

/** Where an organisation's settings are. https://code.claude.com/docs/en/settings */
const managedFolder = pathByPlatform({
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
  linux: "/etc/claude-code",
});

/** Claude Code. Measured with 2.1.197 and 2.1.329. */
export const claude = defineAgent({
  name: "claude",
  title: "Claude Code",
  source: "https://code.claude.com/docs/en/hooks",
  measured: ["2.1.197", "2.1.329"],
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
    register: { Notification: 5, Stop: 5, StopFailure: 5, SubagentStop: 5, SessionEnd: 3 },
    optional: ["PermissionRequest"],
    // Some versions open a dialog at every start for an event they do not know, older ones reject the file.
    since: { StopFailure: "2.1.78", PermissionRequest: "2.0.45", SessionEnd: "1.0.85" },
    never: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["comments", "trailing commas"],
    offSwitches: { disableAllHooks: true },
    switches: ({ platform }) =>
      ["managed-settings.json", join("managed-settings.d", "*.json")].map((name) => ({
        path: join(managedFolder(platform), name),
        off: { disableAllHooks: true, allowManagedHooksOnly: true },
      })),
    program: {
      files: ["claude"],
      floor: { version: "2.1.78", reason: "it has no StopFailure yet: a turn that fails is not told" },
    },
    afterInstall: ["Claude Code holds back all hooks in a folder until you have trusted it."],
  },
});

function claudeFolder(home: string, env: NodeJS.ProcessEnv): string {
  return movedFolder(env["CLAUDE_CONFIG_DIR"]) ?? join(home, ".claude");
}
