import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { commonFirings, quietNotifications, unfinishedStop } from "./claude-shape.ts";
import { droidTranscript } from "./transcripts/droid.ts";

/** Factory Droid. Measured with 0.215.0. */
export const droid = defineAgent({
  name: "droid",
  title: "Droid",
  source: "https://docs.factory.ai/reference/hooks-reference",
  footprint: "/.factory/",
  firings: commonFirings,
  notificationKinds: quietNotifications,
  echoes: [
    { firing: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 },
    { firing: "SessionEnd", after: "SessionEnd", withinMs: 30_000 },
  ],
  falseEnd(event) {
    if (event.notificationType === "idle_prompt" && event.message?.startsWith("Agent stopped by user")) {
      return "the user stopped the agent";
    }
    return unfinishedStop(event);
  },
  transcript: droidTranscript,
  settings: {
    folder: ({ home }) => join(home, ".factory"),
    files(scope, { home, project }) {
      const folder = join(scope === "user" ? home : project, ".factory");
      if (scope === "local") return [{ path: join(folder, "settings.local.json"), shape: "wrapped" }];
      return [
        { path: join(folder, "hooks.json"), shape: "bare" },
        { path: join(folder, "hooks", "hooks.json"), shape: "bare" },
        { path: join(folder, "settings.json"), shape: "wrapped" },
      ];
    },
    register: { Notification: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    timeoutUnit: "s",
    ignoresFileWith: ["trailing commas", "a byte-order mark"],
    offSwitches: { hooksDisabled: true },
    afterInstall: ["Restart running Droid sessions, or open /hooks in them: Droid reads its hooks at start."],
  },
});
