import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import {
  commonFirings,
  movedFolder,
  outputIsContext,
  pathByPlatform,
  quietNotifications,
  unfinishedStop,
} from "./shared/claude-family.ts";
import { droidTranscript } from "./transcripts/droid.ts";

/** Where an organisation's settings are. https://docs.factory.ai/droid-cli/settings */
const machineFolder = pathByPlatform({
  darwin: "/Library/Application Support/Factory",
  win32: "C:\\Program Files\\Factory",
  linux: "/etc/factory",
});

/** Factory Droid. Measured with 0.215.0. */
export const droid = defineAgent({
  name: "droid",
  title: "Droid",
  source: "https://docs.factory.ai/reference/hooks-reference",
  measured: ["0.215.0"],
  footprint: "/.factory/",
  firings: commonFirings,
  notificationKinds: quietNotifications,
  echoes: [
    { firing: "Notification", notificationType: "idle_prompt", after: "Stop", withinMs: 90_000 },
    { firing: "SessionEnd", after: "SessionEnd", withinMs: 30_000 },
  ],
  falseEnd(event) {
    if (event.notificationType === "idle_prompt" && event.message?.startsWith("Agent stopped by user")) {
      return "the user stopped the agent";
    }
    return unfinishedStop(event);
  },
  transcript: droidTranscript,
  settings: {
    folder: ({ home, env }) => join(userRoot(home, env), ".factory"),
    files(scope, { home, project, env }) {
      const folder = join(scope === "user" ? userRoot(home, env) : project, ".factory");
      if (scope === "local") return [{ path: join(folder, "settings.local.json"), shape: "wrapped" }];
      return [
        { path: join(folder, "hooks.json"), shape: "bare" },
        { path: join(folder, "hooks", "hooks.json"), shape: "bare" },
        { path: join(folder, "settings.json"), shape: "wrapped" },
      ];
    },
    register: { Notification: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    never: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["trailing commas", "a byte-order mark"],
    offSwitches: { hooksDisabled: true },
    switches: ({ home, env, platform }) => [
      {
        path: join(machineFolder(platform), "settings.json"),
        off: { hooksDisabled: true, allowManagedHooksOnly: true },
      },
      // With a hooks.json of their own, hooks are still switched off here.
      ...["settings.json", "settings.local.json"].map((name) => ({
        path: join(userRoot(home, env), ".factory", name),
        off: { hooksDisabled: true },
      })),
    ],
    program: {
      files: ["droid"],
      floor: { version: "0.202.0", reason: "versions before it skip hooks after a regression" },
    },
    afterInstall: ["Restart running Droid sessions, or open /hooks in them: Droid reads its hooks at start."],
  },
});

/** Undocumented, and read by Droid 0.223: `FACTORY_HOME_OVERRIDE` stands for the home folder. */
function userRoot(home: string, env: NodeJS.ProcessEnv): string {
  return movedFolder(env["FACTORY_HOME_OVERRIDE"]) ?? home;
}
