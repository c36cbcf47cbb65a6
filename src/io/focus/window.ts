import { readlinkSync, statSync } from "node:fs";
import type { FocusStep } from "../../core/focus-port.ts";
import { at, listOf } from "../../core/json-value.ts";
import { quietly } from "../../core/quietly.ts";
import { askHyprland, askNiri, askSway, jsonValue, swayMessages, swayWindows } from "../presence/compositors.ts";
import { neighborsOf } from "../presence/seat.ts";
import { type Place, windowProcesses } from "./place.ts";
import { x11Windows } from "./x11-windows.ts";

/** Brings a window to the front; whether that was done. */
export type Raise = () => Promise<boolean>;

/** A desktop: how each window is raised that may show a terminal. Undefined where this desktop does not run. */
type Desktop = (place: Place) => Promise<readonly Raise[] | undefined>;

const target = "the window";

/**
 * Brings the window of a terminal to the front, from the first desktop that has it. Never one of several on a guess.
 */
export async function raiseWindow(place: Place): Promise<FocusStep[]> {
  let count = 0;
  for (const windowsOf of [swayDesktop, hyprlandDesktop, niriDesktop, kdeDesktop, x11Windows]) {
    const windows = (await windowsOf(place)) ?? [];
    count = Math.max(count, windows.length);
    const [raise] = windows;
    if (!raise || windows.length > 1) continue;
    return (await raise()) ? [{ target }, ...tabOf(place)] : [{ target, obstacle: "the desktop did not do it" }];
  }
  if (await openInEditor(place)) return [{ target }];
  return [{ target, obstacle: count > 1 ? `which of ${count} it is, is not known` : whyNoWindow(place) }];
}

/** A window that may hold more terminals than this: no program can choose among them. */
function tabOf({ seat }: Place): FocusStep[] {
  const others = (seat && neighborsOf(seat)) ?? [];
  const mayBeThere = others.some((id) => id === undefined || id === seat?.env.WINDOWID);
  return mayBeThere ? [{ target: "the tab", obstacle: "this terminal lets no program choose it" }] : [];
}

function whyNoWindow({ seat, env }: Place): string {
  const isRemote = seat?.holder ? seat.holder.name?.startsWith("sshd") : env.SSH_TTY !== undefined;
  if (isRemote) return "the terminal is a session over SSH, whose window is on another machine";
  if (env.WAYLAND_DISPLAY !== undefined) return "this Wayland desktop lets no program do that";
  return env.DISPLAY === undefined ? "there is no desktop here" : "no window of the terminal's is on this desktop";
}

const swayDesktop: Desktop = async (place) => {
  const tree = await askSway(place, swayMessages.getTree);
  if (tree === undefined) return undefined;
  const windows = swayWindows(tree);
  const byNumber = windows.filter((window) => String(at(window, "window")) === place.env.WINDOWID);
  return (byNumber.length > 0 ? byNumber : ofTerminal(windows, place)).map((window) => async () => {
    const reply = await askSway(place, swayMessages.runCommand, `[con_id=${Number(at(window, "id"))}] focus`);
    return at(listOf(reply)[0], "success") === true;
  });
};

/** Tried against a server that answers as documented. */
const hyprlandDesktop: Desktop = async (place) => {
  const all = jsonValue(await askHyprland(place, "j/clients"));
  if (all === undefined) return undefined;
  return ofTerminal(listOf(all), place).map((window) => async () => {
    const address = /^0x[0-9a-f]{1,16}$/.exec(String(at(window, "address")))?.[0];
    return (await askHyprland(place, `dispatch focuswindow address:${address}`)) === "ok";
  });
};

/** Tried against a server that answers as documented. */
const niriDesktop: Desktop = async (place) => {
  const windows = at(await askNiri(place, "Windows"), "Windows");
  if (windows === undefined) return undefined;
  return ofTerminal(listOf(windows), place).map((window) => async () => {
    const reply = await askNiri(place, { Action: { FocusWindow: { id: Number(at(window, "id")) } } });
    return reply === "Handled";
  });
};

/** https://github.com/jinliu/kdotool, where somebody has installed it. Tried with a stand-in. */
const kdeDesktop: Desktop = async (place) => {
  const { WAYLAND_DISPLAY, XDG_SESSION_DESKTOP } = place.env;
  if (WAYLAND_DISPLAY === undefined || !/KDE|plasma/i.test(XDG_SESSION_DESKTOP ?? "")) return undefined;
  for (const pid of windowProcesses(place)) {
    const found = (await place.run("kdotool", ["search", "--pid", String(pid)])) ?? "";
    const ids = found.split("\n").filter((id) => /^\{[0-9a-f-]{36}\}$/.test(id));
    if (ids.length > 0) {
      return ids.map((id) => async () => (await place.run("kdotool", ["windowactivate", id])) !== undefined);
    }
  }
  return [];
};

/** Those of a compositor's windows, which have a `pid` each, that the nearest process has made. */
function ofTerminal(windows: readonly unknown[], place: Place): readonly unknown[] {
  const made = windowProcesses(place).map((pid) => windows.filter((window) => at(window, "pid") === pid));
  return made.find(({ length }) => length > 0) ?? [];
}

/** Editors of several windows raise that which has a folder open, if they are asked to open the folder. */
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
