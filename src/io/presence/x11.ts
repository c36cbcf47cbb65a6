import { lstatSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import type { TerminalEnvironment } from "../../core/terminal-environment.ts";
import { readQuietly } from "../../files/read-file.ts";
import { readMessages } from "../read-messages.ts";
import { type ActiveWindow, isOwnSocket, type Question } from "./question.ts";

/**
 * Finds the active window of an X11 desktop, as its window manager reports it. Undefined if there is no window manager,
 * or if the window's process is unknown or runs on another machine.
 * https://specifications.freedesktop.org/wm-spec/latest/
 */
export function activeX11Window({ env, signal }: Pick<Question, "env" | "signal">): Promise<ActiveWindow | undefined> {
  return withServer(env, signal, async (server) => {
    const [active = 0] = await numbers(server, server.root, "_NET_ACTIVE_WINDOW");
    if (active === 0) return undefined;
    const [pid, windows] = await Promise.all([
      readWindowPid(server, active),
      numbers(server, server.root, "_NET_CLIENT_LIST"),
    ]);
    if (!pid) return undefined;
    const pids = await Promise.all(windows.map(async (window) => (await numbers(server, window, "_NET_WM_PID"))[0]));
    return { pid, x11Id: String(active), windowPids: pids.filter((candidate) => candidate !== undefined) };
  });
}

/**
 * Returns the id of the process that created a window; 0 if that process is on another machine. Undefined if the window
 * does not tell its process.
 */
export async function readWindowPid(server: X11Connection, window: number): Promise<number | undefined> {
  const machine = await server.property(window, "WM_CLIENT_MACHINE");
  const isHere = machine === undefined || machine.toString() === hostname();
  return isHere ? (await numbers(server, window, "_NET_WM_PID"))[0] : 0;
}

/**
 * Returns the idle time of an X11 desktop, milliseconds. Undefined on Wayland, where an X server only sees input to its
 * own windows. https://www.x.org/releases/current/doc/scrnsaverproto/saver.html
 */
export async function x11IdleMs(env: TerminalEnvironment, signal: AbortSignal): Promise<number | undefined> {
  if (env.WAYLAND_DISPLAY !== undefined) return undefined;
  const queryInfo = 1;
  const info = await withServer(env, signal, (server) => server.askExtension("MIT-SCREEN-SAVER", queryInfo));
  return info?.readUInt32LE(16);
}

/** Connects to the X11 server, runs `ask` with the connection and closes it. Undefined if there is no server. */
export async function withServer<Answer>(
  env: TerminalEnvironment,
  signal: AbortSignal,
  ask: (server: X11Connection) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const server = await X11Connection.open(env, signal);
  try {
    return server && (await ask(server));
  } finally {
    server?.close();
  }
}

/** Reads a window's property that is a list of 32-bit numbers, such as window ids. Empty if the property is missing. */
export async function numbers(server: X11Connection, window: number, name: string): Promise<number[]> {
  const bytes = await server.property(window, name);
  return Array.from(
    { length: Math.floor((bytes?.length ?? 0) / 4) },
    (_, index) => bytes?.readUInt32LE(index * 4) ?? 0,
  );
}

const headerBytes = 32;
/** Maximum size of a property, in units of four bytes. A list of 1,024 windows fits. */
const maxPropertyUnits = 1_024;
const opcodes = { internAtom: 16, getProperty: 20, sendEvent: 25, queryExtension: 98 } as const;
const messageTypes = { error: 0, reply: 1, genericEvent: 35 } as const;

/** Minimal X11 client: https://www.x.org/releases/current/doc/xproto/x11protocol.html */
export class X11Connection {
  readonly #socket: Socket;
  readonly #waiting: ((reply: Buffer | undefined) => void)[] = [];
  /** Id of the first screen's root window; 0 before the handshake. */
  root = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Connects to the server that DISPLAY names, through a socket that belongs to this user or root. Undefined if the
   * connection fails, the server denies access, or the signal aborts.
   */
  static async open(
    { DISPLAY, XAUTHORITY }: TerminalEnvironment,
    signal: AbortSignal,
  ): Promise<X11Connection | undefined> {
    const display = DISPLAY?.slice(1).split(".")[0] ?? "";
    const path = `/tmp/.X11-unix/X${display}`;
    if (display === "" || signal.aborted || !isOwnSocket(path, [0])) return undefined;
    const cookie = readCookie(XAUTHORITY ?? join(homedir(), ".Xauthority"), display);
    const connection = new X11Connection(connect({ path, signal }));
    if (await connection.#sayHello(cookie ?? Buffer.alloc(0))) return connection;
    connection.close();
    return undefined;
  }

  /** Reads a window's property as the server sends it; undefined if the window lacks the property. */
  async property(window: number, name: string): Promise<Buffer | undefined> {
    const atom = await this.#atom(name);
    if (atom === 0) return undefined;
    const reply = await this.#ask(opcodes.getProperty, [window, atom, 0, 0, maxPropertyUnits]);
    const format = reply?.[1] ?? 0;
    if (!reply || format === 0) return undefined;
    return reply.subarray(headerBytes, headerBytes + reply.readUInt32LE(16) * (format / 8));
  }

  /** Sends a request about the root window to an X11 extension; undefined if the server lacks the extension. */
  async askExtension(name: string, minor: number): Promise<Buffer | undefined> {
    const found = await this.#ask(opcodes.queryExtension, [name.length, name]);
    return found?.[8] === 1 ? this.#ask(found[9] ?? 0, [this.root], minor) : undefined;
  }

  /**
   * Asks the window manager, in the user's name, to bring a window to the front, even if it is minimized or on another
   * desktop. Resolves before the window is in front. https://specifications.freedesktop.org/wm-spec/latest/
   */
  async activate(window: number): Promise<void> {
    const [toWindowManagers, clientMessage, bitsEach, byThePerson] = [0x180000, 33, 32, 2];
    const event = [clientMessage | (bitsEach << 8), window, await this.#atom("_NET_ACTIVE_WINDOW"), byThePerson];
    this.#send(opcodes.sendEvent, [this.root, toWindowManagers, ...event, 0, 0, 0, 0]);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #atom(name: string): Promise<number> {
    return (await this.#ask(opcodes.internAtom, [name.length, name], 1))?.readUInt32LE(8) ?? 0;
  }

  /** Sends a request and waits for its answer. Undefined if the server returns an error or the connection ends. */
  #ask(opcode: number, parts: readonly (number | string)[], detail = 0): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) return resolve(undefined);
      this.#waiting.push(resolve);
      this.#send(opcode, parts, detail);
    });
  }

  /** Sends a request. Numbers are encoded as 32 bits; texts are padded to a multiple of four bytes. */
  #send(opcode: number, parts: readonly (number | string)[], detail = 0): void {
    const body = Buffer.concat(
      parts.map((part) => (typeof part === "string" ? padded(Buffer.from(part)) : uint32(part))),
    );
    const head = Buffer.from([opcode, detail, 0, 0]);
    head.writeUInt16LE(1 + body.length / 4, 2);
    this.#socket.write(Buffer.concat([head, body]));
  }

  /** Performs the handshake. Resolves to false if the server denies access. */
  #sayHello(cookie: Buffer): Promise<boolean> {
    const name = cookie.length > 0 ? cookieName : "";
    const head = Buffer.alloc(12);
    for (const [at, value] of [0x6c, 11, 0, name.length, cookie.length].entries()) head.writeUInt16LE(value, at * 2);
    this.#socket.write(Buffer.concat([head, padded(Buffer.from(name)), padded(cookie)]));
    return new Promise((resolve) => {
      const handle = (message: Buffer): void => {
        if (this.root === 0) this.root = readRoot(message);
        else this.#settle(message);
        if (this.root === 0) this.close();
        else resolve(true);
      };
      readMessages(this.#socket, { readSize: (bytes) => messageSize(bytes, this.root === 0), handle });
      this.#socket.on("error", () => {}); // the `close` event follows
      this.#socket.on("close", () => {
        resolve(false);
        for (const settle of this.#waiting.splice(0)) settle(undefined);
      });
    });
  }

  /** Passes a reply or error to the oldest waiting request, because the server answers in order. Ignores events. */
  #settle(message: Buffer): void {
    const type = readType(message);
    if (type === messageTypes.reply) this.#waiting.shift()?.(message);
    else if (type === messageTypes.error) this.#waiting.shift()?.(undefined);
  }
}

function readType(message: Buffer): number {
  return (message[0] ?? 0) & 0x7f;
}

/** Returns the size of the message with which the bytes begin; undefined if too few bytes have arrived to tell. */
function messageSize(bytes: Buffer, isHandshake: boolean): number | undefined {
  if (bytes.length < 8) return undefined;
  if (isHandshake) return 8 + bytes.readUInt16LE(6) * 4;
  const type = readType(bytes);
  const hasMore = type === messageTypes.reply || type === messageTypes.genericEvent;
  return headerBytes + (hasMore ? bytes.readUInt32LE(4) * 4 : 0);
}

/** Reads the id of the first screen's root window from the server's first reply; 0 if access is denied. */
function readRoot(handshake: Buffer): number {
  if (handshake[0] !== 1 || handshake.length < 40) return 0;
  const vendorBytes = handshake.readUInt16LE(24);
  const formatBytes = (handshake[29] ?? 0) * 8;
  const screensAt = 40 + vendorBytes + countPadding(vendorBytes) + formatBytes;
  return screensAt + 4 <= handshake.length ? handshake.readUInt32LE(screensAt) : 0;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(countPadding(bytes.length))]);
}

function countPadding(length: number): number {
  return (4 - (length % 4)) % 4;
}

/** Name of the supported X11 authorization protocol. */
const cookieName = "MIT-MAGIC-COOKIE-1";
const localFamily = 256;
const anyFamily = 65_535;

/**
 * Reads the access cookie for a display of this machine from the user's XAUTHORITY file; undefined if there is none.
 * https://man.archlinux.org/man/Xsecurity.7
 */
export function readCookie(file: string, display: string): Buffer | undefined {
  const isOwn = lstatSync(file, { throwIfNoEntry: false })?.uid === process.getuid?.();
  const entries = isOwn ? parseCookies(Buffer.from(readQuietly(file, "latin1") ?? "", "latin1")) : [];
  return entries.find(
    ({ family, address, number, name }) =>
      (family === anyFamily || (family === localFamily && address === hostname())) &&
      (number === display || number === "") &&
      name === cookieName,
  )?.data;
}

interface Cookie {
  readonly family: number;
  readonly address: string;
  readonly number: string;
  readonly name: string;
  readonly data: Buffer;
}

/** Parses an XAUTHORITY file. Each entry is an address family and four texts with their lengths, big-endian. */
export function parseCookies(bytes: Buffer): Cookie[] {
  const cookies: Cookie[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const family = bytes.readUInt16BE(at);
    at += 2;
    const texts: Buffer[] = [];
    for (let index = 0; index < 4; index += 1) {
      if (at + 2 > bytes.length) return cookies;
      const length = bytes.readUInt16BE(at);
      texts.push(bytes.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
    const [address = "", number = "", name = ""] = texts.map(String);
    cookies.push({ family, address, number, name, data: texts[3] ?? Buffer.alloc(0) });
  }
  return cookies;
}
