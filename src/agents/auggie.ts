import { defineAgent } from "../core/agent.ts";
import { asText, at } from "../core/json-value.ts";
import { agentFolder, claudeFiles, filesIn } from "./shared/agent-paths.ts";
import { claudeFamily, claudePayload, firstWorkspaceRoot, outputIsContext, prompt } from "./shared/claude-family.ts";

const folder = agentFolder({ name: ".augment" });

/** Causes of a failed turn's end. The other causes are `end_turn` and `interrupted`. */
const failures: readonly unknown[] = ["error", "empty_completion", "max_iterations"];

/**
 * Auggie, Augment Code's command line. Tested with 0.36.0. This version runs commands through bash, although its
 * documents mention only scripts. It never runs the Notification hook.
 */
export const auggie = defineAgent({
  name: "auggie",
  title: "Auggie",
  source: "https://docs.augmentcode.com/cli/hooks.md",
  transcriptPathHint: "/.augment/",
  ...claudeFamily,
  nativeEvents: { ...claudeFamily.nativeEvents, PromptSubmit: prompt },
  classify: ({ event, extra }) =>
    event === "Stop" && failures.includes(extra.agent_stop_cause) ? "failed" : undefined,
  skipReason: (event) =>
    event.event === "Stop" && event.extra.agent_stop_cause === "interrupted"
      ? "the user stopped the agent"
      : claudeFamily.skipReason(event),
  payload: claudePayload({
    fields: { sessionId: ["conversation_id"], message: ["notification_message", "message", "error_details"] },
    readers: {
      cwd: firstWorkspaceRoot,
      answer: ({ _exchange }) => asText(at(_exchange, "exchange", "response_text")),
    },
  }),
  // No transcript is read, because its place and format are unknown.
  settings: {
    folder,
    files: filesIn(folder, claudeFiles),
    defaultEvents: { Notification: 5, Stop: 5, SessionEnd: 3 },
    // Only optional: it is untested, and the output of its hooks becomes part of the conversation.
    optionalEvents: ["PromptSubmit"],
    forbiddenEvents: outputIsContext,
    timeoutUnit: "ms",
    ignoresFileWith: ["comments", "trailing commas"],
    program: { files: ["auggie"] },
    afterInstall: ["Restart running Auggie sessions: hooks are read at start."],
  },
});
