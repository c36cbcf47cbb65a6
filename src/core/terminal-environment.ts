const path = /^\/[^\0-\x1f\x7f"\\]{1,106}$/;
const number = /^\d{1,10}$/;

/** Environment variables from which an agent's terminal is found, with the patterns of valid values. */
const patterns = {
  TMUX: /^\/[^\0-\x1f\x7f",\\]{1,106},\d{1,10},\d{1,10}$/,
  TMUX_PANE: /^%\d{1,9}$/,
  ZELLIJ_SESSION_NAME: /^\w[\w. -]{0,63}$/,
  ZELLIJ_PANE_ID: number,
  KITTY_LISTEN_ON: /^unix:\/[^\0-\x1f\x7f"\\]{1,106}$/,
  KITTY_PID: number,
  KITTY_WINDOW_ID: number,
  WEZTERM_PANE: number,
  WEZTERM_UNIX_SOCKET: path,
  TERM_PROGRAM: /^[A-Za-z][\w.-]{0,31}$/,
  ITERM_SESSION_ID: /^w\d{1,5}t\d{1,5}p\d{1,5}:[0-9A-F-]{36}$/,
  TERM_SESSION_ID: /^[\w:-]{1,64}$/,
  WARP_FOCUS_URL: /^warp[a-z]{0,10}:\/\/[\w./?=&%-]{1,200}$/,
  SSH_TTY: /^\/dev\/[\w./-]{1,64}$/,
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

/** Variables that identify a terminal and its desktop, with valid values. */
export type TerminalEnvironment = Readonly<Partial<Record<Name, string>>>;

/** Names of all variables in `TerminalEnvironment`. */
export const terminalVariables = Object.keys(patterns) as Name[];

/** Variables that identify the desktop. All programs on a desktop have the same values. */
export const desktopVariables: readonly Name[] = [
  ...(["DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "SWAYSOCK", "NIRI_SOCKET", "HYPRLAND_INSTANCE_SIGNATURE"] as const),
  ...(["XDG_RUNTIME_DIR", "XDG_SESSION_DESKTOP", "DBUS_SESSION_BUS_ADDRESS"] as const),
];

/** Variables that hooks record for focusing a terminal later, when the agent's process may be gone. */
export const recordedVariables: readonly Name[] = [
  ...(["TMUX", "TMUX_PANE", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID", "KITTY_LISTEN_ON", "KITTY_WINDOW_ID"] as const),
  ...(["WEZTERM_PANE", "WEZTERM_UNIX_SOCKET", "TERM_PROGRAM", "ITERM_SESSION_ID", "TERM_SESSION_ID"] as const),
  ...(["WARP_FOCUS_URL", "SSH_TTY", "WINDOWID", "DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "NIRI_SOCKET"] as const),
  "HYPRLAND_INSTANCE_SIGNATURE",
];

/** Returns the valid values of `recordedVariables` in an environment or a record; undefined if there are none. */
export function recordedTerminal(env: Readonly<Record<string, unknown>>): TerminalEnvironment | undefined {
  const found = checkedEnvironment(env, recordedVariables);
  return Object.keys(found).length > 0 ? found : undefined;
}

/** Returns the valid values of the named variables. Drops invalid values, because values become paths and arguments. */
export function checkedEnvironment(
  env: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): TerminalEnvironment {
  const isAsItShould = (name: Name) => typeof env[name] === "string" && patterns[name].test(env[name]);
  return Object.fromEntries(names.filter(isAsItShould).map((name) => [name, env[name]]));
}
