import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { kebabCase } from "../core/words.ts";
import { commonFirings, movedFolder, outputIsContext, quietNotifications, unfinishedStop } from "./claude-shape.ts";

const firings = { ...commonFirings, StopFailure: { event: "Stop", kind: "failed" } } as const;

/** Grok Build. It runs hooks of Claude Code's and Cursor's settings too. */
export const grok = defineAgent({
  name: "grok",
  title: "Grok Build",
  source: "https://docs.x.ai/build/features/hooks",
  footprint: "/.grok/",
  // Its payloads have the names in snake_case, its settings as Claude Code has them.
  firings: {
    ...firings,
    ...Object.fromEntries(Object.entries(firings).map(([name, rule]) => [kebabCase(name).replaceAll("-", "_"), rule])),
  },
  notificationKinds: quietNotifications,
  echoes: ["stop", "stop_failure"].map((after) => ({
    firing: "notification",
    notificationType: "idle_prompt",
    after,
    withinMs: 90_000,
  })),
  isOwn: ({ hookEventName }) => typeof hookEventName === "string",
  // A turn that was cancelled or failed fires Stop too. The words of `reason` are not documented.
  falseEnd: (event) =>
    event.event === "Stop" && /cancel|interrupt/i.test(event.reason ?? "")
      ? "the user stopped the agent"
      : unfinishedStop(event),
  kindOf: ({ event, reason }) => (event === "Stop" && /error|fail/i.test(reason ?? "") ? "failed" : undefined),
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
