import { readlinkSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { at, parseJson, toList } from "../../core/json-value.ts";
import type { FocusStep } from "../../core/ports.ts";
import { quietly } from "../../core/quietly.ts";
import { findProcess } from "../../files/process-table.ts";
import { askHyprland, askNiri, askSway, isPlasma, swayMessages, swayWindows } from "../presence/active-window.ts";
import { listNeighbors, type Place } from "../presence/question.ts";
import { numbers, readWindowPid, withServer } from "../presence/x11.ts";

/** Function that brings a window to the front and resolves to true on success. */
type Raise = () => Promise<boolean>;

/** Function that returns a raise function for each window that may show a terminal; undefined on other desktops. */
type Desktop = (place: Place) => Promise<readonly Raise[] | undefined>;

const target = "the window";

/**
 * Brings a terminal's window to the front, on the first desktop on which exactly one window can be the terminal's. Does
 * not guess between several windows.
 */
export async function raiseWindow(place: Place): Promise<FocusStep[]> {
  let count = 0;
  for (const findWindows of [swayDesktop, hyprlandDesktop, niriDesktop, kdeDesktop, x11Windows]) {
    const windows = (await findWindows(place)) ?? [];
    count = Math.max(count, windows.length);
    const [raise] = windows;
    if (!raise || windows.length > 1) continue;
    return (await raise()) ? [{ target }, ...describeTab(place)] : [{ target, obstacle: "the desktop did not comply" }];
  }
  if (await openInEditor(place)) return [{ target }];
  return [{ target, obstacle: count > 1 ? `it may be any of ${count} windows` : whyNoWindow(place) }];
}

/** Returns a step that reports the tab as unreachable, if the window may contain other terminals. */
function describeTab({ seat }: Place): FocusStep[] {
  const others = (seat && listNeighbors(seat)) ?? [];
  const mayBeThere = others.some((id) => id === undefined || id === seat?.env.WINDOWID);
  return mayBeThere ? [{ target: "the tab", obstacle: "this terminal does not let programs switch tabs" }] : [];
}

function whyNoWindow({ seat, env }: Place): string {
  const isRemote = seat?.holder ? seat.holder.name?.startsWith("sshd") : env.SSH_TTY !== undefined;
  if (isRemote) return "the terminal is an SSH session, whose window is on another machine";
  if (env.WAYLAND_DISPLAY !== undefined) return "this Wayland desktop does not let programs do that";
  return env.DISPLAY === undefined ? "there is no desktop here" : "that terminal has no window on this desktop";
}

const swayDesktop: Desktop = async (place) => {
  const tree = await askSway(place, swayMessages.getTree);
  if (tree === undefined) return undefined;
  const windows = swayWindows(tree);
  const byNumber = windows.filter((window) => String(at(window, "window")) === place.env.WINDOWID);
  return (byNumber.length > 0 ? byNumber : selectTerminalWindows(windows, place)).map((window) => async () => {
    const reply = await askSway(place, swayMessages.runCommand, `[con_id=${Number(at(window, "id"))}] focus`);
    return at(toList(reply)[0], "success") === true;
  });
};

/** Finds windows on Hyprland. Tested only with a stub server that follows Hyprland's documentation. */
const hyprlandDesktop: Desktop = async (place) => {
  const all = parseJson((await askHyprland(place, "j/clients")) ?? "");
  if (all === undefined) return undefined;
  return selectTerminalWindows(toList(all), place).map((window) => async () => {
    const address = /^0x[0-9a-f]{1,16}$/.exec(String(at(window, "address")))?.[0];
    return (await askHyprland(place, `dispatch focuswindow address:${address}`)) === "ok";
  });
};

/** Finds windows on niri. Tested only with a stub server that follows niri's documentation. */
const niriDesktop: Desktop = async (place) => {
  const windows = at(await askNiri(place, "Windows"), "Windows");
  if (windows === undefined) return undefined;
  return selectTerminalWindows(toList(windows), place).map((window) => async () => {
    const reply = await askNiri(place, { Action: { FocusWindow: { id: Number(at(window, "id")) } } });
    return reply === "Handled";
  });
};

/** Finds windows on Plasma with https://github.com/jinliu/kdotool, if that is installed. Tested only with a stub. */
const kdeDesktop: Desktop = async (place) => {
  if (!isPlasma(place)) return undefined;
  for (const pid of windowProcesses(place)) {
    const found = (await place.run("kdotool", ["search", "--pid", String(pid)])) ?? "";
    const ids = found.split("\n").filter((id) => /^\{[0-9a-f-]{36}\}$/.test(id));
    if (ids.length > 0) {
      return ids.map((id) => async () => (await place.run("kdotool", ["windowactivate", id])) !== undefined);
    }
  }
  return [];
};

/**
 * Lists the processes that may own the terminal's window: the process that holds the terminal, then its ancestors with
 * the same name, because some editors have a separate process for terminals. Empty if the agent has exited.
 */
function windowProcesses({ seat }: Place): readonly number[] {
  const pids: number[] = [];
  const findParent = (pid = 0) => (pid > 1 ? findProcess(pid) : undefined);
  for (let process = seat?.holder; process && process.name === seat?.holder?.name; ) {
    pids.push(process.pid);
    process = findParent(process.parentPid);
  }
  return pids;
}

/** Selects the terminal's windows by their `pid`: those of the first process in `windowProcesses` that has any. */
function selectTerminalWindows<Window>(windows: readonly Window[], place: Place): readonly Window[] {
  const made = windowProcesses(place).map((pid) => windows.filter((window) => at(window, "pid") === pid));
  return made.find(({ length }) => length > 0) ?? [];
}

/** Editors that bring a window to the front when asked to open the folder that it shows. */
const editors: readonly string[] = ["code", "code-insiders", "codium", "cursor"];

async function openInEditor({ seat, env, run }: Place): Promise<boolean> {
  const name = seat?.holder?.name ?? "";
  const folder = seat && processFolder(seat.pid);
  if (env.TERM_PROGRAM !== "vscode" || !editors.includes(name) || folder === undefined) return false;
  return (await run(name, [folder])) !== undefined;
}

function processFolder(pid: number): string | undefined {
  return quietly(() => {
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return statSync(folder).isDirectory() ? folder : undefined;
  });
}

/** Longest time the window manager may take to raise a window, milliseconds. */
const raiseTimeoutMs = 1_000;
const pollMs = 20;

/**
 * Finds the X11 windows that may show a terminal and returns a function to raise each: the window with the terminal's
 * WINDOWID if it still belongs to the terminal, or else the windows of the terminal's processes. Undefined if no window
 * manager lists windows.
 */
function x11Windows(place: Place): Promise<readonly Raise[] | undefined> {
  const { env, signal } = place;
  return withServer(env, signal, async (server) => {
    const ids = await numbers(server, server.root, "_NET_CLIENT_LIST");
    if (ids.length === 0) return undefined;
    const windows = await Promise.all(ids.map(async (id) => ({ id, pid: await readWindowPid(server, id) })));
    const pids = windowProcesses(place);
    const own = windows.find(({ id }) => id === Number(env.WINDOWID));
    const isOwn = own && (pids.length === 0 || own.pid === undefined || pids.includes(own.pid));
    const found = isOwn ? [own] : selectTerminalWindows(windows, place);
    return found.map((window) => () => raise(window.id, place));
  });
}

/** Asks the window manager to raise a window. Resolves to true once the window is active, or to false after 1 s. */
async function raise(window: number, { env, signal }: Place): Promise<boolean> {
  const isActive = await withServer(env, signal, async (server) => {
    await server.activate(window);
    for (const endMs = Date.now() + raiseTimeoutMs; Date.now() < endMs && !signal.aborted; await sleep(pollMs)) {
      const [active] = await numbers(server, server.root, "_NET_ACTIVE_WINDOW");
      if (active === window) return true;
    }
    return false;
  });
  return isActive === true;
}
