import type { AgentEvent } from "../../src/core/event.ts";

/** The end of a turn as input for render. */
export const stopEvent: AgentEvent = {
  id: "id-1",
  atMs: Date.parse("2026-11-20T12:00:00Z"),
  event: "Stop",
  nativeEvent: "Stop",
  agent: "claude",
  kind: "finished",
  sessionId: "0123456789abcdef",
  cwd: "/home/me/shop",
  project: "shop",
  extra: {},
};
