import { chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { TerminalEnvironment } from "../../../src/core/terminal-environment.ts";
import { createExec } from "../../../src/io/exec.ts";
import { findActiveWindow } from "../../../src/io/presence/active-window.ts";
import { createPresence } from "../../../src/io/presence/presence.ts";
import { isOwnSocket } from "../../../src/io/presence/question.ts";
import { parseClients, parseFocus, parseWeztermClients } from "../../../src/io/presence/terminals.ts";
import { numbers, parseCookies, readCookie, withServer } from "../../../src/io/presence/x11.ts";
import { freshFolder, useFolder } from "../../world/fresh-folder.ts";
import { listenAt } from "../../world/listen-at.ts";
import { recordArgs, stubPrograms, useStubPrograms } from "../../world/stub-programs.ts";

describe("active window", () => {
  const at = useFolder();

  const listen = (path: string, answer: (socket: Socket, request: string) => void) =>
    listenAt(path, (socket) => socket.on("data", (chunk) => answer(socket, chunk.toString("latin1"))));

  function find(env: TerminalEnvironment, signal = AbortSignal.timeout(5000), programs: NodeJS.ProcessEnv = {}) {
    const exec = createExec(programs, []);
    const run = async (name: string, args: readonly string[]) => {
      const file = exec.driver(name);
      return file === undefined ? undefined : (await exec.run({ file, args, timeoutMs: 5000 })).stdout;
    };
    return findActiveWindow({ env, home: "/nowhere", signal, run, call: () => Promise.reject(new Error("no bus")) });
  }

  test("niri's focused window is found among all (a server that answers as documented)", async () => {
    const NIRI_SOCKET = at("niri");
    const windows = [11, 12, 12].map((pid, index) => ({ id: index + 1, pid, is_focused: index === 1 }));
    await listen(NIRI_SOCKET, (socket, request) => {
      if (request === '"Windows"\n') socket.write(`${JSON.stringify({ Ok: { Windows: windows } })}\n`);
    });
    expect(await find({ NIRI_SOCKET })).toEqual({ pid: 12, windowPids: [11, 12, 12] });
  });

  test("Hyprland's active window is found among all (a server that answers as documented)", async () => {
    mkdirSync(at("hypr", "a_1"), { recursive: true });
    const active = '{"address":"0x2","pid":12}';
    const clients = `[{"address":"0x1","pid":11},${active}]`;
    const replies: Readonly<Record<string, string>> = { "j/activewindow": active, "j/clients": clients };
    const path = at("hypr", "a_1", ".socket.sock");
    await listen(path, (socket, request) => socket.end(replies[request] ?? "unknown"));
    const env = { HYPRLAND_INSTANCE_SIGNATURE: "a_1", XDG_RUNTIME_DIR: at() };
    expect(await find(env)).toEqual({ pid: 12, windowPids: [11, 12] });
  });

  test("Plasma's active window comes from kdotool (a stub)", async () => {
    const stubs = stubPrograms();
    stubs.add("kdotool", `${recordArgs}\ncase $1 in getactivewindow) echo 12;; search) echo '{a}'; echo '{b}';; esac`);
    const env = { XDG_SESSION_DESKTOP: "KDE", WAYLAND_DISPLAY: "wayland-0" };
    expect(await find(env, undefined, stubs.env)).toEqual({ pid: 12, windowPids: [12, 12] });
    expect(stubs.readArgs("kdotool")).toEqual(["search", "--pid", "12"]);
  });

  const odd: readonly (readonly [string, (socket: Socket) => void])[] = [
    ["is silent", () => {}],
    ["hangs up", (socket) => void socket.end()],
    ["never stops talking", (socket) => void talk(socket)],
    ["answers with invalid JSON", (socket) => void socket.end("i3-ipc\u0002\0\0\0\u0004\0\0\0{}")],
    ["answers with other JSON", (socket) => void socket.end('{"Ok":{"Windows":[{"pid":"12","is_focused":true}]}}\n')],
    ["announces more than it sends", (socket) => void socket.end("i3-ipc\u00ff\u00ff\u00ff\u00ff\u0004\0\0\0{")],
  ];

  function talk(socket: Socket): void {
    if (!socket.destroyed) socket.write("x".repeat(1e6), () => talk(socket));
  }

  test.each(odd)("a compositor that %s gives no focus", async (_, behave) => {
    const path = at("socket");
    mkdirSync(at("hypr", "a_1"), { recursive: true });
    await listen(path, behave);
    await listen(at("hypr", "a_1", ".socket.sock"), behave);
    const env = { SWAYSOCK: path, NIRI_SOCKET: path, HYPRLAND_INSTANCE_SIGNATURE: "a_1", XDG_RUNTIME_DIR: at() };
    expect(await find(env, AbortSignal.timeout(500))).toBeUndefined();
  });
});

describe("macos", () => {
  // These tests never run on a Mac: the stubs print the output shown on the pages named in the source.
  const stubs = useStubPrograms();

  const port = (platform: NodeJS.Platform) =>
    createPresence(createExec(stubs.env, []), { env: stubs.env, platform, limitMs: 5000 });
  const ask = () => port("darwin").ask([process.pid]);

  function addIoreg(idle: string, root: string): void {
    stubs.add("ioreg", `case "$*" in *HIDIdleTime*) echo '${idle}';; *Root*) echo '${root}';; esac`);
  }

  test("on macOS idling and the lock come from ioreg", async () => {
    addIoreg('  |   "HIDIdleTime" = 61500000000', '  "IOConsoleUsers" = ({"CGSSessionScreenIsLocked"=Yes})');
    expect(await ask()).toEqual({ idleMs: 61_500, isLocked: true });
  });

  test("on macOS a screen without a lock mark, and other output, give no answer", async () => {
    addIoreg('"HIDIdleTime" = unknown', '"IOConsoleUsers" = ({})');
    expect(await ask()).toEqual({});
  });

  test.each([
    ["on", '{"data":[{"storeAssertionRecords":[{"assertionDetails":{}}]}]}', { isDoNotDisturb: true }],
    ["off", '{"data":[{"storeInvalidationRecords":[]}]}', { isDoNotDisturb: false }],
    ["unknown", "{}", {}],
  ])("on macOS do-not-disturb is %s by the file of its assertions", async (_, text, expected) => {
    const folder = join(stubs.folder, "Library", "DoNotDisturb", "DB");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "Assertions.json"), text);
    expect(await ask()).toEqual(expected);
  });

  test("on Windows presence is unknown, and nothing is run", async () => {
    expect(await port("win32").ask([process.pid])).toEqual({});
    expect(port("win32").typedAtMs([process.pid])).toBeUndefined();
  });
});

test("only a path of this user's own socket is a socket", async () => {
  const folder = freshFolder();
  const path = (name: string) => join(folder, name);
  await listenAt(path("socket"));
  expect(isOwnSocket(path("socket"))).toBe(true);
  writeFileSync(path("file"), "");
  symlinkSync(path("socket"), path("link"));
  for (const name of ["file", "link", "nothing", "socket/below"]) expect(isOwnSocket(path(name))).toBe(false);
});

test.runIf(process.getuid?.() === 0)("another user's socket is refused unless that user is trusted", async () => {
  const path = join(freshFolder(), "socket");
  await listenAt(path);
  chownSync(path, 65_534, 65_534);
  expect(isOwnSocket(path)).toBe(false);
  expect(isOwnSocket(path, [65_534])).toBe(true);
});

const features = ",bpaste,ccolour,focus,title,";

const tmuxClients: Readonly<Record<string, readonly [line: string, expected: readonly object[]]>> = {
  "shows the pane": [`1 %3 0 ,attached,focused,UTF-8, ${features}`, [{ pid: 1 }]],
  "shows another pane": [`1 %4 1 ,attached,focused, ${features}`, []],
  "shows a pane whose number only begins alike": [`1 %33 1 ,attached,focused, ${features}`, []],
  "reports its focus": [`1 %3 1 ,attached,focused, ${features}`, [{ pid: 1, reportsFocus: true }]],
  "reports no focus": [`1 %3 1 ,attached, ${features}`, [{ pid: 1, reportsFocus: false }]],
  "has a terminal that never reports": ["1 %3 1 ,attached,focused, ,bpaste,title,", [{ pid: 1 }]],
  "is drawn by another program": [`1 %3 1 ,attached,focused,control-mode, ${features}`, []],
  "is not a tmux line": ["protocol version mismatch (client 8, server 7)", []],
};

test("a tmux client is known by its pane, and by its terminal's reports", () => {
  const read = Object.entries(tmuxClients).map(([which, [line]]) => [which, parseClients(line, "%3")]);
  expect(read).toEqual(Object.entries(tmuxClients).map(([which, [, expected]]) => [which, expected]));
});

test("all of several tmux clients that show the pane count", () => {
  const output = `1 %3 1 ,attached, ${features}\n2 %3 1 ,attached,focused, ${features}\n3 %4 1 ,attached, ${features}\n`;
  expect(parseClients(output, "%3").map(({ pid }) => pid)).toEqual([1, 2]);
});

const kittyReply = (osWindow: boolean, tab: boolean, window: boolean): string => {
  const windows = [{ id: 5, is_focused: window }];
  const data = [{ id: 1, is_focused: osWindow, tabs: [{ id: 2, is_focused: tab, windows }] }];
  return `\u001bP@kitty-cmd${JSON.stringify({ ok: true, data: JSON.stringify(data) })}\u001b\\`;
};

test("a kitty window has the focus if its tab and OS window do; another reply gives no focus", () => {
  expect(parseFocus(kittyReply(true, true, true), 5)).toBe(true);
  expect(parseFocus(kittyReply(false, true, true), 5)).toBe(false);
  expect(parseFocus(kittyReply(true, false, true), 5)).toBe(false);
  expect(parseFocus(kittyReply(true, true, false), 5)).toBe(false);
  const disabled = '\u001bP@kitty-cmd{"ok":false,"error":"Remote control is disabled"}\u001b\\';
  expect(parseFocus(kittyReply(true, true, true), 6)).toBeUndefined();
  for (const reply of [disabled, "\u001bP@kitty-cmd[]\u001b\\", "HTTP/1.1 400 Bad Request"])
    expect(parseFocus(reply, 5), reply).toBeUndefined();
});

test("the WezTerm clients with focus on the pane count, whichever comes first", () => {
  const clients = [
    { username: "dev", pid: 11, focused_pane_id: 0, idle_time: { secs: 100, nanos: 0 } },
    { username: "dev", pid: 12, focused_pane_id: 3, idle_time: { secs: 0, nanos: 1 } },
    { username: "dev", pid: "13", focused_pane_id: 3 },
    { username: "dev", pid: 14, focused_pane_id: null },
  ];
  expect(parseWeztermClients(JSON.stringify(clients), 3)).toEqual([12]);
  for (const odd of ["", "null", "{}", "[", '{"pid":12,"focused_pane_id":3}'])
    expect(parseWeztermClients(odd, 3)).toEqual([]);
});

describe("x11 cookie", () => {
  const magic = "MIT-MAGIC-COOKIE-1";

  function entry(family: number, ...texts: readonly (string | Buffer)[]): Buffer {
    const uint16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
    return Buffer.concat([uint16(family), ...texts.flatMap((text) => [uint16(text.length), Buffer.from(text)])]);
  }

  const at = useFolder();
  const file = () => at("Xauthority");

  const secret = Buffer.from([1, 200, 0, 255]);

  test.each([
    ["of this machine and display", entry(256, hostname(), "7", magic, secret), secret],
    ["of this machine and any display", entry(256, hostname(), "", magic, secret), secret],
    ["of any machine", entry(65_535, "", "7", magic, secret), secret],
    ["of another display", entry(256, hostname(), "77", magic, secret), undefined],
    ["of another machine", entry(256, "other", "7", magic, secret), undefined],
    ["of a network address", entry(0, hostname(), "7", magic, secret), undefined],
    ["of another kind", entry(256, hostname(), "7", "XDM-AUTHORIZATION-1", secret), undefined],
  ])("a cookie %s", (_, bytes, expected) => {
    writeFileSync(file(), Buffer.concat([entry(256, "first", "0", magic, "other"), bytes]));
    expect(readCookie(file(), "7")).toEqual(expected);
  });

  test.runIf(process.getuid?.() === 0)("another user's file has no cookie", () => {
    writeFileSync(file(), entry(65_535, "", "7", magic, secret));
    chownSync(file(), 65_534, 65_534);
    expect(readCookie(file(), "7")).toBeUndefined();
    expect(readCookie(`${file()}-none`, "7")).toBeUndefined();
  });

  test("any bytes are some cookies or none", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(65_535), fc.string(), fc.string())), fc.uint8Array(), (cookies, rest) => {
        const write = (text: string) => Buffer.from(text);
        const whole = cookies.map(([family, address, data]) => entry(family, write(address), "0", magic, write(data)));
        const found = parseCookies(Buffer.concat([...whole, rest]));
        const known = found.slice(0, cookies.length).map(({ family, address }) => [family, address]);
        expect(known).toEqual(cookies.map(([family, address]) => [family, address]));
      }),
    );
  });
});

describe("x11 connection", () => {
  const display = `:${7_000 + (process.pid % 1_000)}`;
  const folder = "/tmp/.X11-unix";
  const welcome = Buffer.alloc(44);
  welcome[0] = 1;
  welcome.writeUInt16LE(9, 6);
  welcome.writeUInt32LE(1, 40);

  let answer: (serial: number) => Buffer;
  beforeEach(async () => {
    mkdirSync(folder, { recursive: true, mode: 0o1777 });
    await listenAt(`${folder}/X${display.slice(1)}`, (socket) => {
      let serial = -1;
      socket.on("data", () => {
        serial += 1;
        socket.write(serial === 0 ? welcome : answer(serial));
      });
    });
  });

  const askWindows = (limitMs = 2_000) =>
    withServer({ DISPLAY: display }, AbortSignal.timeout(limitMs), (x11) => numbers(x11, x11.root, "_NET_CLIENT_LIST"));

  function reply(units: number, detail: number, content: Buffer): Buffer {
    const head = Buffer.alloc(32);
    [head[0], head[1]] = [1, detail];
    head.writeUInt32LE(units, 4);
    head.writeUInt32LE(units, 8); // also an atom
    head.writeUInt32LE(units, 16);
    return Buffer.concat([head, content]);
  }

  test("a list of windows is read from a server", async () => {
    answer = (serial) => (serial === 1 ? reply(0, 0, Buffer.alloc(0)).fill(1, 8, 9) : reply(2, 32, Buffer.alloc(8, 1)));
    expect(await askWindows()).toEqual([0x01010101, 0x01010101]);
  });

  test("a reply of 4 GiB ends the connection", async () => {
    answer = () => reply(0xffff_ffff, 32, Buffer.alloc(64));
    expect(await askWindows()).toEqual([]);
  });

  test("any bytes of a server lead to an answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 32, maxLength: 200 }), { minLength: 1 }),
        async (replies) => {
          answer = (serial) => {
            const bytes = Buffer.from(replies[serial % replies.length] ?? []);
            bytes.fill(0, 5, 8); // sizes of up to 1 KiB, so that some replies are whole
            return bytes;
          };
          const found = await askWindows(300);
          expect(Array.isArray(found) || found === undefined).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });
});
