import { defineAgent } from "../core/agent.ts";
import { commonFirings, quietNotifications, unfinishedStop } from "./claude-shape.ts";
import { geminiTranscript } from "./transcripts/gemini.ts";

/** Gemini CLI. Measured with 0.61.0. */
export const gemini = defineAgent({
  name: "gemini",
  title: "Gemini CLI",
  source: "https://geminicli.com/docs/hooks",
  footprint: "/.gemini/",
  firings: { ...commonFirings, AfterAgent: { event: "Stop", kind: "finished" } },
  notificationKinds: quietNotifications,
  echoes: [{ firing: "SessionEnd", after: "SessionEnd", withinMs: 30_000 }],
  falseEnd: unfinishedStop,
  // What Gemini writes for a turn that an API error (or Esc) ended; the payload does not tell which.
  kindOf: (event) => (event.lastMessage === "[no response text]" ? "failed" : undefined),
  transcript: geminiTranscript,
});
