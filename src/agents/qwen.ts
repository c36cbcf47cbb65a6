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
import { qwenTranscript } from "./transcripts/qwen.ts";

/** Where an organisation's settings are. https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings/ */
const systemSettings = pathByPlatform({
  darwin: "/Library/Application Support/QwenCode/settings.json",
  win32: "C:\\ProgramData\\qwen-code\\settings.json",
  linux: "/etc/qwen-code/settings.json",
});

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
    folder: ({ home, env }) => qwenFolder(home, env),
    files(scope, { home, project, env }) {
      if (scope === "local") return [];
      const folder = scope === "user" ? qwenFolder(home, env) : join(project, ".qwen");
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

function qwenFolder(home: string, env: NodeJS.ProcessEnv): string {
  return movedFolder(env["QWEN_HOME"]) ?? join(home, ".qwen");
}
