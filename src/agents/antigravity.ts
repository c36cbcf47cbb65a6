import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudePayload } from "./shared/claude-family.ts";

const folder = agentFolder({ name: join(".gemini", "config"), inProjects: ".agents" });

/**
 * Antigravity CLI, the successor of Gemini CLI. The declaration follows documentation and other people's reports;
 * nothing was measured. Antigravity ignores the hooks in Gemini CLI's settings.
 * https://github.com/thedotmack/claude-mem/issues/3864
 */
export const antigravity = defineAgent({
  name: "antigravity",
  title: "Antigravity CLI",
  aliases: ["agy"],
  source: "https://antigravity.google/docs/hooks",
  transcriptPathHint: "/.gemini/",
  nativeEvents: { Stop: { event: "Stop", kind: "finished" } },
  payload: claudePayload({ fields: { sessionId: ["conversation_id"], reason: ["termination_reason"] } }),
  classify: ({ event, reason }) => (event === "Stop" && reason === "ERROR" ? "failed" : undefined),
  settings: {
    folder,
    otherFolders: ({ home }) => ["antigravity", "antigravity-cli"].map((name) => join(home, ".gemini", name)),
    files: filesIn(folder, { user: { "hooks.json": "named" }, project: { "hooks.json": "named" } }),
    defaultEvents: { Stop: 5 },
    forbiddenEvents: {
      PreToolUse: "its hooks decide about tools, and every call waits for them",
      PostToolUse: "every tool call waits for its hooks",
      PreInvocation: "every call of the model waits for its hooks",
      PostInvocation: "every call of the model waits for its hooks",
    },
    timeoutUnit: "s",
    // One fault in the file disables all hooks in it.
    ignoresFileWith: ["comments", "trailing commas", "a byte-order mark"],
    program: { files: ["agy"], unmeasuredFrom: "0.0.0" },
    afterInstall: [
      "Restart running Antigravity sessions. beckon was not tested with Antigravity: end a turn, and see if you are notified.",
    ],
  },
});
