import { modelUrl } from "../model/server.ts";
import { project, type RealAgent, usual, writeInHome } from "./agent.ts";

export const copilot: RealAgent = {
  ...usual,
  name: "copilot",
  env: {
    ...{ COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`, COPILOT_PROVIDER_TYPE: "openai", COPILOT_MODEL: "scripted" },
    ...{ COPILOT_PROVIDER_API_KEY: "scripted", COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
  },
  prepare() {
    const folders = [project];
    writeInHome(".copilot/config.json", { trustedFolders: folders, trusted_folders: folders, banner: "never" });
  },
  headless: (prompt) => ["copilot", "-p", prompt],
  interactive: ["copilot"],
  resume: ["copilot", "--continue"],
  ready: /Type @ to mention|\? for shortcuts|Describe a task|❯/,
  readyForSeconds: 2,
  dialogs: [[/Do you trust the files|Confirm folder trust/, "Enter"]],
  sessions: ".copilot/session-state",
  asksPermission: /Do you want to run this command\?|1\. Yes/,
  interrupt: ["Escape", "Escape"],
  exit: "/exit",
  compact: "/compact",
  printsAboutHooks: [/Loading: .*# hooks?/, /^hooks, #$/],
  varies: [/^\$ Shell/, /Tip:/, /Working/, /open sidebar/, /Package extraction/],
};
