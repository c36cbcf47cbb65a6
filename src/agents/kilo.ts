import { defineAgent } from "../core/agent.ts";
import { openCodeFamily, openCodeSettings } from "./shared/opencode-family.ts";

/** Kilo CLI, a fork of OpenCode. Tested with 7.7.9. Kilo's editor extensions do not load beckon's module. */
export const kilo = defineAgent({
  name: "kilo",
  title: "Kilo CLI",
  aliases: ["kilocode"],
  source: "https://kilo.ai/docs/code-with-ai/platforms/cli",
  transcriptPathHint: "/.kilo/",
  ...openCodeFamily,
  settings: {
    ...openCodeSettings("kilo", "KILO_CONFIG_DIR"),
    program: { files: ["kilo", "kilocode"] },
    afterInstall: ["Restart running Kilo sessions: plugins are loaded at start."],
  },
});
