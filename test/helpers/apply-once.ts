/** Child process of the crash and race tests: applies one install (or, with `uninstall`, one uninstall) of the job on argv. */
import { pathsOf } from "../../src/core/paths.ts";
import { applyInstall, applyUninstall } from "../../src/settings/apply.ts";
import { ownCommands } from "../../src/settings/own.ts";
import { wantedFor } from "./settings-jobs.ts";

const [action, root = "", path = ""] = process.argv.slice(2);
const base = {
  agent: "droid",
  scope: "user",
  file: { path, shape: "wrapped" },
  own: ownCommands({ commands: [], roots: [] }),
} as const;
const job = { ...base, wanted: wantedFor("Notification", "Stop"), ignoresFileWith: [], chosen: {} };
if (action === "uninstall") await applyUninstall(pathsOf(root), base);
else await applyInstall(pathsOf(root), job);
