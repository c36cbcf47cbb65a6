import { modelUrl } from "../model/server.ts";
import { type RealAgent, usual, writeInHome } from "./agent.ts";

export const kimi: RealAgent = {
  ...usual,
  name: "kimi",
  env: { KIMI_DISABLE_TELEMETRY: "1", KIMI_CODE_NO_AUTO_UPDATE: "1" },
  prepare() {
    writeInHome(
      ".kimi-code/config.toml",
      `default_model = "scripted"
telemetry = false

[providers.scripted]
type = "openai"
base_url = "${modelUrl}/v1"
api_key = "scripted"

[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 100000
`,
    );
  },
  headless: (prompt) => ["kimi", "-p", prompt],
  interactive: ["kimi"],
  resume: ["kimi", "--continue"],
  ready: /context: \d/,
  readyForSeconds: 3,
  dialogs: [[/Trust this folder\?/, "Enter"]],
  sessions: ".kimi-code",
  asksPermission: /Approve once|Run this command\?/,
  answer: ["Enter", "Enter"],
  exit: "/exit",
  compact: "/compact",
  varies: [/^scripted ~\/shop/],
};
