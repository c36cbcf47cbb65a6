import { expect, test } from "vitest";
import { checkedEnvironment, terminalVariables } from "../../src/core/terminal-environment.ts";

const long = `/${"x".repeat(200)}`;
const paths = ["relative/socket", "/tmp/a\nb", "/tmp/a\u001b[0m", long, "unix:/tmp/socket"];
const numbers = ["-1", "1;reboot", "0x1f", "12345678901", " 1"];
/** For each variable: a value that may be, then five that may not. */
const values: Readonly<Record<string, readonly [string, ...string[]]>> = {
  TMUX: ["/tmp/tmux-1000/default,4711,0", "/tmp/a", "tmux,1,0", "/tmp/a,1,0;x", "/tmp/a\n,1,0", `${long},1,0`],
  TMUX_PANE: ["%3", "3", "%3;kill-server", "%", "-t", "%9999999999"],
  ZELLIJ_SESSION_NAME: ["happy-fox", "-s", "a/b", "a;reboot", "a\nb", "x".repeat(100)],
  ZELLIJ_PANE_ID: ["3", ...numbers],
  KITTY_LISTEN_ON: ["unix:/tmp/kitty-1", "tcp:host:1", "unix:@kitty", "/tmp/kitty", "unix:kitty", `unix:${long}`],
  KITTY_PID: ["4711", ...numbers],
  KITTY_WINDOW_ID: ["1", ...numbers],
  WEZTERM_PANE: ["0", ...numbers],
  WEZTERM_UNIX_SOCKET: ["/run/user/1000/wezterm/gui-sock-1", ...paths],
  TERM_PROGRAM: ["iTerm.app", "-a", "/bin/sh", "a b", "a\nb", "x".repeat(100)],
  ITERM_SESSION_ID: [
    "w0t1p0:0A1B2C3D-0000-4000-8000-0123456789AB",
    "0A1B2C3D-0000-4000-8000-0123456789AB",
    "w0t1p0:x",
    'w0t1p0:0A1B2C3D-0000-4000-8000-0123456789A"',
    "w0t1p0:0A1B2C3D-0000-4000-8000-0123456789AB\n",
    `w0t1p0:${"A".repeat(200)}`,
  ],
  TERM_SESSION_ID: ["w0t0p0:0A1B2C3D", "a b", 'a"b', "a\nb", "$(reboot)", long],
  WARP_FOCUS_URL: [
    "warp://action/focus?pane=1f",
    "https://example.org/",
    "warp://a b",
    "warp://a\nb",
    "file:///etc/passwd",
    `warp://${long}`,
  ],
  SSH_TTY: ["/dev/pts/3", "pts/3", "/tmp/x", "/dev/pts/3\n", "/dev/pts/3;reboot", `/dev${long}`],
  WINDOWID: ["14680077", ...numbers],
  DISPLAY: [":0", "localhost:10.0", ":0;x", ":../../x", ":0.1", "unix/:0"],
  XAUTHORITY: ["/home/dev/.Xauthority", ...paths],
  WAYLAND_DISPLAY: ["wayland-0", "a b", "$(reboot)", "a\nb", "a\u0000b", long],
  SWAYSOCK: ["/run/user/1000/sway-ipc.1000.1.sock", ...paths],
  NIRI_SOCKET: ["/run/user/1000/niri.wayland-1.1.sock", ...paths],
  HYPRLAND_INSTANCE_SIGNATURE: ["9f1a_17_42", "../../tmp/x", "a/b", ".hidden", "a b", "x".repeat(200)],
  XDG_RUNTIME_DIR: ["/run/user/1000", ...paths],
  XDG_SESSION_DESKTOP: ["plasma", "a b", "-x\n", "$(reboot)", "a/b", "x".repeat(100)],
  DBUS_SESSION_BUS_ADDRESS: [
    "unix:path=/run/user/1000/bus",
    "unix:abstract=/tmp/dbus-1",
    "unixexec:path=/bin/sh",
    "tcp:host=example.org,port=1",
    "unix:path=/a;unix:path=/b",
    "unix:path=relative",
  ],
};

test.each(terminalVariables.map((name) => [name] as const))(
  "%s is taken as it should be, and in no other form",
  (name) => {
    const [good = "", ...bad] = values[name] ?? [];
    expect(checkedEnvironment({ [name]: good }, terminalVariables)).toEqual({ [name]: good });
    expect(bad).toHaveLength(5);
    for (const value of bad) expect(checkedEnvironment({ [name]: value }, terminalVariables)).toEqual({});
  },
);

test("what is no text is left out", () => {
  for (const value of [3, null, ["3"], {}])
    expect(checkedEnvironment({ WINDOWID: value }, terminalVariables)).toEqual({});
});
