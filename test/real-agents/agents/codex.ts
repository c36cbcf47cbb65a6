import { modelUrl } from "../model/server.ts";
import { home, project, type RealAgent, usual, writeInHome } from "./agent.ts";

export const codex: RealAgent = {
  ...usual,
  name: "codex",
  env: { SCRIPTED_KEY: "scripted", CODEX_HOME: `${home}/.codex` },
  prepare() {
    writeInHome(
      ".codex/config.toml",
      `model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 2
stream_max_retries = 1

[analytics]
enabled = false

[projects."${project}"]
trust_level = "trusted"
`,
    );
  },
  // Without this flag, or trust given at the terminal, `exec` runs no hooks.
  headless: (prompt) => ["codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", prompt],
  interactive: ["codex"],
  resume: ["codex", "resume", "--last"],
  ready: /› Ask Codex|› [A-Z][^\n]*\n[\s\S]*\? for shortcuts/,
  readyForSeconds: 2,
  dialogs: [
    [/› 1\. Review hooks/, "Down"],
    [/› 2\. Trust all/, "Enter"],
  ],
  sessions: ".codex/sessions",
  reviewsHooks: true,
  asksPermission: /Would you like to run the following command\?/,
  exit: "/quit",
  compact: "/compact",
  varies: [/^Working/, /^Worked for/],
};
