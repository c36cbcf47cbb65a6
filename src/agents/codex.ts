import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import type { SettingsPlace } from "../core/agent-settings.ts";
import { commonFirings, movedFolder, outputIsContext, quietNotifications, unfinishedStop } from "./shared/claude-family.ts";
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
  // A minute after its terminal has gone, or after half an hour without a prompt.
  endsAsOther: true,
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
    folder: (place) => codexFolder("user", place),
    files(scope, place) {
      return scope === "local" ? [] : [{ path: join(codexFolder(scope, place), "hooks.json"), shape: "wrapped" }];
    },
    // Its trust in hooks is kept there as well.
    beside: (place) =>
      (["user", "project"] as const).map((scope) => ({
        path: join(codexFolder(scope, place), "config.toml"),
        member: "hooks",
        except: ["state"],
        effect: "Codex runs the hooks of both files, and warns of it at every start",
      })),
    register: { PermissionRequest: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    never: outputIsContext,
    timeoutUnit: "s",
    // It cuts more down, and warns of it at every start.
    longest: (firing) => (firing === "SessionEnd" ? 3 : undefined),
    ignoresFileWith: ["comments", "trailing commas", "a byte-order mark"],
    offSwitches: {},
    switches: (place) => [
      { path: join(codexFolder("user", place), "config.toml"), off: { features: { hooks: false } } },
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

function codexFolder(scope: "user" | "project", { home, project, env }: SettingsPlace): string {
  if (scope === "project") return join(project, ".codex");
  return movedFolder(env["CODEX_HOME"]) ?? join(home, ".codex");
}
