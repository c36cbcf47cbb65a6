import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { findProcess } from "../../../src/files/process-table.ts";
import { createExec } from "../../../src/io/exec.ts";
import { createPresence } from "../../../src/io/presence/presence.ts";
import { findTerminal } from "../../../src/io/process-terminal.ts";
import { startInPty, useTerminals } from "../../world/agent-terminals.ts";
import { background, eventually } from "../../world/background.ts";
import { listenAt } from "../../world/listen-at.ts";
import { recordArgs, useStubPrograms } from "../../world/stub-programs.ts";

const world = useTerminals({ PATH: process.env["PATH"], HOME: "/nowhere", XDG_RUNTIME_DIR: "/nowhere" });
const stubs = useStubPrograms();

/** Starts an agent in a pseudo-terminal. Text written to the standard input of the result is typed there. */
async function startAgent(name: string, program: string, env: NodeJS.ProcessEnv = {}) {
  const script = join(world.folder, `${name}.sh`);
  writeFileSync(script, world.buildCommand(name, program)[2] ?? "");
  const clean = { PATH: process.env["PATH"], SHELL: "/bin/sh", TERM: "xterm" };
  const child = startInPty(`exec sh ${script}`, { ...clean, ...env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const processes = await world.findProcesses(name);
  const isRunning = () =>
    !program.includes("exec ") || ["sleep", "cat"].includes(findProcess(processes[0] ?? 0)?.name ?? "");
  await eventually("the agent's environment", async () => isRunning() || undefined);
  return { child, processes, device: findTerminal(processes[0] ?? 0) ?? "" };
}

/** Creates the port, with the stubs as the only programs. */
function port(limitMs = 5000, added: NodeJS.ProcessEnv = {}) {
  const env = { ...stubs.env, ...added };
  return createPresence(createExec(env, []), { env, systemBus: "/nowhere", limitMs });
}

/**
 * Types into the terminal of an agent until the port sees it, because the kernel records it at most every eight
 * seconds.
 */
async function typeInto({ child, processes }: Awaited<ReturnType<typeof startAgent>>): Promise<number> {
  for (;;) {
    child.stdin?.write("hello\n");
    const typed = port().typedAtMs(processes);
    if (typed !== undefined) return typed;
    await delay(100);
  }
}

test("a program in a terminal is found by its name, and its keys are noticeable", async () => {
  const { processes } = await startAgent("reads", "exec cat");
  const [pid = 0] = processes;
  expect(port().noticesKeys(processes)).toBe(true);
  expect(port().findInTerminals(["other", "cat"])).toContain(pid);
  expect(port().findInTerminals(["other"])).toEqual([]);
  const child = background().start("setsid", ["cat"], { env: process.env, stdio: "pipe" });
  onTestFinished(() => void child.kill());
  await eventually("its start", async () => findProcess(child.pid ?? 0)?.name === "cat" || undefined);
  expect(port().noticesKeys([child.pid ?? 0])).toBe(false);
  expect(port().findInTerminals(["cat"])).not.toContain(child.pid);
});

test("only typing moves the time of typing, not opening the terminal or the agent's output", async () => {
  const agent = await startAgent("prints", "(while :; do echo more; sleep 0.2; done) & exec cat");
  const { processes, device } = agent;
  expect(port().typedAtMs(processes)).toBeUndefined();
  const hasPrinted = () => statSync(device).mtimeMs > statSync(device).ctimeMs;
  for (let tries = 0; !hasPrinted() && tries < 200; tries += 1) await delay(100);
  expect(hasPrinted()).toBe(true);
  expect(port().typedAtMs(processes)).toBeUndefined();
  expect(await port().ask(processes)).not.toHaveProperty("typedAtMs");

  const typed = await typeInto(agent);
  expect(typed).toBeGreaterThan(statSync(device).ctimeMs);
  expect((await port().ask(processes)).typedAtMs).toBeGreaterThanOrEqual(typed);
  expect((await port().ask(processes)).idleMs).toBeLessThan(600_000);
});

test("the terminal is the agent's, even if its hook has none, or has ended", async () => {
  const agent = await startAgent("agent", "exec cat");
  await typeInto(agent);
  expect(port().typedAtMs([4_194_303, ...agent.processes])).toBeDefined();
  expect(port().typedAtMs([4_194_303])).toBeUndefined();
  expect(port().typedAtMs([])).toBeUndefined();
});

/** Makes environments in which each variable that is read has values that never occur by accident. */
const hostile = (marker: string): readonly NodeJS.ProcessEnv[] => {
  const texts = [`$(touch ${marker})`, `;touch ${marker};`, "--help", "../../../etc/passwd", `/tmp/x\n-S${marker},1,0`];
  const ofTerminals =
    "TMUX TMUX_PANE KITTY_LISTEN_ON KITTY_PID KITTY_WINDOW_ID WEZTERM_PANE WEZTERM_UNIX_SOCKET WINDOWID";
  const ofDesktops = "DISPLAY XAUTHORITY SWAYSOCK NIRI_SOCKET HYPRLAND_INSTANCE_SIGNATURE WAYLAND_DISPLAY";
  const ofSessions = "XDG_RUNTIME_DIR XDG_SESSION_DESKTOP DBUS_SESSION_BUS_ADDRESS";
  const names = [ofTerminals, ofDesktops, ofSessions].join(" ").split(" ");
  return texts.map((text) => Object.fromEntries(names.map((name) => [name, text])));
};

test("no program runs for an agent with a hostile environment", async () => {
  const marker = join(world.folder, "marker");
  for (const name of ["tmux", "wezterm", "kdotool", "gsettings", "kitty"]) stubs.add(name, recordArgs);
  for (const [index, env] of hostile(marker).entries()) {
    const { processes } = await startAgent(`hostile${index}`, "exec sleep 600", env);
    expect((await port().ask(processes)).isFocused).toBeUndefined();
  }
  for (const name of ["tmux", "wezterm", "kdotool", "gsettings", "kitty"]) expect(stubs.readArgs(name)).toBeUndefined();
  expect(existsSync(marker)).toBe(false);
});

/** Makes the shell commands of an agent in a fake tmux, whose socket has this path. */
function inTmux(socket: string): string {
  return `TMUX=${socket},$PPID,0 TMUX_PANE=%0; export TMUX TMUX_PANE; exec cat`;
}

test("another user's socket is not opened", async () => {
  const socket = join(world.folder, "socket");
  let connections = 0;
  await listenAt(socket, (connection) => {
    connections += 1;
    connection.destroy();
  });
  stubs.add("tmux", recordArgs);
  stubs.add("wezterm", recordArgs);
  const kitty = `KITTY_PID=$PPID KITTY_WINDOW_ID=1 KITTY_LISTEN_ON=unix:${socket}`;
  const desktop = `SWAYSOCK=${socket} NIRI_SOCKET=${socket} DBUS_SESSION_BUS_ADDRESS=unix:path=${socket}`;
  const inKitty = `exec env ${kitty} ${desktop} sleep 600`;
  const agents = [await startAgent("kitty", inKitty), await startAgent("tmux", inTmux(socket))];
  const askAll = async () => {
    for (const { processes } of agents) await port().ask(processes);
    return { connections, isTmuxAsked: stubs.readArgs("tmux") !== undefined };
  };
  chownSync(socket, 65_534, 65_534);
  expect(await askAll()).toEqual({ connections: 0, isTmuxAsked: false });
  chownSync(socket, process.getuid?.() ?? 0, 65_534); // this user's again: so it would have been opened
  expect(await askAll()).toEqual({ connections: 4, isTmuxAsked: true });
});

test("a late answer counts as absence, and a late program is ended", async () => {
  const socket = join(world.folder, "silent");
  await listenAt(socket);
  const pidFile = join(stubs.folder, "late.pid");
  stubs.add("tmux", `echo $$ > ${pidFile}; trap '' TERM; while :; do /bin/sleep 1; done`);
  const agent = await startAgent("late", inTmux(socket));
  await typeInto(agent);
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` };
  const answer = await port(3000, env).ask(agent.processes);
  expect(answer).toMatchObject({ typedAtMs: expect.any(Number), idleMs: expect.any(Number) });
  expect(answer).not.toHaveProperty("isFocused");
  const pid = Number(readFileSync(pidFile, "utf8"));
  await eventually("its end", async () => (findProcess(pid) === undefined ? true : undefined));
});
