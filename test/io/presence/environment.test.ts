import { chownSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkedEnvironment, isOwnSocket, seatVariables } from "../../../src/io/presence/environment.ts";

const long = `/${"x".repeat(200)}`;
const paths = ["relative/socket", "/tmp/a\nb", "/tmp/a\u001b[0m", long, "unix:/tmp/socket"];
const numbers = ["-1", "1;reboot", "0x1f", "12345678901", " 1"];
/** For each variable: a value that may be, then five that may not. */
const values: Readonly<Record<string, readonly [string, ...string[]]>> = {
  TMUX: ["/tmp/tmux-1000/default,4711,0", "/tmp/a", "tmux,1,0", "/tmp/a,1,0;x", "/tmp/a\n,1,0", `${long},1,0`],
  TMUX_PANE: ["%3", "3", "%3;kill-server", "%", "-t", "%9999999999"],
  KITTY_LISTEN_ON: ["unix:/tmp/kitty-1", "tcp:host:1", "unix:@kitty", "/tmp/kitty", "unix:kitty", `unix:${long}`],
  KITTY_PID: ["4711", ...numbers],
  KITTY_WINDOW_ID: ["1", ...numbers],
  WEZTERM_PANE: ["0", ...numbers],
  WEZTERM_UNIX_SOCKET: ["/run/user/1000/wezterm/gui-sock-1", ...paths],
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

test.each(seatVariables.map((name) => [name] as const))("%s is taken as it should be, and in no other form", (name) => {
  const [good = "", ...bad] = values[name] ?? [];
  expect(checkedEnvironment({ [name]: good }, seatVariables)).toEqual({ [name]: good });
  expect(bad).toHaveLength(5);
  for (const value of bad) expect(checkedEnvironment({ [name]: value }, seatVariables)).toEqual({});
});

let folder: string;
let server: Server;
beforeEach(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "beckon-socket-"));
  server = createServer();
  await new Promise<void>((resolve) => server.listen(join(folder, "socket"), resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a socket is this user's own, and nothing else at a path is", () => {
  const path = (name: string) => join(folder, name);
  expect(isOwnSocket(path("socket"))).toBe(true);
  writeFileSync(path("file"), "");
  symlinkSync(path("socket"), path("link"));
  for (const name of ["file", "link", "nothing", "socket/below"]) expect(isOwnSocket(path(name))).toBe(false);
});

test.runIf(process.getuid?.() === 0)(
  "a socket of another user's is not this user's own, but where that user is trusted",
  () => {
    const path = join(folder, "socket");
    chownSync(path, 65_534, 65_534);
    expect(isOwnSocket(path)).toBe(false);
    expect(isOwnSocket(path, [65_534])).toBe(true);
  },
);
