import { at, listOf, parseObject } from "../../core/json-value.ts";
import type { ActiveWindow, Question } from "./question.ts";
import { askSocket } from "./unix-socket.ts";
import { activeX11Window } from "./x11.ts";

/** One way to ask which window is active; undefined where it does not fit this desktop, or no window is active. */
type Ask = (question: Question) => Promise<ActiveWindow | undefined>;

/** The active window, from the first that knows; undefined where nobody tells: GNOME on Wayland, macOS, Windows. */
export async function findActiveWindow(question: Question): Promise<ActiveWindow | undefined> {
  const answers = await Promise.all([askSway, askHyprland, askNiri, askKde, askX11].map((ask) => ask(question)));
  return answers.find((answer) => answer !== undefined);
}

/** https://man.archlinux.org/man/sway-ipc.7; i3 tells no process ids, and is asked as any X11 desktop. */
const askSway: Ask = async ({ env: { SWAYSOCK }, signal }) => {
  if (SWAYSOCK === undefined) return undefined;
  const getTree = Buffer.from([...Buffer.from(swayMagic), 0, 0, 0, 0, 4, 0, 0, 0]);
  const isWhole = (reply: Buffer) =>
    reply.length >= swayHeaderBytes && reply.length >= swayHeaderBytes + reply.readUInt32LE(swayMagic.length);
  const reply = await askSocket(SWAYSOCK, getTree, isWhole, signal);
  const tree = parseObject(reply?.toString("utf8", swayHeaderBytes) ?? "");
  return activeOf(swayWindows(tree), (window) => at(window, "focused") === true);
};
const swayMagic = "i3-ipc";
const swayHeaderBytes = 14;

function swayWindows(node: unknown): unknown[] {
  const inner = [...listOf(at(node, "nodes")), ...listOf(at(node, "floating_nodes"))].flatMap(swayWindows);
  return typeof at(node, "pid") === "number" ? [node, ...inner] : inner;
}

/** https://wiki.hypr.land/IPC/. Tried against a server that answers as documented. */
const askHyprland: Ask = async ({ env: { HYPRLAND_INSTANCE_SIGNATURE: name, XDG_RUNTIME_DIR: folder }, signal }) => {
  if (name === undefined || folder === undefined) return undefined;
  const ask = async (request: string) => {
    const reply = await askSocket(`${folder}/hypr/${name}/.socket.sock`, request, () => false, signal);
    return parseObject(`{"reply":${reply ?? "null"}}`)?.["reply"];
  };
  const [active, all] = await Promise.all([ask("j/activewindow"), ask("j/clients")]);
  const address = at(active, "address");
  return activeOf(listOf(all), (window) => address !== undefined && at(window, "address") === address);
};

/** https://github.com/YaLTeR/niri/wiki/IPC. Tried against a server that answers as documented. */
const askNiri: Ask = async ({ env: { NIRI_SOCKET }, signal }) => {
  if (NIRI_SOCKET === undefined) return undefined;
  const reply = await askSocket(NIRI_SOCKET, '"Windows"\n', (bytes) => bytes.includes("\n"), signal);
  const windows = listOf(at(parseObject(reply?.toString() ?? ""), "Ok", "Windows"));
  return activeOf(windows, (window) => at(window, "is_focused") === true);
};

/** https://github.com/jinliu/kdotool, where somebody has installed it. Tried against a stub. */
const askKde: Ask = async ({ env: { XDG_SESSION_DESKTOP, WAYLAND_DISPLAY }, run }) => {
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

const askX11: Ask = ({ env, signal }) => activeX11Window(env, signal);

/** The active one of a compositor's windows, which have a `pid` each. */
function activeOf(windows: readonly unknown[], isFocused: (window: unknown) => boolean): ActiveWindow | undefined {
  const pid = at(windows.find(isFocused), "pid");
  const pids = windows.map((window) => at(window, "pid")).filter((one) => typeof one === "number");
  return typeof pid === "number" && pid > 0 ? { pid, windowPids: pids } : undefined;
}
