import { statSync } from "node:fs";
import { join } from "node:path";
import { at, parseJson, parseObject, toList } from "../../core/json-value.ts";
import { listQuietly } from "../../files/read-file.ts";
import { askSocket, isOwnSocket, type Question, type Seat, type Source } from "./question.ts";

/** Maximum depth of nested terminals, such as tmux in tmux in a window. */
export const maxDepth = 3;

/** tmux client that shows the agent's pane as its active pane. */
export interface TmuxClient {
  readonly pid: number;
  /**
   * True if the client's terminal has reported that it has the focus, false if it has reported that it lost the focus;
   * undefined if it does not report. `true` is no proof, because tmux assumes focus when a client attaches.
   */
  readonly reportsFocus?: boolean;
}

/**
 * Checks that tmux itself holds the terminal. tmux's variables alone do not prove that, because terminals that were
 * started from a tmux pane inherit them.
 */
export function isTmux({ env: { TMUX, TMUX_PANE }, holder }: Seat): boolean {
  return TMUX_PANE !== undefined && TMUX?.split(",")[1] === String(holder?.pid);
}

/** Lists the tmux clients that show a terminal's pane; undefined if tmux does not answer. */
export async function listTmuxClients({ env }: Seat, { run }: Question): Promise<TmuxClient[] | undefined> {
  const socket = env.TMUX?.split(",")[0] ?? "";
  if (!isOwnSocket(socket)) return undefined;
  const output = await run("tmux", ["-S", socket, "list-clients", "-F", format]);
  return output === undefined ? undefined : parseClients(output, env.TMUX_PANE ?? "");
}

/** Format for listing clients; `pane_id` is the client's active pane. https://man.openbsd.org/tmux#FORMATS */
const format = "#{client_pid} #{pane_id} #{focus-events} ,#{client_flags}, ,#{client_termfeatures},";

/** Finds the clients that show a pane in the output of tmux's `list-clients`. Exported for its test. */
export function parseClients(output: string, pane: string): TmuxClient[] {
  return output.split("\n").flatMap((line) => {
    const [pid = "", shown, focusEvents, flags = "", features = ""] = line.split(" ");
    // A client in control mode draws panes itself, in an unknown place.
    if (!/^\d+$/.test(pid) || shown !== pane || flags.includes(",control-mode,")) return [];
    const reports = focusEvents === "1" && features.includes(",focus,");
    return [{ pid: Number(pid), ...(reports && { reportsFocus: flags.includes(",focused,") }) }];
  });
}

/**
 * Checks that kitty itself holds the terminal. kitty's variables alone do not prove that, because other terminals that
 * were started from kitty inherit them.
 */
export function isKitty({ env: { KITTY_PID, KITTY_WINDOW_ID }, holder }: Seat): boolean {
  return KITTY_WINDOW_ID !== undefined && KITTY_PID === String(holder?.pid);
}

/**
 * Sends a command to the kitty that shows a terminal, and returns the reply. Undefined if kitty does not answer, or has
 * no socket in the file system for remote control. https://sw.kovidgoyal.net/kitty/rc_protocol/
 */
export async function askKitty(
  { env: { KITTY_LISTEN_ON }, signal }: Pick<Question, "env" | "signal">,
  command: { readonly cmd: "ls" | "focus-window"; readonly payload?: Readonly<Record<string, unknown>> },
): Promise<string | undefined> {
  const socket = KITTY_LISTEN_ON?.slice("unix:".length);
  if (socket === undefined) return undefined;
  // Newer versions accept the oldest supported version. Without a password, kitty refuses instead of asking the user.
  const json = JSON.stringify({ ...command, version: [0, 20, 0], no_response: false });
  const isWhole = (bytes: Buffer) => bytes.includes("\u001b\\", 2);
  return (await askSocket(socket, `\u001bP@kitty-cmd${json}\u001b\\`, isWhole, signal))?.toString();
}

/** Parses the JSON in kitty's reply; undefined if the reply is malformed. */
export function readKittyReply(reply: string): Record<string, unknown> | undefined {
  return parseObject(/^\u001bP@kitty-cmd(.*)\u001b\\$/s.exec(reply)?.[1] ?? "");
}

/**
 * Checks if kitty's window for this terminal has the focus. Undefined if kitty does not answer or does not list the
 * window.
 */
export async function isKittyFocused({ env }: Seat, { signal }: Question): Promise<boolean | undefined> {
  const reply = await askKitty({ env, signal }, { cmd: "ls" });
  return reply === undefined ? undefined : parseFocus(reply, Number(env.KITTY_WINDOW_ID));
}

/**
 * Reads from kitty's reply to `ls` if a window has the focus. Undefined if the reply does not list the window. Exported
 * for its test.
 */
export function parseFocus(reply: string, window: number): boolean | undefined {
  const { data } = readKittyReply(reply) ?? {};
  for (const osWindow of toList(parseJson(typeof data === "string" ? data : ""))) {
    for (const tab of toList(at(osWindow, "tabs"))) {
      const found = toList(at(tab, "windows")).find((node) => at(node, "id") === window);
      if (found !== undefined) return [osWindow, tab, found].every((node) => at(node, "is_focused") === true);
    }
  }
  return undefined;
}

/**
 * Checks that WezTerm or its server holds the terminal. WezTerm's variables alone do not prove that, because terminals
 * that were started from WezTerm inherit them.
 */
export function isWezterm({ env: { WEZTERM_PANE }, holder }: Seat): boolean {
  return WEZTERM_PANE !== undefined && holder?.name?.startsWith("wezterm") === true;
}

/**
 * Lists the process ids of the WezTerm windows in which this terminal's pane has the focus. These windows need not have
 * the focus themselves. Undefined if WezTerm does not answer. Only tested with recorded replies.
 * https://wezterm.org/cli/cli/list-clients.html
 */
export async function listWeztermClients({ env }: Seat, { run }: Question): Promise<number[] | undefined> {
  const { WEZTERM_UNIX_SOCKET: socket, WEZTERM_PANE } = env;
  if (socket === undefined || !isOwnSocket(socket)) return undefined;
  const args = ["cli", "--no-auto-start", "list-clients", "--format", "json"];
  const output = await run("wezterm", args, { WEZTERM_UNIX_SOCKET: socket });
  return output === undefined ? undefined : parseWeztermClients(output, Number(WEZTERM_PANE));
}

/** Reads the process ids of the clients that focus a pane from WezTerm's list of clients. Exported for its test. */
export function parseWeztermClients(output: string, pane: number): number[] {
  const clients = toList(parseJson(output));
  const showing = clients.filter((client) => at(client, "focused_pane_id") === pane);
  return showing.map((client) => at(client, "pid")).filter((pid): pid is number => typeof pid === "number");
}

/** Source for the idle time, as `w` shows it: the time since the last input on any terminal or console of this user. */
export const ttySource: Source = async () => {
  const times = [...namesIn("/dev/pts", /^\d+$/), ...namesIn("/dev", /^tty\d+$/)].flatMap(
    (device) => typedAtMs(device) ?? [],
  );
  return times.length > 0 ? { idleMs: Math.max(0, Date.now() - Math.max(...times)) } : {};
};

function namesIn(folder: string, pattern: RegExp): string[] {
  return listQuietly(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));
}

/**
 * Returns the time of the last input on a terminal, Unix milliseconds: the terminal's access time, which Linux updates
 * when a program reads input. Undefined if there was no input since the terminal was opened, or if another user owns
 * it.
 */
export function typedAtMs(device: string): number | undefined {
  const found = statSync(device, { throwIfNoEntry: false });
  if (!found?.isCharacterDevice() || found.uid !== process.getuid?.()) return undefined;
  return found.atimeMs > found.ctimeMs ? found.atimeMs : undefined;
}
