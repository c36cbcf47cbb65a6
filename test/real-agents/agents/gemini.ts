import { modelUrl } from "../model/server.ts";
import { project, type RealAgent, usual, writeInHome } from "./agent.ts";

export const gemini: RealAgent = {
  ...usual,
  name: "gemini",
  env: { GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: modelUrl },
  prepare() {
    writeInHome(".gemini/settings.json", {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
      privacy: { usageStatisticsEnabled: false },
    });
    writeInHome(".gemini/trustedFolders.json", { [project]: "TRUST_FOLDER" });
  },
  headless: (prompt) => ["gemini", "-p", prompt],
  interactive: ["gemini"],
  resume: ["gemini", "--resume", "latest"],
  ready: /Type your message/,
  readyForSeconds: 2,
  sessions: ".gemini/tmp",
  asksPermission: /Allow execution/,
  exit: "/quit",
  compact: "/compress",
  printsAboutHooks: [
    /Executing Hooks?: beckon\b/,
    /execution plan for \w+/,
    /Expanding hook command|Hook execution for/,
  ],
  varies: [/esc to cancel/, /^(Wall Time|Agent Active|» (API|Tool) Time)/],
};
