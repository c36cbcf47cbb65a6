import { at, listOf, parseObject } from "../../core/json-value.ts";
import type { Question } from "./question.ts";
import { askSocket } from "./unix-socket.ts";

type Where = Pick<Question, "env" | "signal">;

/** The messages of sway that are sent. */
export const swayMessages = { runCommand: 0, getTree: 4 } as const;
const swayMagic = "i3-ipc";
const swayHeaderBytes = 14;

/** Sway's answer to a message, as JSON; undefined where no sway answers. https://man.archlinux.org/man/sway-ipc.7 */
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

/** The windows in sway's tree: they have a `pid` each, and those of X11 programs their number there as `window`. */
export function swayWindows(node: unknown): unknown[] {
  const inner = [...listOf(at(node, "nodes")), ...listOf(at(node, "floating_nodes"))].flatMap(swayWindows);
  return typeof at(node, "pid") === "number" ? [node, ...inner] : inner;
}

/** Hyprland's answer to a request; undefined where no Hyprland answers. https://wiki.hypr.land/IPC/ */
export async function askHyprland({ env, signal }: Where, request: string): Promise<string | undefined> {
  const { HYPRLAND_INSTANCE_SIGNATURE: name, XDG_RUNTIME_DIR: folder } = env;
  if (name === undefined || folder === undefined) return undefined;
  const reply = await askSocket(`${folder}/hypr/${name}/.socket.sock`, request, () => false, signal);
  return reply?.toString();
}

/** What is in niri's answer to a request; undefined where no niri answers. https://github.com/YaLTeR/niri/wiki/IPC */
export async function askNiri({ env: { NIRI_SOCKET }, signal }: Where, request: unknown): Promise<unknown> {
  if (NIRI_SOCKET === undefined) return undefined;
  const line = `${JSON.stringify(request)}\n`;
  const reply = await askSocket(NIRI_SOCKET, line, (bytes) => bytes.includes("\n"), signal);
  return at(parseObject(reply?.toString() ?? ""), "Ok");
}

/** A JSON value of any type; undefined for what is none. */
export function jsonValue(json: string | undefined): unknown {
  return parseObject(`{"value":${json ?? "null"}}`)?.["value"];
}
