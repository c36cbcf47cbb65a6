import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { commonFirings, movedFolder, outputIsContext, quietNotifications, unfinishedStop } from "./claude-shape.ts";

/** Grok Build. It runs hooks of Claude Code's and Cursor's settings too. */
export const grok = defineAgent({
  name: "grok",
  title: "Grok Build",
  source: "https://docs.x.ai/build/features/hooks",
  footprint: "/.grok/",
  firings: { ...commonFirings, StopFailure: { event: "Stop", kind: "failed" } },
  notificationKinds: quietNotifications,
  echoes: [
    { firing: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 },
    { firing: "Notification", notificationType: "idle_prompt", after: "StopFailure", withinMs: 90_000 },
  ],
  falseEnd: unfinishedStop,
  // Where its transcripts are, and what is in them, is not established.
  settings: {
    folder: ({ home, env }) => movedFolder(env["GROK_HOME"]) ?? join(home, ".grok"),
    // A file for each tool.
    files(scope, { home, project, env }) {
      if (scope === "local") return [];
      const folder = scope === "user" ? (movedFolder(env["GROK_HOME"]) ?? join(home, ".grok")) : join(project, ".grok");
      return [{ path: join(folder, "hooks", "beckon.json"), shape: "wrapped" }];
    },
    register: { Notification: 5, Stop: 5, StopFailure: 5, SubagentStop: 5, SessionEnd: 2 },
    never: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["comments", "trailing commas"],
    offSwitches: {},
    alsoRuns: [
      { agent: "claude", scopes: ["user", "project", "local"] },
      { agent: "cursor", scopes: ["user", "project"] },
    ],
    program: { files: ["grok"] },
    afterInstall: ["Grok runs a project's hooks only once you have trusted them: /hooks-trust, or --trust."],
  },
});
