import { defineAgent } from "../core/agent.ts";
import { commonFirings, quietNotifications, unfinishedStop } from "./claude-shape.ts";
import { codexTranscript } from "./transcripts/codex.ts";

/** OpenAI Codex CLI: its hooks and its older `notify` program. Measured with 0.169.0. */
export const codex = defineAgent({
  name: "codex",
  title: "Codex",
  source: "https://developers.openai.com/codex/hooks",
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
});
