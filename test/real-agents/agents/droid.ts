import { modelUrl } from "../model/server.ts";
import { type RealAgent, usual, writeInHome } from "./agent.ts";

const model = "custom:scripted-0";

export const droid: RealAgent = {
  ...usual,
  name: "droid",
  env: { FACTORY_API_KEY: "fk-scripted", FACTORY_AIRGAP_ENABLED: "true" }, // its documented mode without a network
  prepare() {
    const custom = { model: "scripted", id: model, index: 0, displayName: "scripted" };
    const served = { baseUrl: `${modelUrl}/v1`, provider: "generic-chat-completion-api" };
    const customModels = [{ ...custom, ...served, apiKey: "x", maxOutputTokens: 1000 }];
    writeInHome(".factory/settings.json", { customModels, sessionDefaultSettings: { model } });
  },
  headless: (prompt) => ["droid", "exec", "--model", model, prompt],
  isSilentAboutHeadlessPrompts: true,
  interactive: ["droid"],
  planning: ["droid", "--use-spec"],
  resume: ["droid", "--resume"],
  ready: /│ > [\s\S]*\? for help/m,
  readyForSeconds: 3, // the list of sessions comes late
  dialogs: [
    [/Trust this folder\?/, "Enter"],
    [/Type to filter sessions/, "Enter"],
  ],
  sessions: ".factory/sessions",
  asksPermission: /Yes, allow/,
  exit: "/quit",
  compact: "/compress",
  printsAboutHooks: [
    /\bHooks? (UserPromptSubmit|Notification|Stop|SubagentStop|SessionEnd)\b/,
    /--agent droid \(#s timeout\)/,
  ],
  // Compaction adds a user message without text for each hook that ran.
  tellsOfHooks: [/^USER:$/],
  varies: [/^To resume this session/, /^TIP:/, /Tip:/, /\? for help/, /esc to stop/i],
};
