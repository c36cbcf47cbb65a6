import { at, parseJson, parseObject, toList } from "../../core/json-value.ts";
import { type ActiveWindow, askSocket, findSeat, listNeighbors, type Question, type Seat } from "./question.ts";
import {
  isKitty,
  isKittyFocused,
  isTmux,
  isWezterm,
  listTmuxClients,
  listWeztermClients,
  maxDepth,
  type TmuxClient,
  typedAtMs,
} from "./terminals.ts";
import { activeX11Window } from "./x11.ts";

/**
 * Function that finds the active window on one desktop. The result is undefined if another desktop is running or no
 * window is active.
 */
type Ask = (question: Question) => Promise<ActiveWindow | undefined>;

/** Finds the active window on the desktops that beckon knows; undefined on others, such as GNOME with Wayland. */
export async function findActiveWindow(question: Question): Promise<ActiveWindow | undefined> {
  const answers = await Promise.all(
    [findOnSway, findOnHyprland, findOnNiri, findOnKde, activeX11Window].map((ask) => ask(question)),
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
  const ask = async (request: string) => parseJson((await askHyprland(question, request)) ?? "");
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
const findOnKde: Ask = async ({ env, run }) => {
  if (!isPlasma({ env })) return undefined;
  const pid = (await run("kdotool", ["getactivewindow", "getwindowpid"]))?.trim() ?? "";
  if (!/^\d{1,10}$/.test(pid)) return undefined;
  const windows = (await run("kdotool", ["search", "--pid", pid]))?.trim().split("\n");
  return windows && { pid: Number(pid), windowPids: windows.map(() => Number(pid)) };
};

/** Checks for Plasma on Wayland. */
export function isPlasma({ env: { XDG_SESSION_DESKTOP, WAYLAND_DISPLAY } }: Pick<Question, "env">): boolean {
  return WAYLAND_DISPLAY !== undefined && /KDE|plasma/i.test(XDG_SESSION_DESKTOP ?? "");
}

/** Finds the active window among a compositor's windows, each of which has its process id as `pid`. */
function findActive(windows: readonly unknown[], isFocused: (window: unknown) => boolean): ActiveWindow | undefined {
  const pid = at(windows.find(isFocused), "pid");
  const pids = windows.map((window) => at(window, "pid")).filter((windowPid) => typeof windowPid === "number");
  return typeof pid === "number" && pid > 0 ? { pid, windowPids: pids } : undefined;
}

type Where = Pick<Question, "env" | "signal">;

/** Numbers of sway's message types. */
export const swayMessages = { runCommand: 0, getTree: 4 } as const;
const swayMagic = "i3-ipc";
const swayHeaderBytes = 14;

/** Sends a message to sway and returns the parsed answer, if any. https://man.archlinux.org/man/sway-ipc.7 */
export async function askSway({ env: { SWAYSOCK }, signal }: Where, type: number, text = ""): Promise<unknown> {
  if (SWAYSOCK === undefined) return undefined;
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(Buffer.byteLength(text), 0);
  numbers.writeUInt32LE(type, 4);
  const isWhole = (reply: Buffer) =>
    reply.length >= swayHeaderBytes && reply.length >= swayHeaderBytes + reply.readUInt32LE(swayMagic.length);
  const message = Buffer.concat([Buffer.from(swayMagic), numbers, Buffer.from(text)]);
  const reply = await askSocket(SWAYSOCK, message, isWhole, signal);
  return reply && parseJson(reply.toString("utf8", swayHeaderBytes));
}

/** Lists the windows in sway's tree. Each window has a `pid`; an X11 window also has its X11 id as `window`. */
export function swayWindows(node: unknown): unknown[] {
  const inner = [...toList(at(node, "nodes")), ...toList(at(node, "floating_nodes"))].flatMap(swayWindows);
  return typeof at(node, "pid") === "number" ? [node, ...inner] : inner;
}

/** Sends a request to Hyprland and returns the answer, if any. https://wiki.hypr.land/IPC/ */
export async function askHyprland({ env, signal }: Where, request: string): Promise<string | undefined> {
  const { HYPRLAND_INSTANCE_SIGNATURE: name, XDG_RUNTIME_DIR: folder } = env;
  if (name === undefined || folder === undefined) return undefined;
  const reply = await askSocket(`${folder}/hypr/${name}/.socket.sock`, request, () => false, signal);
  return reply?.toString();
}

/** Sends a request to niri and returns the answer's content, if any. https://github.com/YaLTeR/niri/wiki/IPC */
export async function askNiri({ env: { NIRI_SOCKET }, signal }: Where, request: unknown): Promise<unknown> {
  if (NIRI_SOCKET === undefined) return undefined;
  const line = `${JSON.stringify(request)}\n`;
  const reply = await askSocket(NIRI_SOCKET, line, (bytes) => bytes.includes("\n"), signal);
  return at(parseObject(reply?.toString() ?? ""), "Ok");
}

/** Time in milliseconds for which the user counts as present after an input. */
const recentInputMs = 15_000;

/**
 * Checks if a terminal has the focus, which means that its pane, its tab and its window all have it. Returns undefined
 * unless the programs that show the terminal prove the answer.
 */
export async function isFocused(seat: Seat, question: Question, depth = 0): Promise<boolean | undefined> {
  if (isTmux(seat)) return isTmuxFocused(seat, question, depth);
  if (isKitty(seat)) return (await isKittyFocused(seat, question)) ?? isWindowFocused(seat, question);
  if (isWezterm(seat)) return isWeztermFocused(seat, question);
  return isWindowFocused(seat, question);
}

/** Checks if any tmux client that shows the pane runs in a focused terminal. */
async function isTmuxFocused(seat: Seat, question: Question, depth: number): Promise<boolean | undefined> {
  const clients = depth < maxDepth ? await listTmuxClients(seat, question) : undefined;
  return (
    clients && combineAnswers(await Promise.all(clients.map((client) => isClientFocused(client, question, depth))))
  );
}

async function isClientFocused({ pid, reportsFocus }: TmuxClient, question: Question, depth: number) {
  const outer = reportsFocus === false ? undefined : findSeat([pid]);
  if (!outer) return reportsFocus === false ? false : undefined;
  if (reportsFocus && (typedAtMs(outer.device) ?? 0) > Date.now() - recentInputMs) return true;
  return isFocused(outer, { ...question, env: { ...question.env, ...outer.env } }, depth + 1);
}

/** Checks if the active window is a WezTerm window that focuses the pane; undefined if that cannot be found out. */
async function isWeztermFocused(seat: Seat, question: Question): Promise<boolean | undefined> {
  const [clients, active] = await Promise.all([listWeztermClients(seat, question), findActiveWindow(question)]);
  return clients && active && clients.includes(active.pid);
}

/** Checks if the active window shows this terminal and no other. Undefined if that is uncertain. */
async function isWindowFocused(seat: Seat, question: Question): Promise<boolean | undefined> {
  const active = await findActiveWindow(question);
  if (active === undefined || seat.holder === undefined) return undefined;
  const { pid } = seat.holder;
  // If the holder has no window, its terminal may be in another program's window.
  if (active.pid !== pid) return active.windowPids.includes(pid) ? false : undefined;
  const neighbors = listNeighbors(seat);
  const isWindow = active.x11Id !== undefined && active.x11Id === seat.env.WINDOWID;
  if (isWindow) return neighbors?.every((id) => id !== undefined && id !== active.x11Id) ? true : undefined;
  return neighbors?.length === 0 && active.windowPids.filter((windowPid) => windowPid === pid).length === 1
    ? true
    : undefined;
}

function combineAnswers(answers: readonly (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(true)) return true;
  return answers.includes(undefined) ? undefined : false;
}
