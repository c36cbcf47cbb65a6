import { modelUrl } from "../model/server.ts";
import { project, type RealAgent, usual, writeInHome } from "./agent.ts";

export const qwen: RealAgent = {
  ...usual,
  name: "qwen",
  env: { OPENAI_API_KEY: "scripted", OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: "scripted" },
  prepare() {
    writeInHome(".qwen/settings.json", {
      security: { auth: { selectedType: "openai" } },
      tools: { approvalMode: "default" }, // auto mode asks a model first
      general: { enableAutoUpdate: false },
      ui: { enableFollowupSuggestions: false }, // requested from the model after a turn, shown if there is time
      privacy: { usageStatisticsEnabled: false },
    });
    writeInHome(".qwen/trustedFolders.json", { [project]: "TRUST_FOLDER" });
  },
  headless: (prompt) => ["qwen", "-p", prompt],
  interactive: ["qwen"],
  planning: ["qwen", "--approval-mode", "plan"],
  resume: ["qwen", "--continue"],
  ready: /Type your message/,
  readyForSeconds: 1,
  sessions: ".qwen/projects",
  asksPermission: /Allow execution|Do you want to proceed/,
  exit: "/quit",
  compact: "/compress",
  varies: [/^Tips:/, /esc to cancel/],
};
