import { at, parseObject, toList } from "../../core/json-value.ts";
import type { Question } from "./question.ts";
import { askSocket } from "./unix-socket.ts";

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
  return reply && jsonValue(reply.toString("utf8", swayHeaderBytes));
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

/** Parses JSON of any type; undefined for invalid JSON. */
export function jsonValue(json: string | undefined): unknown {
  return parseObject(`{"value":${json ?? "null"}}`)?.["value"];
}
