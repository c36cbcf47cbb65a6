import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { numbers, withServer } from "../presence/x11.ts";
import type { X11Connection } from "../presence/x11-connection.ts";
import { type Place, windowProcesses } from "./place.ts";

/** Longest time the window manager may take to raise a window, milliseconds. */
const raiseTimeoutMs = 1_000;
const pollMs = 20;

/**
 * Finds the X11 windows that may show a terminal and returns a function to raise each: the window with the terminal's
 * WINDOWID if it still belongs to the terminal, or else the windows of the terminal's processes. Undefined if no window
 * manager lists windows.
 */
export function x11Windows(place: Place): Promise<readonly (() => Promise<boolean>)[] | undefined> {
  const { env, signal } = place;
  return withServer(env, signal, async (server) => {
    const windows = await numbers(server, server.root, "_NET_CLIENT_LIST");
    if (windows.length === 0) return undefined;
    const windowPids = await Promise.all(windows.map((window) => readWindowPid(server, window)));
    const pids = windowProcesses(place);
    const own = windows.indexOf(Number(env.WINDOWID ?? 0));
    const isOwn = own >= 0 && (pids.length === 0 || windowPids[own] === undefined || pids.includes(windowPids[own]));
    const made = pids.map((pid) => windows.filter((_, index) => windowPids[index] === pid));
    const found = isOwn ? windows.slice(own, own + 1) : (made.find(({ length }) => length > 0) ?? []);
    return found.map((window) => () => raise(window, place));
  });
}

/**
 * Returns the id of the process that created a window; 0 if that process is on another machine. Undefined if the window
 * does not tell its process.
 */
async function readWindowPid(server: X11Connection, window: number): Promise<number | undefined> {
  const machine = await server.property(window, "WM_CLIENT_MACHINE");
  const isHere = machine === undefined || machine.toString() === hostname();
  return isHere ? (await numbers(server, window, "_NET_WM_PID"))[0] : 0;
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
