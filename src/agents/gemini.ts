import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import type { SettingsPlace } from "../core/agent-settings.ts";
import { commonFirings, movedFolder, pathByPlatform, quietNotifications, unfinishedStop } from "./shared/claude-family.ts";
import { geminiTranscript } from "./transcripts/gemini.ts";

const noAnswer = "[no response text]";

/** Where an organisation's settings are. https://geminicli.com/docs/reference/configuration */
const systemSettings = pathByPlatform({
  darwin: "/Library/Application Support/GeminiCli/settings.json",
  win32: "C:\\ProgramData\\gemini-cli\\settings.json",
  linux: "/etc/gemini-cli/settings.json",
});

/** Gemini CLI. Measured with 0.61.0. */
export const gemini = defineAgent({
  name: "gemini",
  title: "Gemini CLI",
  source: "https://geminicli.com/docs/hooks",
  measured: ["0.61.0"],
  footprint: "/.gemini/",
  firings: { ...commonFirings, AfterAgent: { event: "Stop", kind: "finished" } },
  notificationKinds: quietNotifications,
  echoes: [{ firing: "SessionEnd", after: "SessionEnd", withinMs: 30_000 }],
  falseEnd: unfinishedStop,
  noAnswer,
  // An API error ended the turn, or the user; the payload does not tell which, the transcript does.
  kindOf: ({ extra }) => (extra["prompt_response"] === noAnswer ? "failed" : undefined),
  transcript: geminiTranscript,
  settings: {
    folder: ({ home, env }) => geminiFolder(home, env),
    files: (scope, place) => (scope === "local" ? [] : [{ path: settingsFile(scope, place), shape: "wrapped" }]),
    register: { Notification: 5, AfterAgent: 5, SessionEnd: 3 },
    never: {
      SessionStart: "what its hooks print becomes part of the conversation",
      BeforeAgent: "what its hooks print becomes part of the conversation, and every prompt waits for them",
      BeforeModel: "every call of the model waits for its hooks",
      BeforeTool: "its hooks decide about tools, and every call waits for them",
    },
    timeoutUnit: "ms",
    // Gemini does not even start with these.
    ignoresFileWith: ["trailing commas", "a byte-order mark"],
    offSwitches: {},
    switches: (place) =>
      [
        systemSettings(place.platform),
        ...(["user", "project"] as const).map((scope) => settingsFile(scope, place)),
      ].map((path) => ({ path, off: { hooksConfig: { enabled: false } }, list: ["hooksConfig", "disabled"] })),
    program: { files: ["gemini"], floor: { version: "0.26.0", reason: "it has no hooks yet" } },
    afterInstall: [
      "Restart running Gemini sessions: hooks are read at start. In a folder you have not trusted none run.",
    ],
  },
});

function settingsFile(scope: "user" | "project", { home, project, env }: SettingsPlace): string {
  return join(scope === "user" ? geminiFolder(home, env) : join(project, ".gemini"), "settings.json");
}

function geminiFolder(home: string, env: NodeJS.ProcessEnv): string {
  return join(movedFolder(env["GEMINI_CLI_HOME"]) ?? home, ".gemini");
}
