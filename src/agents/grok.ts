import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { snakeCase } from "../core/vocabulary.ts";
import { commonFirings, movedFolder, outputIsContext, quietNotifications, unfinishedStop } from "./shared/claude-family.ts";
import { grokTranscript } from "./transcripts/grok.ts";

const firings = { ...commonFirings, StopFailure: { event: "Stop", kind: "failed" } } as const;

/** Grok Build. Measured with 1.0.41. It runs hooks of Claude Code's and Cursor's settings too. */
export const grok = defineAgent({
  name: "grok",
  title: "Grok Build",
  source: "https://docs.x.ai/build/features/hooks",
  measured: ["1.0.41"],
  footprint: "/.grok/",
  // Its payloads have the names twice: as Claude Code has them, in older versions only in snake_case.
  firings: {
    ...firings,
    ...Object.fromEntries(Object.entries(firings).map(([name, rule]) => [snakeCase(name), rule])),
  },
  // StopFailure comes with each error.
  notificationKinds: { ...quietNotifications, agent_error: "info" },
  echoes: ["Stop", "StopFailure"].flatMap((after) =>
    [(name: string) => name, snakeCase].map((form) => ({
      firing: form("Notification"),
      notificationType: "idle_prompt",
      after: form(after),
      withinMs: 90_000,
    })),
  ),
  isOwn: ({ hookEventName }) => typeof hookEventName === "string",
  falseEnd(event) {
    if (event.event !== "Stop") return unfinishedStop(event);
    if (event.reason === "shutdown") return "Grok shutting down, no turn";
    return /cancel|interrupt/i.test(event.reason ?? "") ? "the user stopped the agent" : unfinishedStop(event);
  },
  kindOf: ({ event, reason }) => (event === "Stop" && /error|fail/i.test(reason ?? "") ? "failed" : undefined),
  transcript: grokTranscript,
  settings: {
    folder: ({ home, env }) => grokFolder(home, env),
    // A file for each tool.
    files(scope, { home, project, env }) {
      if (scope === "local") return [];
      const folder = scope === "user" ? grokFolder(home, env) : join(project, ".grok");
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

function grokFolder(home: string, env: NodeJS.ProcessEnv): string {
  return movedFolder(env["GROK_HOME"]) ?? join(home, ".grok");
}
