import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { at } from "../core/json-value.ts";
import { droidHooksFile } from "./schemas/hooks-files.ts";
import { agentFolder, filesIn, pathByPlatform } from "./shared/agent-paths.ts";
import { claudeFamily, claudePayload, outputIsContext } from "./shared/claude-family.ts";
import { claudePlugin } from "./shared/claude-plugin.ts";
import { reportSkipReason } from "./shared/prompts.ts";
import { droidTranscript } from "./transcripts/droid.ts";

/** Droid's folder. `FACTORY_HOME_OVERRIDE` is undocumented, but read by Droid 0.223. */
const folder = agentFolder({ name: ".factory", homeVariable: "FACTORY_HOME_OVERRIDE" });

const hookFiles = { "hooks.json": "bare", "hooks/hooks.json": "bare", "settings.json": "wrapped" } as const;

/** Folder of an organization's settings. https://docs.factory.ai/droid-cli/settings */
const machineFolder = pathByPlatform({
  darwin: "/Library/Application Support/Factory",
  win32: "C:\\Program Files\\Factory",
  linux: "/etc/factory",
});

/** Factory Droid. Tested with 0.215.0. */
export const droid = defineAgent({
  name: "droid",
  title: "Droid",
  aliases: ["factory"],
  source: "https://docs.factory.ai/reference/hooks-reference",
  transcriptPathHint: "/.factory/",
  projectVariables: ["DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR"],
  ...claudeFamily,
  echoes: [...claudeFamily.echoes, { nativeEvent: "SessionEnd", after: "SessionEnd", withinMs: 30_000 }],
  payload: claudePayload({ fields: { turnId: ["message_id"] } }),
  skipReason(event) {
    if (event.notificationType === "idle_prompt" && event.message?.startsWith("Agent stopped by user")) {
      return "the user stopped the agent";
    }
    if (event.turnId?.startsWith("task-completion:")) return reportSkipReason;
    return claudeFamily.skipReason(event);
  },
  // Without this reply, Droid 0.215.0 shows the user a row with the hook's whole command line.
  neutralReply: '{"suppressOutput":true}',
  transcript: droidTranscript,
  permissionHook: "its only hook that can decide runs for every call, before it is known whether you will be asked",
  settings: {
    folder,
    files: filesIn(folder, { user: hookFiles, project: hookFiles, local: { "settings.local.json": "wrapped" } }),
    sessions: "sessions",
    defaultEvents: { UserPromptSubmit: 5, Notification: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    forbiddenEvents: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["trailing commas", "a byte-order mark"],
    schema: droidHooksFile,
    offSwitches: { hooksDisabled: true },
    switches: (environment) => [
      {
        path: join(machineFolder(environment.platform), "settings.json"),
        off: { hooksDisabled: true, allowManagedHooksOnly: true },
      },
      // These settings also disable the hooks in a `hooks.json`.
      ...["settings.json", "settings.local.json"].map((name) => ({
        path: join(folder(environment), name),
        off: { hooksDisabled: true },
      })),
    ],
    program: {
      files: ["droid"],
      minimumVersion: { version: "0.202.0", reason: "versions before it skip hooks after a regression" },
    },
    afterInstall: ["Restart running Droid sessions, or open /hooks in them: Droid reads its hooks at start."],
  },
  plugin: claudePlugin({
    source: "https://docs.factory.ai/guides/building/building-plugins",
    folderVariable: "${DROID_PLUGIN_ROOT}",
    program: "droid",
    manifestFolder: ".factory-plugin",
    folder,
    list: join("plugins", "installed_plugins", "*.json"),
    entriesIn: (record) => {
      const id = at(record, "pluginId");
      return typeof id === "string" ? [[id, at(record, "entry")]] : [];
    },
  }),
});
