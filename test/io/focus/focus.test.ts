import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TerminalEnvironment } from "../../../src/core/terminal-environment.ts";
import { createExec } from "../../../src/io/exec.ts";
import { bestClient, createFocus } from "../../../src/io/focus/focus.ts";
import { findSeat } from "../../../src/io/presence/question.ts";
import { startInPty, useTerminals } from "../../world/agent-terminals.ts";
import { listenAt } from "../../world/listen-at.ts";
import { recordArgs, useStubPrograms } from "../../world/stub-programs.ts";

describe("focus", () => {
  // Programs missing in Debian, or untestable: stubs and servers that answer as documented.
  const world = useTerminals({ PATH: process.env["PATH"], SHELL: "/bin/sh" });
  const stubs = useStubPrograms();

  const port = (env: NodeJS.ProcessEnv = {}, platform: NodeJS.Platform = "linux") =>
    createFocus(createExec(stubs.env, []), { env, platform });

  async function listen(path: string, reply: (request: string) => string): Promise<string[]> {
    const requests: string[] = [];
    await listenAt(path, (socket) => {
      socket.on("data", (chunk) => {
        requests.push(chunk.toString());
        socket.end(reply(chunk.toString()));
      });
    });
    return requests;
  }

  const session = "0A1B2C3D-0000-4000-8000-0123456789AB";
  test.each<[string, TerminalEnvironment, string, string[]]>([
    ["iTerm2", { TERM_PROGRAM: "iTerm.app", ITERM_SESSION_ID: `w0t1p0:${session}` }, "osascript", [session]],
    ["Terminal", { TERM_PROGRAM: "Apple_Terminal" }, "osascript", ["/dev/ttys003"]],
    ["Ghostty", { TERM_PROGRAM: "ghostty" }, "open", ["-b", "com.mitchellh.ghostty"]],
    ["Warp", { WARP_FOCUS_URL: "warp://action/focus?pane=1f" }, "open", ["warp://action/focus?pane=1f"]],
  ])("on macOS %s is asked for its program and tab, by arguments alone", async (_, terminal, program, args) => {
    stubs.add("open", recordArgs);
    stubs.add("ps", "echo ttys003");
    stubs.add("osascript", `${recordArgs}\necho found`);
    await port({}, "darwin").focus([4711], terminal);
    expect(stubs.readArgs(program)?.slice(-args.length)).toEqual(args);
  });

  test("on macOS a terminal without a name, and on Windows any, cannot be brought to the front", async () => {
    const obstacles = { darwin: "its program was not recorded", win32: "Windows does not allow programs to do that" };
    for (const [platform, obstacle] of Object.entries(obstacles)) {
      const result = await port({}, platform as NodeJS.Platform).focus([process.pid], { WINDOWID: "1" });
      expect(result).toMatchObject({ isInFront: false, steps: [{ obstacle }] });
    }
  });

  test("zellij and WezTerm are asked for the pane", async () => {
    for (const name of ["zellij", "wezterm"]) stubs.add(name, recordArgs);
    await port().focus([], { ZELLIJ_SESSION_NAME: "happy-fox", ZELLIJ_PANE_ID: "2" });
    expect(stubs.readArgs("zellij")).toEqual(["--session", "happy-fox", "action", "focus-pane-id", "2"]);
    const socket = join(world.folder, "wezterm");
    await listen(socket, () => "");
    await port().focus([], { WEZTERM_PANE: "3", WEZTERM_UNIX_SOCKET: socket });
    expect(stubs.readArgs("wezterm")).toEqual(["cli", "--no-auto-start", "activate-pane", "--pane-id", "3"]);
  });

  /** Starts a terminal without a window of its own. Returns its processes, and the process that holds it. */
  async function startTerminal(program = "script", env: NodeJS.ProcessEnv = {}) {
    startInPty(world.buildCommand("agent")[2] ?? "", { PATH: process.env["PATH"], SHELL: "/bin/sh", ...env }, program);
    const processes = await world.findProcesses("agent");
    onTestFinished(() => {
      for (const pid of processes) process.kill(pid, "SIGKILL");
    });
    return { processes, pid: findSeat(processes)?.holder?.pid };
  }

  test("niri is asked for the window of the process that holds the terminal, if it has just one", async () => {
    const { processes, pid } = await startTerminal();
    let windows = [{ id: 6, pid: 1 }, { id: 7, pid }]; // biome-ignore format: pairs
    const NIRI_SOCKET = join(world.folder, "niri");
    const answer = (request: string) => (request === '"Windows"\n' ? { Windows: windows } : "Handled");
    const requests = await listen(NIRI_SOCKET, (request) => `${JSON.stringify({ Ok: answer(request) })}\n`);
    expect(await port({ NIRI_SOCKET }).focus(processes, undefined)).toMatchObject({ isInFront: true });
    expect(requests.at(-1)).toBe('{"Action":{"FocusWindow":{"id":7}}}\n');
    windows = [...windows, { id: 8, pid }];
    expect((await port({ NIRI_SOCKET }).focus(processes, undefined)).steps[0]?.obstacle).toContain("any of 2");
    expect(requests.at(-1)).toBe('"Windows"\n');
  });

  test("Hyprland is asked for the window of the process that holds the terminal, by address only", async () => {
    const { processes, pid } = await startTerminal();
    let address = "0x5f7a1c2b3d40";
    const folder = join(world.folder, "hypr", "one");
    mkdirSync(folder, { recursive: true });
    const clients = () => JSON.stringify([{ address: "0x1", pid: 1 }, { address, pid }]); // biome-ignore format: pairs
    const answer = (request: string) => (request === "j/clients" ? clients() : "ok");
    const requests = await listen(join(folder, ".socket.sock"), answer);
    const hyprland = port({ HYPRLAND_INSTANCE_SIGNATURE: "one", XDG_RUNTIME_DIR: world.folder });
    expect(await hyprland.focus(processes, undefined)).toMatchObject({ isInFront: true });
    expect(requests.at(-1)).toBe(`dispatch focuswindow address:${address}`);
    address = "0x1; dispatch exec touch PWNED";
    await hyprland.focus(processes, undefined);
    expect(requests.at(-1)).not.toContain("PWNED");
  });

  test("kdotool is asked for the KDE window of the process that holds the terminal", async () => {
    const { processes, pid } = await startTerminal();
    const id = "{0b5e8f6a-1111-4222-8333-444455556666}";
    stubs.add("kdotool", `${recordArgs}\n[ "$*" = "search --pid ${pid}" ] && echo '${id}'; exit 0`);
    const kde = port({ WAYLAND_DISPLAY: "wayland-0", XDG_SESSION_DESKTOP: "KDE" });
    expect(await kde.focus(processes, undefined)).toMatchObject({ isInFront: true });
    expect(stubs.readArgs("kdotool")).toEqual(["windowactivate", id]);
  });

  test("VS Code is asked for the window of the agent's folder", async () => {
    const code = join(world.folder, "code"); // a program of that name holds the terminal
    copyFileSync("/usr/bin/script", code);
    chmodSync(code, 0o755);
    stubs.add("code", recordArgs);
    const { processes } = await startTerminal(code, { TERM_PROGRAM: "vscode" });
    expect(await port().focus(processes, { TERM_PROGRAM: "vscode" })).toMatchObject({ isInFront: true });
    expect(stubs.readArgs("code")).toEqual([process.cwd()]);
  });
});

const shown = "11 1700000001 $1 /dev/pts/3 ,attached,focused,UTF-8,";
const newest = "12 1700000009 $2 /dev/pts/4 ,attached,";
const older = "13 1700000005 $2 /dev/pts/5 ,attached,";

test.each<[string, readonly string[], number | undefined]>([
  ["the one that shows the session", [newest, shown, older], 11],
  ["otherwise the last used one", [older, newest], 12],
  ["none in control mode", ["14 1700000001 $1 /dev/pts/6 ,attached,control-mode,"], undefined],
  ["none with an invalid terminal", ["15 1700000001 $1 /dev/pts/6;kill-server ,attached,"], undefined],
  ["none if there are none", [""], undefined],
])("a pane is shown by %s", (_, lines, pid) => {
  expect(bestClient(lines.join("\n"), "$1")?.pid).toBe(pid);
});
