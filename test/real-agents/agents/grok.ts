import { modelUrl } from "../model/server.ts";
import { type RealAgent, usual, writeInHome } from "./agent.ts";

export const grok: RealAgent = {
  ...usual,
  name: "grok",
  env: { XAI_API_KEY: "scripted", GROK_TELEMETRY_ENABLED: "0", GROK_DISABLE_AUTOUPDATER: "1" },
  prepare() {
    writeInHome(
      ".grok/config.toml",
      `[models]
default = "scripted"

[model.scripted]
model = "scripted"
name = "scripted"
base_url = "${modelUrl}/v1"
api_key = "scripted"
context_window = 128000
`,
    );
  },
  headless: (prompt) => ["grok", "-p", prompt, "-m", "scripted"],
  interactive: ["grok", "-m", "scripted"],
  resume: ["grok", "--continue"],
  ready: /❯|> /,
  readyForSeconds: 3,
  dialogs: [[/trust (this|the) (folder|files|directory)/i, "Enter"]],
  sessions: ".grok/sessions",
  asksPermission: /No, reject/,
  allow: ["2"],
  refuse: ["4"],
  dismiss: ["X"],
  exit: "/exit",
  compact: "/compact",
};
