import { statSync } from "node:fs";
import { delimiter } from "node:path";
import { searchFolders } from "./which.ts";

const posixNames = [
  ...["HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
  // The two WSL variables let programs in WSL start Windows programs.
  ...["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "WSL_DISTRO_NAME", "WSL_INTEROP"],
];
const posixPrefixes = ["LC_", "PULSE_", "PIPEWIRE_"];
const windowsNames = [
  ...["SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT", "COMSPEC"],
  ...["USERNAME", "LANG", "TZ"],
];
const fallbackPath = "/usr/local/bin:/usr/bin:/bin";

/**
 * Builds the environment for a child process: those variables of `env` that a short list allows, and all variables of
 * `added`. Leaves out API keys, and variables that change how Node or libraries behave (`NODE_OPTIONS`, `DEBUG`).
 */
export function childEnv(
  env: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>> = {},
  runtimeRoot = "/run/user",
): Record<string, string> {
  const windows = process.platform === "win32";
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value && (windows ? windowsNames.includes(name.toUpperCase()) : isPosixName(name))) {
      kept[name] = value;
    }
  }
  kept["PATH"] = searchFolders(env).join(delimiter) || (windows ? "" : fallbackPath);
  return { ...(windows ? {} : sessionVariables(env, runtimeRoot)), ...kept, ...added };
}

function isPosixName(name: string): boolean {
  return posixNames.includes(name) || posixPrefixes.some((prefix) => name.startsWith(prefix));
}

/**
 * Returns the variables that locate the user's runtime folder and session bus on a systemd machine, as far as these
 * exist. A hook started over SSH or by a daemon does not inherit the variables.
 */
export function sessionVariables(env: NodeJS.ProcessEnv, runtimeRoot = "/run/user"): Record<string, string> {
  const folder = env["XDG_RUNTIME_DIR"] || `${runtimeRoot}/${process.getuid?.() ?? ""}`;
  const found: Record<string, string> = {};
  const folderStat = statSync(folder, { throwIfNoEntry: false });
  if (folderStat?.isDirectory() && folderStat.uid === process.getuid?.()) found["XDG_RUNTIME_DIR"] = folder;
  const bus = statSync(`${folder}/bus`, { throwIfNoEntry: false });
  if (bus?.isSocket()) found["DBUS_SESSION_BUS_ADDRESS"] = `unix:path=${folder}/bus`;
  return found;
}
