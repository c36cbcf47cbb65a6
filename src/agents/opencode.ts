import { defineAgent } from "../core/agent.ts";
import { openCodeFamily, openCodeSettings } from "./shared/opencode-family.ts";

/**
 * OpenCode. Tested with 1.18.33; the part for 2.x follows its documentation. OpenCode loads beckon's module into its
 * own process, and the module runs the hooks.
 */
export const opencode = defineAgent({
  name: "opencode",
  title: "OpenCode",
  source: "https://opencode.ai/docs/plugins/",
  transcriptPathHint: "/.opencode/",
  ...openCodeFamily,
  settings: {
    ...openCodeSettings("opencode", "OPENCODE_CONFIG_DIR"),
    program: { files: ["opencode"], unmeasuredFrom: "2.0.0" },
    afterInstall: ["Restart running OpenCode sessions: plugins are loaded at start."],
  },
});
