import { at, listOf } from "../../core/json-value.ts";
import { askHyprland, askNiri, askSway, jsonValue, swayMessages, swayWindows } from "./compositors.ts";
import type { ActiveWindow, Question } from "./question.ts";
import { activeX11Window } from "./x11.ts";

/** One way to ask which window is active; undefined where it does not fit this desktop, or no window is active. */
type Ask = (question: Question) => Promise<ActiveWindow | undefined>;

/** The active window, from the first that knows; undefined where nobody tells: GNOME on Wayland, macOS, Windows. */
export async function findActiveWindow(question: Question): Promise<ActiveWindow | undefined> {
  const answers = await Promise.all(
    [findOnSway, findOnHyprland, findOnNiri, findOnKde, findOnX11].map((ask) => ask(question)),
  );
  return answers.find((answer) => answer !== undefined);
}

/** i3 tells no process ids, and is asked as any X11 desktop. */
const findOnSway: Ask = async (question) => {
  const tree = await askSway(question, swayMessages.getTree);
  return activeOf(swayWindows(tree), (window) => at(window, "focused") === true);
};

/** Tried against a server that answers as documented. */
const findOnHyprland: Ask = async (question) => {
  const ask = async (request: string) => jsonValue(await askHyprland(question, request));
  const [active, all] = await Promise.all([ask("j/activewindow"), ask("j/clients")]);
  const address = at(active, "address");
  return activeOf(listOf(all), (window) => address !== undefined && at(window, "address") === address);
};

/** Tried against a server that answers as documented. */
const findOnNiri: Ask = async (question) => {
  const windows = listOf(at(await askNiri(question, "Windows"), "Windows"));
  return activeOf(windows, (window) => at(window, "is_focused") === true);
};

/** https://github.com/jinliu/kdotool, where somebody has installed it. Tried against a stub. */
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

/** The active one of a compositor's windows, which have a `pid` each. */
function activeOf(windows: readonly unknown[], isFocused: (window: unknown) => boolean): ActiveWindow | undefined {
  const pid = at(windows.find(isFocused), "pid");
  const pids = windows.map((window) => at(window, "pid")).filter((one) => typeof one === "number");
  return typeof pid === "number" && pid > 0 ? { pid, windowPids: pids } : undefined;
}
