import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";

/** Cursor, editor and command line. It has no event for permissions or for being idle. */
export const cursor = defineAgent({
  name: "cursor",
  title: "Cursor",
  source: "https://cursor.com/docs/hooks",
  footprint: "/.cursor/",
  firings: {
    stop: { event: "Stop", kind: "finished" },
    subagentStop: { event: "SubagentStop", kind: "info" },
    sessionEnd: { event: "SessionEnd", kind: "info" },
    // As it calls them in hooks that it takes from Claude Code's settings.
    Stop: { event: "Stop", kind: "finished" },
    SubagentStop: { event: "SubagentStop", kind: "info" },
    SessionEnd: { event: "SessionEnd", kind: "info" },
  },
  notificationKinds: {},
  echoes: [],
  // It runs hooks of Claude Code's settings too, and only this tells whose they are.
  isOwn: (payload) => typeof payload["cursor_version"] === "string",
  falseEnd: (event) =>
    event.event === "Stop" && event.extra["status"] === "aborted" ? "the user stopped the agent" : undefined,
  kindOf: (event) => (event.event === "Stop" && event.extra["status"] === "error" ? "failed" : undefined),
  // What is in its transcripts is not established.
  settings: {
    folder: ({ home }) => join(home, ".cursor"),
    files(scope, { home, project }) {
      if (scope === "local") return [];
      return [{ path: join(scope === "user" ? home : project, ".cursor", "hooks.json"), shape: "flat" }];
    },
    register: { stop: 5, subagentStop: 5, sessionEnd: 3 },
    never: {
      beforeSubmitPrompt: "every prompt waits for its hooks",
      preToolUse: "its hooks decide about tools, and every call waits for them",
      sessionStart: "what its hooks print becomes part of the conversation",
    },
    timeoutUnit: "s",
    entry: { constants: {} },
    preamble: { version: 1 },
    // Comments are taken out naively, trailing commas are not established.
    ignoresFileWith: ["trailing commas"],
    offSwitches: {},
    alsoRuns: [{ agent: "claude", scopes: ["user", "project", "local"] }],
    program: { files: ["cursor-agent", "cursor"] },
    afterInstall: [],
  },
});
