import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { commonFirings, movedFolder, quietNotifications, unfinishedStop } from "./shared/claude-family.ts";
import { kimiTranscript } from "./transcripts/kimi.ts";

/**
 * Kimi Code. Measured with 2.1.0. It tells nobody that it asks a question. Its older relative, kimi-cli, has another
 * file and no permission event.
 */
export const kimi = defineAgent({
  name: "kimi",
  title: "Kimi Code",
  source: "https://moonshotai.github.io/kimi-code/en/customization/hooks.html",
  measured: ["2.1.0"],
  footprint: "/.kimi-code/",
  firings: {
    ...commonFirings,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    StopFailure: { event: "Stop", kind: "failed" },
  },
  notificationKinds: quietNotifications,
  echoes: [],
  falseEnd: unfinishedStop,
  // Its notifications are about tasks in the background: `task.completed` and the like.
  kindOf: ({ notificationType }) => (notificationType?.startsWith("task.") ? "info" : undefined),
  transcript: kimiTranscript,
  settings: {
    folder: ({ home, env }) => kimiFolder(home, env),
    files(scope, { home, env }) {
      if (scope !== "user") return [];
      return [{ path: join(kimiFolder(home, env), "config.toml"), shape: "tables" }];
    },
    register: { PermissionRequest: 5, Stop: 5, StopFailure: 5, SubagentStop: 5, SessionEnd: 3 },
    never: {
      // https://github.com/MoonshotAI/kimi-code/issues/3888
      PreToolUse: "with a hook there, web, desktop and VS Code approve tools without asking",
      SessionHeartbeat: "with a hook there, web, desktop and VS Code approve tools without asking",
      UserPromptSubmit: "what its hooks print becomes part of the conversation",
      SessionStart: "what its hooks print becomes part of the conversation",
    },
    timeoutUnit: "s",
    longest: () => 600,
    entry: { constants: {} },
    ignoresFileWith: [],
    offSwitches: {},
    program: { files: ["kimi"] },
    afterInstall: ["Restart running Kimi sessions: hooks are read at start."],
  },
});

function kimiFolder(home: string, env: NodeJS.ProcessEnv): string {
  return movedFolder(env["KIMI_CODE_HOME"]) ?? join(home, ".kimi-code");
}
