import { modelUrl } from "../model/server.ts";
import { type RealAgent, usual, writeInHome } from "./agent.ts";

export const cline: RealAgent = {
  ...usual,
  name: "cline",
  env: { CLINE_TELEMETRY_DISABLED: "1", CLINE_NO_AUTO_UPDATE: "1" },
  prepare() {
    const provider = "openai-compatible";
    const settings = { provider, apiKey: "scripted", model: "scripted", baseUrl: `${modelUrl}/v1` };
    writeInHome(".cline/data/settings/providers.json", {
      version: 1,
      lastUsedProvider: provider,
      modes: {},
      providers: { [provider]: { settings, updatedAt: "2026-11-01T00:00:00.000Z", tokenSource: "manual" } },
    });
  },
  headless: (prompt) => ["cline", prompt],
  interactive: ["cline", "-i", "--auto-approve", "false"],
  resume: ["sh", "-c", 'exec cline -i --auto-approve false --id "$(ls ~/.cline/data/sessions)"'],
  ready: /❯ (What can I do|Ask anything)/,
  maxPauseSeconds: 120,
  readyForSeconds: 3,
  dialogs: [[/any other key to close/i, "Escape"]],
  sessions: ".cline/data/sessions",
  asksPermission: /Approve tool call\?/,
  allow: ["y"],
  refuse: ["n"],
  dismiss: ["Escape"],
  working: /esc to cancel/,
  exit: "/quit",
  compact: "/compact",
  varies: [/^(ID|Continue) .*#_/],
};
