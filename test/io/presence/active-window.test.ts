import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TerminalEnvironment } from "../../../src/core/terminal-environment.ts";
import { createExec } from "../../../src/io/exec.ts";
import { findActiveWindow } from "../../../src/io/presence/active-window.ts";
import { recordArgs, stubPrograms } from "../../world/stub-programs.ts";

let folder: string;
const servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "windows-"));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Listens at a path; answers each request that is whole by `isWhole` with what `reply` says. */
async function listen(path: string, answer: (socket: Socket, request: string) => void): Promise<void> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", (chunk) => answer(socket, chunk.toString("latin1")));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

function find(env: TerminalEnvironment, signal = AbortSignal.timeout(5000), programs: NodeJS.ProcessEnv = {}) {
  const exec = createExec(programs, []);
  const run = async (name: string, args: readonly string[]) => {
    const file = exec.driver(name);
    return file === undefined ? undefined : (await exec.run({ file, args, timeoutMs: 5000 })).stdout;
  };
  return findActiveWindow({ env, home: "/nowhere", signal, run, call: () => Promise.reject(new Error("no bus")) });
}

test("niri's focused window is found among all (a server that answers as documented)", async () => {
  const NIRI_SOCKET = join(folder, "niri");
  const windows = [
    { id: 1, pid: 11, is_focused: false },
    { id: 2, pid: 12, is_focused: true },
    { id: 3, pid: 12, is_focused: false },
  ];
  await listen(NIRI_SOCKET, (socket, request) => {
    if (request === '"Windows"\n') socket.write(`${JSON.stringify({ Ok: { Windows: windows } })}\n`);
  });
  expect(await find({ NIRI_SOCKET })).toEqual({ pid: 12, windowPids: [11, 12, 12] });
});

test("Hyprland's active window is found among all (a server that answers as documented)", async () => {
  mkdirSync(join(folder, "hypr", "a_1"), { recursive: true });
  const replies: Readonly<Record<string, string>> = {
    "j/activewindow": '{"address":"0x2","pid":12}',
    "j/clients": '[{"address":"0x1","pid":11},{"address":"0x2","pid":12}]',
  };
  await listen(join(folder, "hypr", "a_1", ".socket.sock"), (socket, request) =>
    socket.end(replies[request] ?? "unknown"),
  );
  const env = { HYPRLAND_INSTANCE_SIGNATURE: "a_1", XDG_RUNTIME_DIR: folder };
  expect(await find(env)).toEqual({ pid: 12, windowPids: [11, 12] });
});

test("Plasma's active window comes from kdotool (a stub)", async () => {
  const stubs = stubPrograms();
  stubs.add("kdotool", `${recordArgs}\ncase $1 in getactivewindow) echo 12;; search) echo '{a}'; echo '{b}';; esac`);
  const env = { XDG_SESSION_DESKTOP: "KDE", WAYLAND_DISPLAY: "wayland-0" };
  expect(await find(env, undefined, stubs.env)).toEqual({ pid: 12, windowPids: [12, 12] });
  expect(stubs.argsOf("kdotool")).toEqual(["search", "--pid", "12"]);
  stubs.remove();
});

const odd: readonly (readonly [string, (socket: Socket) => void])[] = [
  ["says nothing", () => {}],
  ["hangs up", (socket) => void socket.end()],
  ["talks without end", (socket) => void talk(socket)],
  ["answers with what is no JSON", (socket) => void socket.end("i3-ipc\u0002\0\0\0\u0004\0\0\0{}")],
  ["answers with another JSON", (socket) => void socket.end('{"Ok":{"Windows":[{"pid":"12","is_focused":true}]}}\n')],
  ["announces more than comes", (socket) => void socket.end("i3-ipc\u00ff\u00ff\u00ff\u00ff\u0004\0\0\0{")],
];

function talk(socket: Socket): void {
  if (!socket.destroyed) socket.write("x".repeat(1e6), () => talk(socket));
}

test.each(odd)("a compositor that %s tells nothing", async (_, behave) => {
  const path = join(folder, "socket");
  mkdirSync(join(folder, "hypr", "a_1"), { recursive: true });
  await listen(path, behave);
  await listen(join(folder, "hypr", "a_1", ".socket.sock"), behave);
  const env = { SWAYSOCK: path, NIRI_SOCKET: path, HYPRLAND_INSTANCE_SIGNATURE: "a_1", XDG_RUNTIME_DIR: folder };
  expect(await find(env, AbortSignal.timeout(500))).toBeUndefined();
});
