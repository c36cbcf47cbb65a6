import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createExec } from "../../../src/io/exec.ts";
import { createPresence } from "../../../src/io/presence/presence.ts";
import { startDesktopTerminals, startInPty, useTerminals } from "../../world/agent-terminals.ts";
import { listenAt } from "../../world/listen-at.ts";
import { recordArgs, useStubPrograms } from "../../world/stub-programs.ts";
import { useShared } from "../../world/use.ts";

describe("xterm", () => {
  const world = useShared("stop", () => startDesktopTerminals({}));

  /** Starts an xterm with an agent in it, and waits until it is in front. */
  async function openXterm(name: string, program?: string): Promise<void> {
    world.start("xterm", ["-T", name, "-e", ...world.buildCommand(name, program)]);
    await world.raise(name);
  }

  test("on X11 the front terminal has the focus, and the one behind it does not", async () => {
    await openXterm("left");
    await world.until("left", ({ isFocused }) => isFocused === true);
    await openXterm("right");
    await world.until("right", ({ isFocused }) => isFocused === true);
    await world.until("left", ({ isFocused }) => isFocused === false);
    await world.raise("left");
    await world.until("left", ({ isFocused }) => isFocused === true);
    await world.until("right", ({ isFocused }) => isFocused === false);
  });

  test("a terminal that was started from the front one is a different one", async () => {
    const quoted = world.buildCommand("inner").map((word) => `'${word}'`);
    await openXterm("outer", `xterm -iconic -T inner -e ${quoted.join(" ")}; sleep 600`);
    await world.findProcesses("inner");
    await world.raise("outer");
    await world.until("outer", ({ isFocused }) => isFocused === true);
    expect((await world.port().ask(await world.findProcesses("inner"))).isFocused).not.toBe(true);
  });
});

describe("kitty", () => {
  const world = useShared("stop", () => startDesktopTerminals({ LIBGL_ALWAYS_SOFTWARE: "1" }));

  test("kitty itself reports the focused tab and window", async () => {
    const socket = join(world.folder, "kitty");
    const options = ["--config", "NONE", "-o", "allow_remote_control=socket-only", "--title", "kitty"];
    world.start("kitty", [...options, "--listen-on", `unix:${socket}`, ...world.buildCommand("first")]);
    await world.findProcesses("first");
    await world.raise("kitty");
    await world.until("first", ({ isFocused }) => isFocused === true);

    const kitten = (...args: string[]) => world.run("kitty", ["@", "--to", `unix:${socket}`, ...args]);
    await kitten("launch", "--type=tab", ...world.buildCommand("second"));
    await world.until("second", ({ isFocused }) => isFocused === true);
    await world.until("first", ({ isFocused }) => isFocused === false);
    await kitten("launch", "--type=window", ...world.buildCommand("third"));
    await world.until("third", ({ isFocused }) => isFocused === true);
    await world.until("second", ({ isFocused }) => isFocused === false);

    world.start("xterm", ["-T", "elsewhere"]);
    await world.raise("elsewhere");
    await world.until("third", ({ isFocused }) => isFocused === false);
    for (const name of ["first", "third", "second"]) {
      const result = await world.focus(await world.findProcesses(name));
      expect(result).toEqual({ isInFront: true, steps: [{ target: "the window" }, { target: "kitty's window" }] });
      await world.until(name, ({ isFocused }) => isFocused === true);
    }
  });

  test("if kitty does not report it, a window with one tab is known, and with two tabs none is", async () => {
    const tabs = ["--session", join(world.folder, "session")];
    const line = (name: string, program?: string) => `launch sh -c '${world.buildCommand(name, program)[2]}'`;
    const start = async (title: string, names: readonly string[], program?: string) => {
      writeFileSync(tabs[1] ?? "", names.map((name) => `new_tab\n${line(name, program)}\n`).join(""));
      world.start("kitty", ["--config", "NONE", "--title", title, ...tabs]);
      await world.raise(title);
    };
    await start("silent", ["alone"]);
    await world.until("alone", ({ isFocused }) => isFocused === true);
    await start("tabs", ["tab1", "tab2"]);
    for (const name of ["tab1", "tab2"]) await world.until(name, ({ isFocused }) => isFocused === undefined);
    const { steps } = await world.focus(await world.findProcesses("tab1"));
    expect(steps).toMatchObject([{ target: "the window" }, { obstacle: expect.stringContaining("does not answer") }]);
    expect((await world.focus(await world.findProcesses("alone"))).isInFront).toBe(true);
    // The same if the agent does not know the window's number.
    await start("unknown", ["tab3", "tab4"], "exec env -u WINDOWID sleep 600");
    for (const name of ["tab3", "tab4"]) await world.until(name, ({ isFocused }) => isFocused === undefined);
  });
});

describe("tmux", () => {
  const esc = "\u001b";

  const world = useShared("stop", () => startDesktopTerminals({ TERM: "xterm-256color" }));

  /** Starts a separate tmux server with one agent. */
  async function startTmux(name: string, program?: string) {
    const base = ["-S", join(world.folder, `${name}.tmux`), "-f", "/dev/null"];
    const tmux = (...args: string[]) => world.run("tmux", [...base, ...args]);
    await tmux("new-session", "-d", "-s", "one", ...world.buildCommand(name, program));
    onTestFinished(async () => void (await tmux("kill-server").catch(() => {})));
    return { tmux, attach: ["tmux", ...base, "attach", "-t", "one"] };
  }

  test("the active pane of the front window has the focus; other panes and windows do not", async () => {
    const { tmux, attach } = await startTmux("first");
    await world.until("first", ({ isFocused }) => isFocused === false);
    world.start("xterm", ["-T", "inside", "-e", ...attach]);
    await world.raise("inside");
    await world.until("first", ({ isFocused }) => isFocused === true);

    await tmux("split-window", "-t", "one", ...world.buildCommand("second"));
    await world.until("second", ({ isFocused }) => isFocused === true);
    await world.until("first", ({ isFocused }) => isFocused === false);
    await tmux("last-pane", "-t", "one");
    await world.until("first", ({ isFocused }) => isFocused === true);

    world.start("xterm", ["-T", "elsewhere"]);
    await world.raise("elsewhere");
    await world.until("first", ({ isFocused }) => isFocused === false);
    await world.raise("inside");
    await world.until("first", ({ isFocused }) => isFocused === true);

    await tmux("new-window", "-t", "one", "sleep 600");
    await world.until("first", ({ isFocused }) => isFocused === false);
    await tmux("detach-client", "-s", "one");
    await world.until("second", ({ isFocused }) => isFocused === false);
  });

  test("a terminal that was started from the front pane is not that pane", async () => {
    const quoted = world.buildCommand("child").map((word) => `'${word}'`);
    // Unlike xterm, kitty passes tmux's variables on to its programs.
    const kitty = `LIBGL_ALWAYS_SOFTWARE=1 kitty --config NONE --title child ${quoted.join(" ")}`;
    const { attach } = await startTmux("pane", `${kitty} & exec sleep 600`);
    world.start("xterm", ["-T", "holder", "-e", ...attach]);
    await world.raise("child");
    await world.raise("holder");
    await world.until("pane", ({ isFocused }) => isFocused === true);
    expect((await world.port().ask(await world.findProcesses("child"))).isFocused).toBe(false);
  });

  test("attached without a window, as over SSH, the terminal's reports count after typing", async () => {
    const { tmux, attach } = await startTmux("remote");
    const env = { ...world.session.env, TERM: "xterm-256color", SHELL: "/bin/sh" };
    const client = startInPty(attach.join(" "), env);
    onTestFinished(async () => {
      const ended = once(client, "exit");
      client.kill("SIGKILL");
      await ended;
    });
    const readFocus = async () => (await tmux("list-clients", "-F", "#{client_flags}")).trim();
    await expect.poll(readFocus, { timeout: 10_000 }).toContain("focused");
    client.stdin?.write("x");
    // tmux assumes a focused terminal when it attaches; without `focus-events` it gets no reports afterwards.
    const processes = await world.findProcesses("remote");
    expect((await world.port().ask(processes)).isFocused).toBeUndefined();

    await tmux("set", "-s", "focus-events", "on");
    const typing = setInterval(() => client.stdin?.write("y"), 100); // the kernel records it every eight seconds at most
    await world.until("remote", ({ isFocused }) => isFocused === true);
    clearInterval(typing);
    client.stdin?.write(`${esc}[O`); // the terminal reports the loss of focus
    await world.until("remote", ({ isFocused }) => isFocused === false);
    client.stdin?.write(`${esc}[I`);
    await world.until("remote", ({ isFocused }) => isFocused === true);
  });
});

describe("wezterm", () => {
  // Debian has no WezTerm: a program with its name holds the terminal, and a stub answers as documented.
  const world = useTerminals({ PATH: process.env["PATH"], SHELL: "/bin/sh" });
  const stubs = useStubPrograms();

  async function listen(name: string, reply: string): Promise<string> {
    const path = join(world.folder, name);
    await listenAt(path, (socket) => void socket.end(reply));
    return path;
  }

  /** Asks the port for the presence of an agent in WezTerm's pane 3, with a window of process 12 in front. */
  async function ask(holder: string, clients: readonly object[]) {
    const windows = [11, 12, 12].map((pid, index) => ({ pid, is_focused: index === 1 }));
    const NIRI_SOCKET = await listen("niri", `${JSON.stringify({ Ok: { Windows: windows } })}\n`);
    const WEZTERM_UNIX_SOCKET = await listen("wezterm", "");
    stubs.add("wezterm", `${recordArgs}\n[ "$WEZTERM_UNIX_SOCKET" ] && echo '${JSON.stringify(clients)}'`);
    const program = join(world.folder, holder);
    copyFileSync("/usr/bin/script", program);
    const command = world.buildCommand("agent").map((word) => `'${word}'`);
    const variables = { NIRI_SOCKET, WEZTERM_UNIX_SOCKET, WEZTERM_PANE: "3" };
    world.start("setsid", [program, "-qec", `exec ${command.join(" ")}`, "/dev/null"], variables);
    const port = createPresence(createExec(stubs.env, []), { env: stubs.env, systemBus: "/nowhere", limitMs: 5000 });
    return port.ask(await world.findProcesses("agent"));
  }

  test("a WezTerm pane has the focus if one of its windows and the pane within have it", async () => {
    const [other, own] = [{ pid: 9, focused_pane_id: 0 }, { pid: 12, focused_pane_id: 3 }]; // biome-ignore format: pairs
    expect((await ask("wezterm-gui", [other, own])).isFocused).toBe(true);
    expect(stubs.readArgs("wezterm")).toEqual(["cli", "--no-auto-start", "list-clients", "--format", "json"]);
  });

  test.each([
    ["another pane of the front window", [{ pid: 12, focused_pane_id: 4 }]],
    ["a window in the background", [{ pid: 11, focused_pane_id: 3 }]],
  ])("a WezTerm pane does not have the focus of %s", async (_, clients) => {
    expect((await ask("wezterm-gui", clients)).isFocused).toBe(false);
  });

  test("a terminal that was started from a WezTerm pane is not the pane", async () => {
    expect((await ask("xterm", [{ pid: 12, focused_pane_id: 3 }])).isFocused).toBeUndefined();
    expect(stubs.readArgs("wezterm")).toBeUndefined();
  });
});
