import { hostname } from "node:os";
import type { TerminalEnvironment } from "../../core/terminal-environment.ts";
import type { ActiveWindow } from "./question.ts";
import { X11Connection } from "./x11-connection.ts";

/**
 * Finds the active window of an X11 desktop, as its window manager reports it. Undefined if there is no window manager,
 * or if the window's process is unknown or runs on another machine.
 * https://specifications.freedesktop.org/wm-spec/latest/
 */
export function activeX11Window(env: TerminalEnvironment, signal: AbortSignal): Promise<ActiveWindow | undefined> {
  return withServer(env, signal, async (server) => {
    const [active = 0] = await numbers(server, server.root, "_NET_ACTIVE_WINDOW");
    if (active === 0) return undefined;
    const [[pid], machine, windows] = await Promise.all([
      numbers(server, active, "_NET_WM_PID"),
      server.property(active, "WM_CLIENT_MACHINE"),
      numbers(server, server.root, "_NET_CLIENT_LIST"),
    ]);
    if (pid === undefined || (machine !== undefined && machine.toString() !== hostname())) return undefined;
    const pids = await Promise.all(windows.map(async (window) => (await numbers(server, window, "_NET_WM_PID"))[0]));
    return { pid, x11Id: String(active), windowPids: pids.filter((candidate) => candidate !== undefined) };
  });
}

/**
 * Returns the idle time of an X11 desktop, milliseconds. Undefined on Wayland, where an X server only sees input to its
 * own windows. https://www.x.org/releases/current/doc/scrnsaverproto/saver.html
 */
export async function x11IdleMs(env: TerminalEnvironment, signal: AbortSignal): Promise<number | undefined> {
  if (env.WAYLAND_DISPLAY !== undefined) return undefined;
  const queryInfo = 1;
  const info = await withServer(env, signal, (server) => server.askExtension("MIT-SCREEN-SAVER", queryInfo));
  return info?.readUInt32LE(16);
}

/** Connects to the X11 server, runs `ask` with the connection and closes it. Undefined if there is no server. */
export async function withServer<Answer>(
  env: TerminalEnvironment,
  signal: AbortSignal,
  ask: (server: X11Connection) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const server = await X11Connection.open(env, signal);
  try {
    return server && (await ask(server));
  } finally {
    server?.close();
  }
}

/** Reads a window's property that is a list of 32-bit numbers, such as window ids. Empty if the property is missing. */
export async function numbers(server: X11Connection, window: number, name: string): Promise<number[]> {
  const bytes = await server.property(window, name);
  return Array.from(
    { length: Math.floor((bytes?.length ?? 0) / 4) },
    (_, index) => bytes?.readUInt32LE(index * 4) ?? 0,
  );
}
