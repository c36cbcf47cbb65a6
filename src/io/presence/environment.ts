import { lstatSync } from "node:fs";

const path = /^\/[^\0-\x1f\x7f]{1,106}$/;
const number = /^\d{1,10}$/;

/** The only variables that are read of an agent's environment to find its terminal, and what each may look like. */
const patterns = {
  TMUX: /^\/[^\0-\x1f\x7f,]{1,106},\d{1,10},\d{1,10}$/,
  TMUX_PANE: /^%\d{1,9}$/,
  KITTY_LISTEN_ON: /^unix:\/[^\0-\x1f\x7f]{1,106}$/,
  KITTY_PID: number,
  KITTY_WINDOW_ID: number,
  WEZTERM_PANE: number,
  WEZTERM_UNIX_SOCKET: path,
  WINDOWID: number,
  DISPLAY: /^:\d{1,5}(?:\.0)?$/,
  XAUTHORITY: path,
  WAYLAND_DISPLAY: /^[\w./-]{1,106}$/,
  SWAYSOCK: path,
  NIRI_SOCKET: path,
  HYPRLAND_INSTANCE_SIGNATURE: /^\w[\w.-]{0,127}$/,
  XDG_RUNTIME_DIR: path,
  XDG_SESSION_DESKTOP: /^[\w.:-]{1,64}$/,
  DBUS_SESSION_BUS_ADDRESS: /^unix:path=\/[^\0-\x1f\x7f,;%]{1,106}(?:,guid=[0-9a-f]{32})?$/,
} as const;
type Name = keyof typeof patterns;

/** The variables that say where a terminal and its desktop are, each as it should look. */
export type SeatEnvironment = Readonly<Partial<Record<Name, string>>>;

/** All of them. */
export const seatVariables = Object.keys(patterns) as Name[];

/** Those that say where the desktop is, which is the same for all programs on it. */
export const desktopVariables = [
  ...["DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "SWAYSOCK", "NIRI_SOCKET", "HYPRLAND_INSTANCE_SIGNATURE"],
  ...["XDG_RUNTIME_DIR", "XDG_SESSION_DESKTOP", "DBUS_SESSION_BUS_ADDRESS"],
] as readonly Name[];

/** Those of the named variables that look as they may; others are left out, for they would become paths and arguments. */
export function checkedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly Name[],
): SeatEnvironment {
  return Object.fromEntries(
    names.filter((name) => patterns[name].test(env[name] ?? "")).map((name) => [name, env[name]]),
  );
}

/**
 * Whether there is a socket at this path, not behind a link, that this user made.
 * @param others users whose socket it may be as well
 */
export function isOwnSocket(file: string, others: readonly number[] = []): boolean {
  try {
    const found = lstatSync(file);
    return found.isSocket() && [process.getuid?.(), ...others].includes(found.uid);
  } catch {
    return false;
  }
}
