import { expect, test } from "vitest";
import { findOpener, openAddress } from "../../src/io/open-address.ts";

test("addresses open on a local desktop alone", () => {
  const display = { DISPLAY: ":0" };
  const rows: readonly [string, NodeJS.ProcessEnv, NodeJS.Platform, readonly string[] | undefined][] = [
    ["X11", display, "linux", ["xdg-open"]],
    ["Wayland", { WAYLAND_DISPLAY: "wayland-0" }, "linux", ["xdg-open"]],
    ["a console", {}, "linux", undefined],
    ["an empty display", { DISPLAY: "" }, "linux", undefined],
    ["X11 forwarded over SSH", { ...display, SSH_CONNECTION: "10.0.0.1 5 10.0.0.2 22" }, "linux", undefined],
    ["tmux started over SSH", { ...display, SSH_TTY: "/dev/pts/3" }, "linux", undefined],
    ["macOS", {}, "darwin", ["open"]],
    ["macOS over SSH", { SSH_CLIENT: "10.0.0.1 5 22" }, "darwin", undefined],
    ["Windows", {}, "win32", ["cmd", "/c", "start", ""]],
    ["FreeBSD", display, "freebsd", ["xdg-open"]],
  ];
  const found = rows.map(([name, env, platform]) => [name, findOpener(env, platform)]);
  expect(found).toEqual(rows.map(([name, , , opener]) => [name, opener]));
});

test("a missing program opens nothing", async () => {
  expect(await openAddress("http://127.0.0.1:1/", { DISPLAY: ":0", PATH: "/nowhere" }, "linux")).toBe(false);
});
