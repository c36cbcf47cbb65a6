import { defineAgent } from "../core/agent.ts";
import { asText } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { docsPage } from "../text/version.ts";
import { asCount } from "./transcripts/record.ts";

/** beckon's own commands: `send`, `run`, and the tools of `mcp`. Their native events have the names of the kinds. */
export const cli = defineAgent({
  name: "cli",
  title: "Command line",
  source: docsPage("messages"),
  transcriptPathHint: "/.beckon/",
  nativeEvents: {
    "needs-you": { event: "Notification", kind: "needs-you" },
    failed: { event: "Stop", kind: "failed" },
    finished: { event: "Stop", kind: "finished" },
    info: { event: "Notification", kind: "info" },
  },
  payload: {
    fields: {
      sessionId: ["session_id"],
      turnId: ["turn_id"],
      cwd: ["cwd"],
      message: ["message"],
      reason: ["reason"],
    },
    own: ({ title, program, turn_ms }) =>
      omitUndefined({ headline: asText(title), program: asText(program), turnMs: asCount(turn_ms) }),
  },
});
