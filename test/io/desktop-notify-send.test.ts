import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DeliveryError } from "../../src/core/errors.ts";
import type { ExecPort } from "../../src/core/ports.ts";
import { createDesktop } from "../../src/io/desktop.ts";
import { escapeBody, notifySendArgs } from "../../src/io/desktop-notify-send.ts";
import { createExec } from "../../src/io/exec.ts";
import { impatient, recordArgs, type StubPrograms, stubPrograms } from "../world/stub-programs.ts";

let stubs: StubPrograms;
beforeEach(() => {
  stubs = stubPrograms();
});
afterEach(() => stubs.remove());

function notify(
  env: NodeJS.ProcessEnv = {},
  platform: NodeJS.Platform = "linux",
  body = "touch a & b",
  through: (exec: ExecPort) => ExecPort = (exec) => exec,
) {
  const full = { ...stubs.env, XDG_RUNTIME_DIR: stubs.folder, ...env };
  const desktop = createDesktop(through(createExec(full, [])), { env: full, platform });
  const signal = new AbortController().signal;
  return desktop.notify({ title: "shop needs you", body, ...look, mask, signal });
}
const look = { urgency: "critical", icon: "/icons/a b.png", category: "x-beckon.needs-you" } as const;
const mask = (text: string) => text.replace("hunter22", "[secret]");
const bus = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" };
const display = { DISPLAY: ":987" };
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail("it was shown"),
    (error) => error,
  );

describe("the arguments of notify-send", () => {
  test("are options, their end, title and escaped body", async () => {
    stubs.add("notify-send", recordArgs);
    await notify(bus);
    const look = ["--urgency=critical", "--icon=/icons/a b.png", "--category=x-beckon.needs-you"];
    const options = ["--app-name=beckon", ...look, "--"];
    expect(stubs.argsOf("notify-send")).toEqual([...options, "shop needs you", "touch a &amp; b"]);
  });

  test("no secret: other users of the machine can read a program's arguments", async () => {
    stubs.add("notify-send", recordArgs);
    await notify(bus, "linux", "log in with hunter22");
    expect(stubs.argsOf("notify-send")?.slice(-1)).toEqual(["log in with [secret]"]);
  });

  test.each([
    ["markup is escaped in the body only", "<b>", "<b>&amp;</b>", ["<b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;"]],
    ["quotes stay", `"'`, `"'`, [`"'`, `"'`]],
    ["line feeds stay", "a", "a\nb", ["a", "a\nb"]],
    ["a backslash is doubled in the body only", "C:\\new", "C:\\new", ["C:\\new", "C:\\\\new"]],
    ["what looks like an option comes behind the end of the options", "--help", "-u low", ["--help", "-u low"]],
    ["an empty title becomes the program's name", " ", "x", ["beckon", "x"]],
    ["an empty body is left out", "x", "", ["x"]],
  ])("%s", (_, title, body, texts) => {
    expect(notifySendArgs(title, body, { urgency: "low" })).toEqual([
      "--app-name=beckon",
      "--urgency=low",
      "--",
      ...texts,
    ]);
  });

  test("an escaped body reads as the body again", () => {
    const read = (escaped: string) =>
      escaped
        .replace(/\\(.)/gs, "$1")
        .replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name as "amp"]);
    const body = fc.string({ unit: fc.constantFrom("&", "<", ">", "\\", "n", "a", "m", "p", ";", "\n", "é") });
    fc.assert(
      fc.property(body, (text) => {
        expect(read(escapeBody(text))).toBe(text);
        expect(escapeBody(text)).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
      }),
    );
  });
});

describe("without a desktop", () => {
  test.each([
    ["no notify-send", undefined, bus, /no notify-send/],
    ["no session", "exit 0", {}, /no desktop session/],
    [
      "no display, without dbus-launch",
      'echo "Failed to execute child process “dbus-launch” (No such file or directory)" >&2; exit 1',
      display,
      /no notification service/,
    ],
    [
      "no display, with dbus-launch (Debian's dbus-x11)",
      'echo "Error spawning command line “dbus-launch --autolaunch=3d1219c7c4c5404aaa1f6d2a48adfda4 --binary-syntax --close-stderr”: Child process exited with code 1" >&2; exit 1',
      display,
      /no notification service/,
    ],
    [
      "no bus to launch without a display",
      'echo "Cannot autolaunch D-Bus without X11 \\$DISPLAY" >&2; exit 1',
      { WAYLAND_DISPLAY: "wayland-9" },
      /no notification service/,
    ],
    [
      "no bus at its address",
      'echo "Could not connect: No such file or directory" >&2; exit 1',
      bus,
      /no notification service/,
    ],
    [
      "no notification service",
      'echo "GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: The name org.freedesktop.Notifications was not provided by any .service files" >&2; exit 1',
      bus,
      /no notification service/,
    ],
  ])("%s is unsupported, with a message and a hint", async (_, script, env, message) => {
    if (script !== undefined) stubs.add("notify-send", script);
    const error = await failureOf(notify(env));
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({ reason: "unsupported", message: expect.stringMatching(message) });
    expect(error.hint).toBeTruthy();
  });

  test.each([
    ["DISPLAY", ":9"],
    ["WAYLAND_DISPLAY", "wayland-9"],
  ])("%s counts as a session", async (name, value) => {
    stubs.add("notify-send", recordArgs);
    await notify({ [name]: value });
    expect(stubs.argsOf("notify-send")).toBeDefined();
  });
});

test("another failure is unavailable, and quotes no text", async () => {
  stubs.add("notify-send", "echo 'shop needs you' >&2; exit 1");
  const error = await failureOf(notify(bus));
  expect(error).toMatchObject({ reason: "unavailable" });
  expect(error.message).not.toContain("needs you");
});

test("a notify-send that hangs for three seconds is a timeout, and quotes no text", async () => {
  stubs.add("notify-send", "/bin/sleep 60");
  const granted: number[] = [];
  const error = await failureOf(notify(bus, "linux", "done", (exec) => impatient(exec, granted)));
  expect(error).toMatchObject({ reason: "timeout" });
  expect(error.message).not.toContain("needs you");
  expect(granted).toEqual([3_000]);
});
