import { at, toList } from "../../core/json-value.ts";
import { askHyprland, askNiri, askSway, jsonValue, swayMessages, swayWindows } from "./compositors.ts";
import type { ActiveWindow, Question } from "./question.ts";
import { activeX11Window } from "./x11.ts";

/**
 * Function that finds the active window on one desktop. The result is undefined if another desktop is running or no
 * window is active.
 */
type Ask = (question: Question) => Promise<ActiveWindow | undefined>;

/** Finds the active window on the desktops that beckon knows; undefined on others, such as GNOME with Wayland. */
export async function findActiveWindow(question: Question): Promise<ActiveWindow | undefined> {
  const answers = await Promise.all(
    [findOnSway, findOnHyprland, findOnNiri, findOnKde, findOnX11].map((ask) => ask(question)),
  );
  return answers.find((answer) => answer !== undefined);
}

/** Finds the active window on sway. i3 reports no process ids over this protocol and is handled as an X11 desktop. */
const findOnSway: Ask = async (question) => {
  const tree = await askSway(question, swayMessages.getTree);
  return findActive(swayWindows(tree), (window) => at(window, "focused") === true);
};

/** Finds the active window on Hyprland. Tested only with a stub server that follows Hyprland's documentation. */
const findOnHyprland: Ask = async (question) => {
  const ask = async (request: string) => jsonValue(await askHyprland(question, request));
  const [active, all] = await Promise.all([ask("j/activewindow"), ask("j/clients")]);
  const address = at(active, "address");
  return findActive(toList(all), (window) => address !== undefined && at(window, "address") === address);
};

/** Finds the active window on niri. Tested only with a stub server that follows niri's documentation. */
const findOnNiri: Ask = async (question) => {
  const windows = toList(at(await askNiri(question, "Windows"), "Windows"));
  return findActive(windows, (window) => at(window, "is_focused") === true);
};

/** Finds the active window on Plasma with https://github.com/jinliu/kdotool, if installed. Only tested with a stub. */
const findOnKde: Ask = async ({ env: { XDG_SESSION_DESKTOP, WAYLAND_DISPLAY }, run }) => {
  if (WAYLAND_DISPLAY === undefined || !/KDE|plasma/i.test(XDG_SESSION_DESKTOP ?? "")) return undefined;
  const pid = (await run("kdotool", ["getactivewindow", "getwindowpid"]))?.trim() ?? "";
  if (!/^\d{1,10}$/.test(pid)) return undefined;
  const windows = await run("kdotool", ["search", "--pid", pid]);
  const windowPids = windows
    ?.trim()
    .split("\n")
    .map(() => Number(pid));
  return windowPids && { pid: Number(pid), windowPids };
};

const findOnX11: Ask = ({ env, signal }) => activeX11Window(env, signal);

/** Finds the active window among a compositor's windows, each of which has its process id as `pid`. */
function findActive(windows: readonly unknown[], isFocused: (window: unknown) => boolean): ActiveWindow | undefined {
  const pid = at(windows.find(isFocused), "pid");
  const pids = windows.map((window) => at(window, "pid")).filter((windowPid) => typeof windowPid === "number");
  return typeof pid === "number" && pid > 0 ? { pid, windowPids: pids } : undefined;
}
