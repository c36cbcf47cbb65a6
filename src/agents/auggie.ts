import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { commonFirings, outputIsContext, quietNotifications, unfinishedStop } from "./shared/claude-family.ts";
import { asObject, asText } from "./transcripts/record.ts";

/**
 * Auggie, Augment Code's command line. Measured with 0.36.0: it gives a command line to bash, though its documents know
 * only scripts, and nothing in it runs the Notification hook.
 */
export const auggie = defineAgent({
  name: "auggie",
  title: "Auggie",
  source: "https://docs.augmentcode.com/cli/hooks.md",
  measured: ["0.36.0"],
  footprint: "/.augment/",
  firings: commonFirings,
  notificationKinds: quietNotifications,
  echoes: [{ firing: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 }],
  kindOf: ({ event, extra }) => (event === "Stop" && isFailure(extra["agent_stop_cause"]) ? "failed" : undefined),
  falseEnd: (event) =>
    event.event === "Stop" && event.extra["agent_stop_cause"] === "interrupted"
      ? "the user stopped the agent"
      : unfinishedStop(event),
  answerIn: ({ _exchange }) => asText(asObject(asObject(_exchange)?.["exchange"])?.["response_text"]),
  // Where its transcripts are, and what is in them, is not established.
  settings: {
    folder: ({ home }) => join(home, ".augment"),
    files(scope, { home, project }) {
      const name = scope === "local" ? "settings.local.json" : "settings.json";
      return [{ path: join(scope === "user" ? home : project, ".augment", name), shape: "wrapped" }];
    },
    register: { Notification: 5, Stop: 5, SessionEnd: 3 },
    never: { ...outputIsContext, PromptSubmit: "what its hooks print becomes part of the conversation" },
    timeoutUnit: "ms",
    ignoresFileWith: ["comments", "trailing commas"],
    offSwitches: {},
    program: { files: ["auggie"] },
    afterInstall: ["Restart running Auggie sessions: hooks are read at start."],
  },
});

/** The other causes are `end_turn` and `interrupted`. */
function isFailure(cause: unknown): boolean {
  return cause === "error" || cause === "empty_completion" || cause === "max_iterations";
}
