import { at, parseObject, toList } from "../../core/json-value.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seat.ts";
import { askSocket } from "./unix-socket.ts";

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
  const osWindows = parseObject(`{"all":${typeof data === "string" ? data : "[]"}}`)?.["all"];
  for (const osWindow of toList(osWindows)) {
    for (const tab of toList(at(osWindow, "tabs"))) {
      const found = toList(at(tab, "windows")).find((node) => at(node, "id") === window);
      if (found !== undefined) return [osWindow, tab, found].every((node) => at(node, "is_focused") === true);
    }
  }
  return undefined;
}
