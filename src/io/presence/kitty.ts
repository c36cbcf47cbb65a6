import { at, listOf, parseObject } from "../../core/json-value.ts";
import type { Question } from "./question.ts";
import type { Seat } from "./seat.ts";
import { askSocket } from "./unix-socket.ts";

/** Whether kitty holds this terminal, and not one that was started from it. */
export function isKitty({ env: { KITTY_PID, KITTY_WINDOW_ID }, holder }: Seat): boolean {
  return KITTY_WINDOW_ID !== undefined && KITTY_PID === String(holder?.pid);
}

/**
 * Sends a command to the kitty of a terminal; its reply, or undefined where kitty does not answer: it listens on no
 * socket of the file system, or allows no remote control. https://sw.kovidgoyal.net/kitty/rc_protocol/
 */
export async function askKitty(
  { env: { KITTY_LISTEN_ON }, signal }: Pick<Question, "env" | "signal">,
  command: { readonly cmd: "ls" | "focus-window"; readonly payload?: Readonly<Record<string, unknown>> },
): Promise<string | undefined> {
  const socket = KITTY_LISTEN_ON?.slice("unix:".length);
  if (socket === undefined) return undefined;
  // The oldest version that is asked for; a newer kitty answers it. No password: kitty refuses then, and asks nobody.
  const json = JSON.stringify({ ...command, version: [0, 20, 0], no_response: false });
  const isWhole = (bytes: Buffer) => bytes.includes("\u001b\\", 2);
  return (await askSocket(socket, `\u001bP@kitty-cmd${json}\u001b\\`, isWhole, signal))?.toString();
}

/** The JSON in a reply of kitty's. */
export function readKittyReply(reply: string): Record<string, unknown> | undefined {
  return parseObject(/^\u001bP@kitty-cmd(.*)\u001b\\$/s.exec(reply)?.[1] ?? "");
}

/** Whether kitty's window with this terminal has the focus; undefined where kitty does not tell. */
export async function isKittyFocused({ env }: Seat, { signal }: Question): Promise<boolean | undefined> {
  const reply = await askKitty({ env, signal }, { cmd: "ls" });
  return reply === undefined ? undefined : parseFocus(reply, Number(env.KITTY_WINDOW_ID));
}

/** Whether a window has the focus, by kitty's reply to `ls`; undefined if it is not in it. Exported for its test. */
export function parseFocus(reply: string, window: number): boolean | undefined {
  const { data } = readKittyReply(reply) ?? {};
  const osWindows = parseObject(`{"all":${typeof data === "string" ? data : "[]"}}`)?.["all"];
  for (const osWindow of listOf(osWindows)) {
    for (const tab of listOf(at(osWindow, "tabs"))) {
      const found = listOf(at(tab, "windows")).find((one) => at(one, "id") === window);
      if (found !== undefined) return [osWindow, tab, found].every((one) => at(one, "is_focused") === true);
    }
  }
  return undefined;
}
