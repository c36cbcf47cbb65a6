import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordedVariables, type TerminalEnvironment } from "../../../src/core/terminal-environment.ts";
import { readEnvironment } from "../../../src/io/process-terminal.ts";
import { terminalValues } from "../../core/terminal-values.ts";
import { type DesktopTerminals, startDesktopTerminals } from "../../world/agent-terminals.ts";
import { eventually } from "../../world/background.ts";
import { listenAt } from "../../world/listen-at.ts";

let world: DesktopTerminals;
let base: string[];
beforeAll(async () => {
  world = await startDesktopTerminals({ TERM: "xterm-256color" });
  base = ["-S", join(world.folder, "tmux"), "-f", "/dev/null"];
  await tmux("new-session", "-d", "-s", "one", ...world.buildCommand("first"));
  await tmux("split-window", "-t", "one", ...world.buildCommand("second"));
  await tmux("new-window", "-t", "one", ...world.buildCommand("third"));
  await tmux("new-session", "-d", "-s", "two", ...world.buildCommand("fourth"));
  world.start("xterm", ["-T", "plain", "-e", ...world.buildCommand("plain")]);
  world.start("xterm", ["-T", "panes", "-e", "tmux", ...base, "attach", "-t", "one"]);
  await world.raise("panes");
  await world.raise("plain");
});
afterAll(async () => {
  await tmux("kill-server").catch(() => {});
  await world?.stop();
});

const tmux = (...args: string[]) => world.run("tmux", [...base, ...args]);
const focus = (processes: readonly number[], terminal?: TerminalEnvironment) => world.focus(processes, terminal);
const activeTitle = async () => (await world.run("xdotool", ["getactivewindow", "getwindowname"])).trim();
/** Returns the visible pane of the attached terminal. */
const activePane = async () => (await tmux("list-clients", "-F", "#{pane_id}")).trim();
const readPane = async (name: string) =>
  readEnvironment((await world.findProcesses(name))[0] ?? 0, ["TMUX", "TMUX_PANE"]) as TerminalEnvironment;
const done = { isInFront: true, steps: [{ target: "the window" }, { target: "tmux's pane" }] };

test.each(["first", "third", "fourth", "second"])("the window and the pane of %s come to the front", async (name) => {
  const steps = [{ target: "the window" }];
  expect(await focus(await world.findProcesses("plain"))).toEqual({ isInFront: true, steps });
  expect(await activeTitle()).toBe("plain");
  expect(await focus(await world.findProcesses(name))).toEqual(done);
  expect(await activePane()).toBe((await readPane(name)).TMUX_PANE);
  expect(await activeTitle()).toBe("panes");
});

test("a minimized window comes back", async () => {
  await world.raise("plain");
  await world.run("xdotool", ["getactivewindow", "windowminimize"]);
  const isElsewhere = async () => (await activeTitle().catch(() => "")) !== "plain" || undefined;
  await eventually("another window", isElsewhere);
  expect((await focus(await world.findProcesses("plain"))).isInFront).toBe(true);
  expect(await activeTitle()).toBe("plain");
  await world.run("xdotool", ["search", "--onlyvisible", "--name", "^plain$"]);
});

test("the recorded variables suffice if the agent's process is unknown", async () => {
  await world.raise("plain");
  const [pid = 0] = await world.findProcesses("plain");
  const { WINDOWID } = readEnvironment(pid, ["WINDOWID"]);
  expect(await focus([], await readPane("first"))).toEqual(done);
  expect(await activePane()).toBe((await readPane("first")).TMUX_PANE);
  expect((await focus([], { WINDOWID: WINDOWID ?? "" })).isInFront).toBe(true);
  expect(await activeTitle()).toBe("plain");
});

test("a session without a terminal is reported as such", async () => {
  const other = ["-S", join(world.folder, "other"), "-f", "/dev/null"];
  await world.run("tmux", [...other, "new-session", "-d", ...world.buildCommand("detached")]);
  const result = await focus(await world.findProcesses("detached"));
  expect(result).toMatchObject({ isInFront: false, steps: [{ target: "tmux's pane" }] });
  expect(result.steps[0]?.obstacle).toMatch(/no terminal is attached/);
  await world.run("tmux", [...other, "kill-server"]);
});

/** Asks to focus a missing terminal, which must change nothing. Resolves to the programs that were started. */
async function inVain(terminal: Readonly<Record<string, string>>): Promise<(string | undefined)[]> {
  const seen = async () => [await activeTitle(), await activePane()];
  const before = await seen();
  const started: (string | undefined)[] = [];
  const result = await world.focus([], terminal as TerminalEnvironment, ({ args }) => started.push(args[2]));
  expect(result.isInFront, JSON.stringify(terminal)).toBe(false);
  expect(await seen()).toEqual(before);
  return started;
}

test("a malformed value does nothing and starts no program", async () => {
  const { TMUX = "", TMUX_PANE = "" } = await readPane("first");
  await focus(await world.findProcesses("plain"));
  for (const name of recordedVariables) {
    for (const bad of (terminalValues[name] ?? []).slice(1)) {
      const others = name === "TMUX" ? { TMUX_PANE } : name === "TMUX_PANE" ? { TMUX } : {};
      expect(await inVain({ ...others, [name]: bad })).toEqual([]);
    }
  }
});

test("a well-formed value of a missing pane, window or socket does nothing", async () => {
  const { TMUX = "" } = await readPane("first");
  expect(await inVain({ TMUX, TMUX_PANE: "%4711" })).toEqual(["display-message"]);
  expect(await inVain({ TMUX: "/tmp/nowhere,1,0", TMUX_PANE: "%0" })).toEqual([]);
  expect(await inVain({ WINDOWID: "4711" })).toEqual([]);
  expect(await inVain({ KITTY_WINDOW_ID: "1", KITTY_LISTEN_ON: "unix:/tmp/nowhere" })).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("another user's socket is not used", async () => {
  const socket = join(world.folder, "foreign");
  let calls = 0;
  await listenAt(socket, () => (calls += 1));
  chmodSync(socket, 0o777);
  chownSync(socket, 65_534, 65_534);
  const started = [
    await inVain({ TMUX: `${socket},1,0`, TMUX_PANE: "%0" }),
    await inVain({ KITTY_WINDOW_ID: "1", KITTY_LISTEN_ON: `unix:${socket}` }),
    await inVain({ WEZTERM_PANE: "0", WEZTERM_UNIX_SOCKET: socket }),
    await inVain({ SWAYSOCK: socket }),
    await inVain({ NIRI_SOCKET: socket }),
  ];
  expect([calls, started.flat()]).toEqual([0, []]);
});
