import { defineAgent } from "../core/agent.ts";
import { commonFirings, quietNotifications, unfinishedStop } from "./claude-shape.ts";
import { qwenTranscript } from "./transcripts/qwen.ts";

/** Qwen Code. Measured with 0.15.10 and 0.24.4. */
export const qwen = defineAgent({
  name: "qwen",
  title: "Qwen Code",
  source: "https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/",
  footprint: "/.qwen/",
  firings: {
    ...commonFirings,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    StopFailure: { event: "Stop", kind: "failed" },
  },
  notificationKinds: quietNotifications,
  echoes: [
    { firing: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 },
    { firing: "Notification", notificationType: "idle_prompt", after: "StopFailure", withinMs: 90_000 },
    { firing: "Notification", notificationType: "permission_prompt", after: "PermissionRequest", withinMs: 10_000 },
  ],
  falseEnd: unfinishedStop,
  transcript: qwenTranscript,
});
