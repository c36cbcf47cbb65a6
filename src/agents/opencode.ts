import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { openCodeFamily, openCodeSettings } from "./shared/opencode-family.ts";

const settings = openCodeSettings("opencode", "OPENCODE_CONFIG_DIR");

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
    ...settings,
    servers: (environment) =>
      ["opencode.jsonc", "opencode.json"].map((file) => ({
        path: join(settings.folder(environment), file),
        shape: "local-servers",
      })),
    program: { files: ["opencode"], unmeasuredFrom: "2.0.0" },
    afterInstall: ["Restart running OpenCode sessions: plugins are loaded at start."],
  },
});
