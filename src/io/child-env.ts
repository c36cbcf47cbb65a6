import { statSync } from "node:fs";
import { delimiter } from "node:path";
import { searchFolders } from "./which.ts";

const posixNames = [
  ...["HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
  // The last two let a program in WSL start a Windows program.
  ...["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "WSL_DISTRO_NAME", "WSL_INTEROP"],
];
const posixPrefixes = ["LC_", "PULSE_", "PIPEWIRE_"];
const windowsNames = [
  ...["SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT", "COMSPEC"],
  ...["USERNAME", "LANG", "TZ"],
];
const fallbackPath = "/usr/local/bin:/usr/bin:/bin";

/**
 * The environment of a child process: a short allow-list from `env`, then `added`. Never an agent's API key, and
 * nothing that changes how Node or a library behaves (`NODE_OPTIONS`, `DEBUG`).
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
 * The variables that name this user's runtime folder and session bus on a systemd machine, as far as both exist: a hook
 * started over SSH or by a daemon does not inherit them.
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
