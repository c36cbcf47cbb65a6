import { modelUrl } from "../model/server.ts";
import { project, type RealAgent, usual, writeInHome } from "./agent.ts";

const key = "sk-ant-scripted-000000000000";

export const claude: RealAgent = {
  ...usual,
  name: "claude",
  env: {
    ...{ ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: key, CLAUDE_CODE_MAX_RETRIES: "2" },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1" },
    ...{ DISABLE_AUTOUPDATER: "1", DISABLE_ERROR_REPORTING: "1" },
  },
  prepare() {
    writeInHome(".claude/settings.json", { permissions: { defaultMode: "default" } }); // auto mode never asks
    writeInHome(".claude.json", {
      hasCompletedOnboarding: true,
      theme: "dark",
      numStartups: 5,
      autoUpdates: false,
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
    });
  },
  headless: (prompt) => ["claude", "-p", prompt],
  interactive: ["claude"],
  planning: ["claude", "--permission-mode", "plan"],
  resume: ["claude", "--continue"],
  ready: /^❯/m,
  readyForSeconds: 1,
  dialogs: [
    [/Make auto mode your default/, "Down", "Enter"],
    [/Do you trust the files|Is this a project you/, "Enter"],
  ],
  sessions: ".claude/projects",
  asksPermission: /Do you want to proceed\?/,
  exit: "/exit",
  compact: "/compact",
  printsAboutHooks: [/\(running \w+ hooks?\b/, /\bhooks? ·/],
  varies: [/\bfor #[ms]/, /\? for shortcuts/, /tmux focus-events/],
};
