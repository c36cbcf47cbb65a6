import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { commonFirings, movedFolder, outputIsContext, quietNotifications, unfinishedStop } from "./claude-shape.ts";
import { codexTranscript } from "./transcripts/codex.ts";

/** OpenAI Codex CLI: its hooks and its older `notify` program. Measured with 0.169.0. */
export const codex = defineAgent({
  name: "codex",
  title: "Codex",
  source: "https://developers.openai.com/codex/hooks",
  measured: ["0.169.0"],
  footprint: "/.codex/",
  firings: {
    ...commonFirings,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    "agent-turn-complete": { event: "Stop", kind: "finished" },
  },
  notificationKinds: quietNotifications,
  echoes: [{ firing: "agent-turn-complete", after: "Stop", withinMs: 10_000 }],
  falseEnd(event) {
    if (event.firing !== "agent-turn-complete") return unfinishedStop(event);
    if (typeof event.extra["client"] !== "string") return "the end of a sub-agent's turn";
    const prompts = event.extra["input-messages"];
    const first = Array.isArray(prompts) ? prompts[0] : undefined;
    const wantsTitle = typeof first === "string" && first.startsWith("Generate a concise, single-line task title");
    return wantsTitle ? "Codex making a title for the thread" : undefined;
  },
  transcript: codexTranscript,
  settings: {
    folder: ({ home, env }) => movedFolder(env["CODEX_HOME"]) ?? join(home, ".codex"),
    // Hooks in `[hooks]` of config.toml count as well; Codex merges both and warns.
    files(scope, { home, project, env }) {
      if (scope === "local") return [];
      const folder =
        scope === "user" ? (movedFolder(env["CODEX_HOME"]) ?? join(home, ".codex")) : join(project, ".codex");
      return [{ path: join(folder, "hooks.json"), shape: "wrapped" }];
    },
    // SessionEnd gets three seconds at most.
    register: { PermissionRequest: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    never: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["comments", "trailing commas", "a byte-order mark"],
    offSwitches: {},
    switches: ({ home, env }) => [
      {
        path: join(movedFolder(env["CODEX_HOME"]) ?? join(home, ".codex"), "config.toml"),
        off: { features: { hooks: false } },
      },
    ],
    program: {
      files: ["codex"],
      floor: { version: "0.145.0", reason: "it has no SessionEnd yet, and before 0.124 hooks are off" },
    },
    afterInstall: [
      "Codex runs no new hook before you have trusted it: start it and choose to trust the hooks, or open /hooks.",
    ],
  },
});
