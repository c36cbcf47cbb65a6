import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { commonFirings, movedFolder, outputIsContext, quietNotifications, unfinishedStop } from "./claude-shape.ts";
import { qwenTranscript } from "./transcripts/qwen.ts";

/** Qwen Code. Measured with 0.15.10 and 0.24.4. */
export const qwen = defineAgent({
  name: "qwen",
  title: "Qwen Code",
  source: "https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/",
  measured: ["0.15.10", "0.24.4"],
  footprint: "/.qwen/",
  firings: {
    ...commonFirings,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    StopFailure: { event: "Stop", kind: "failed" },
  },
  notificationKinds: quietNotifications,
  echoes: [
    { firing: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 },
    { firing: "Notification", notificationType: "idle_prompt", after: "StopFailure", withinMs: 90_000 },
    { firing: "Notification", notificationType: "permission_prompt", after: "PermissionRequest", withinMs: 10_000 },
  ],
  falseEnd: unfinishedStop,
  transcript: qwenTranscript,
  settings: {
    folder: ({ home, env }) => movedFolder(env["QWEN_HOME"]) ?? join(home, ".qwen"),
    files(scope, { home, project, env }) {
      if (scope === "local") return [];
      const folder = scope === "user" ? (movedFolder(env["QWEN_HOME"]) ?? join(home, ".qwen")) : join(project, ".qwen");
      return [{ path: join(folder, "settings.json"), shape: "wrapped" }];
    },
    register: { Notification: 5, PermissionRequest: 5, Stop: 5, StopFailure: 5, SubagentStop: 5, SessionEnd: 2 },
    never: outputIsContext,
    // Seconds from 0.23.4 on, milliseconds before; 1000 and more are milliseconds in both.
    timeoutUnit: "ms",
    // 0.24 does not even start with one.
    ignoresFileWith: ["trailing commas"],
    offSwitches: { disableAllHooks: true },
    switches: ({ platform }) => [{ path: systemSettings(platform), off: { disableAllHooks: true } }],
    program: { files: ["qwen"] },
    afterInstall: ["Restart running Qwen Code sessions: hooks are read at start."],
  },
});

/** Where an organisation's settings are. https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings/ */
function systemSettings(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/QwenCode/settings.json";
  return platform === "win32" ? "C:\\ProgramData\\qwen-code\\settings.json" : "/etc/qwen-code/settings.json";
}
