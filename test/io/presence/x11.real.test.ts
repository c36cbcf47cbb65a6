import { execFileSync } from "node:child_process";
import { once, setMaxListeners } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { activeX11Window, X11Connection, x11IdleMs } from "../../../src/io/presence/x11.ts";
import { type Background, background, eventually } from "../../world/background.ts";

let folder: string;
let programs: Background;
let DISPLAY: string;
let XAUTHORITY: string;
const limit = new AbortController();
setMaxListeners(0, limit.signal);

/** Starts an X server that accepts only clients with its cookie. */
beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "x11-"));
  programs = background();
  XAUTHORITY = join(folder, "cookies");
  const cookie = Buffer.alloc(16, 7);
  const texts = ["", "", "MIT-MAGIC-COOKIE-1", cookie].map((text) =>
    Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)]),
  );
  writeFileSync(XAUTHORITY, Buffer.concat([Buffer.from([0xff, 0xff]), ...texts]));
  const args = ["-screen", "0", "640x480x24", "-nolisten", "tcp", "-auth", XAUTHORITY, "-displayfd", "3"];
  const server = programs.start("Xvfb", args, { env: process.env, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const [line] = (await once(server.stdio[3] as Readable, "data")) as [Buffer];
  DISPLAY = `:${line.toString().trim()}`;
});
afterAll(async () => {
  limit.abort();
  await programs?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("an X server with a cookie accepts its holder, and others learn nothing", async () => {
  expect(await X11Connection.open({ DISPLAY, XAUTHORITY }, limit.signal)).toBeDefined();
  expect(await X11Connection.open({ DISPLAY, XAUTHORITY: "/nowhere" }, limit.signal)).toBeUndefined();
  expect(await X11Connection.open({ DISPLAY: ":6999", XAUTHORITY }, limit.signal)).toBeUndefined();
  expect(await X11Connection.open({}, limit.signal)).toBeUndefined();
});

test("idling is the time since the last key or mouse move", async () => {
  const idle = () => x11IdleMs({ DISPLAY, XAUTHORITY }, limit.signal);
  const before = await eventually("a second", async () => {
    const ms = (await idle()) ?? 0;
    return ms > 1000 ? ms : undefined;
  });
  const env = { ...process.env, DISPLAY, XAUTHORITY };
  const moved = Date.now();
  execFileSync("xdotool", ["mousemove", "17", "17"], { env });
  const after = (await idle()) ?? Number.NaN;
  expect(after).toBeLessThan(before);
  expect(after).toBeLessThanOrEqual(Date.now() - moved);
  expect(Math.abs(Number(execFileSync("xprintidle", { env })) - after)).toBeLessThanOrEqual(Date.now() - moved);
  expect(await x11IdleMs({ DISPLAY, XAUTHORITY, WAYLAND_DISPLAY: "wayland-0" }, limit.signal)).toBeUndefined();
});

test("without a window manager no window is known to be active", async () => {
  programs.start("xterm", [], { env: { ...process.env, DISPLAY, XAUTHORITY } });
  expect(await activeX11Window({ env: { DISPLAY, XAUTHORITY }, signal: limit.signal })).toBeUndefined();
});
