import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lengthIn } from "../../src/core/cut.ts";
import { DeliveryError } from "../../src/core/errors.ts";
import type { ShownNotification } from "../../src/core/machine-ports.ts";
import type { ExecPort } from "../../src/core/ports.ts";
import { type BusMessage, type BusValue, encodeMessage, messageTypes } from "../../src/io/bus-message.ts";
import { createDesktop } from "../../src/io/desktop.ts";
import { containedTexts } from "../../src/io/desktop-node-notifier.ts";
import { escapeBody, notifySendArgs } from "../../src/io/desktop-notify-send.ts";
import { createSessionBusDesktop } from "../../src/io/desktop-session-bus.ts";
import { createExec } from "../../src/io/exec.ts";
import { answerCalls, type RecordingDesktop, replyTo, startRecordingDesktop } from "../world/session-bus.ts";
import { impatient, recordArgs, type StubPrograms, stubPrograms } from "../world/stub-programs.ts";
import { request, type UnprovenDesktop, unprovenDesktop } from "./unproven-desktop.ts";

describe("desktop", () => {
  let world: UnprovenDesktop;
  let stubs: StubPrograms;
  beforeEach(async () => {
    world = await unprovenDesktop();
    ({ stubs } = world);
  });
  afterEach(() => stubs.remove());

  const { signal } = request;
  const desktopOf: UnprovenDesktop["desktopOf"] = (...args) => world.desktopOf(...args);
  const notify: UnprovenDesktop["notify"] = (...args) => world.notify(...args);
  const addToaster = (script: string) => world.addToaster(script);

  describe("macOS", () => {
    test("terminal-notifier gets both texts and no sound, and does not keep running", async () => {
      stubs.add("terminal-notifier", recordArgs);
      await notify("darwin", { title: "shop needs you", body: "Droid wants\nto run `ls`" });
      expect(stubs.argsOf("terminal-notifier")).toEqual([
        ...["-title", "beckon: shop needs you", "-message", "Droid wants · to run `ls`"],
        ...["-group", expect.stringMatching(/^\d+$/)],
      ]);
    });

    test("terminal-notifier gets the icon, and the terminal that a click is to bring to the front", async () => {
      stubs.add("terminal-notifier", recordArgs);
      await notify("darwin", { terminalProgram: "iTerm.app" }, {}, "/icons/failed.png");
      expect(stubs.argsOf("terminal-notifier")?.slice(-4)).toEqual([
        ...["-activate", "com.googlecode.iterm2", "-contentImage", "/icons/failed.png"],
      ]);
      await notify("darwin", { terminalProgram: "__proto__" });
      expect(stubs.argsOf("terminal-notifier")).not.toContain("-activate");
    });

    /** The terminal-notifier that comes with node-notifier. */
    function addBundled(): string {
      const folder = "vendor/mac.noindex/terminal-notifier.app/Contents/MacOS";
      mkdirSync(join(stubs.folder, folder), { recursive: true });
      stubs.add(`${folder}/terminal-notifier`, recordArgs);
      return `${folder}/terminal-notifier`;
    }

    test("the terminal-notifier in node-notifier, which is for Intel, comes last, and only where it runs", async () => {
      const bundled = addBundled();
      stubs.add("osascript", "exit 1");
      await notify("darwin");
      expect(stubs.argsOf(bundled)).toContain('"beckon: shop needs you"');
      rmSync(join(stubs.folder, `${bundled}.args`));
      await expect(desktopOf("darwin", {}, false).notify(request)).rejects.toMatchObject({ reason: "unavailable" });
      expect(stubs.argsOf(bundled)).toBeUndefined();
    });

    test.each([
      ["terminal-notifier", ["terminal-notifier", "osascript", "bundled"]],
      ["osascript", ["osascript", "terminal-notifier", "bundled"]],
      ["bundled", ["bundled", "terminal-notifier", "osascript"]],
      ["balloon", ["terminal-notifier", "osascript", "bundled"]],
    ] as const)("where %s is chosen, the programs are tried in this order", async (driver, names) => {
      addBundled();
      for (const program of ["terminal-notifier", "osascript"]) stubs.add(program, recordArgs);
      const programs = desktopOf("darwin").unproven(driver);
      expect(programs.map(({ name }) => name)).toEqual(names);
      for (const { steps } of programs) expect(steps.join(" ")).toContain("System Settings > Notifications > ");
      await notify("darwin", { driver });
      const shownBy =
        names[0] === "bundled" ? "vendor/mac.noindex/terminal-notifier.app/Contents/MacOS/terminal-notifier" : names[0];
      expect(stubs.argsOf(shownBy)).toBeDefined();
    });

    test("terminal-notifier 3 is asked whether macOS lets it; what older ones print is no problem", async () => {
      stubs.add(
        "terminal-notifier",
        `${recordArgs}; printf 'alerts  none\\n\\nProblems found:\\n  - Alert style is none.\\n  - Permission was denied.\\n'`,
      );
      expect(await desktopOf("darwin").problem({ signal })).toBe(
        "terminal-notifier says: Alert style is none. Permission was denied.",
      );
      expect(stubs.argsOf("terminal-notifier")).toEqual(["-diagnose"]);
      stubs.add("terminal-notifier", "echo 'Usage: terminal-notifier - a tool'; exit 1");
      expect(await desktopOf("darwin").problem({ signal })).toBeUndefined();
    });

    test.each([
      ["is missing", undefined],
      ["fails", "exit 1"],
      ["crashes", "kill -9 $$"],
    ])("osascript shows it where terminal-notifier %s", async (_, script) => {
      if (script !== undefined) stubs.add("terminal-notifier", script);
      stubs.add("osascript", `${recordArgs}; /bin/cat > "$0.input"`);
      await notify("darwin", { title: 'a" & b', body: "--help" });
      expect(stubs.argsOf("osascript")).toEqual(["-", 'a" & b', "--help"]);
    });

    test.each([
      ["prints no JSON", "echo @CLOSED"],
      ["writes to stderr", "echo '{}'; echo noise >&2"],
    ])("a terminal-notifier that %s counts as success", async (_, script) => {
      stubs.add("terminal-notifier", script);
      stubs.add("osascript", recordArgs);
      await notify("darwin");
      expect(stubs.argsOf("osascript")).toBeUndefined();
    });

    test("a terminal-notifier that hangs is a timeout, and nothing is shown twice", async () => {
      stubs.add("terminal-notifier", "/bin/sleep 60");
      stubs.add("osascript", recordArgs);
      const granted: number[] = [];
      const desktop = createDesktop(impatient(createExec(stubs.env, []), granted), {
        env: stubs.env,
        platform: "darwin",
      });
      await expect(desktop.notify(request)).rejects.toMatchObject({ reason: "timeout" });
      expect(granted).toEqual([3_000]);
      expect(stubs.argsOf("osascript")).toBeUndefined();
    });

    test("with neither it is unsupported", async () => {
      await expect(notify("darwin")).rejects.toMatchObject({ reason: "unsupported" });
    });
  });

  describe.each([
    ["darwin", "terminal-notifier", { show: "-group", close: "-remove", owner: "terminal-notifier" }],
    ["win32", "vendor/snoreToast/snoretoast-x64.exe", { show: "-id", close: "-close", owner: "SnoreToast" }],
  ] as const)("a notification on %s", (platform, program, { show, close, owner }) => {
    const add = (script: string) => (platform === "win32" ? addToaster(script) : stubs.add(program, script));
    const idIn = (args: readonly string[] = []) => Number(args[args.indexOf(show) + 1]?.replaceAll('"', ""));

    test("is closed by the id that it was shown with, and by nothing else", async () => {
      add(recordArgs);
      const port = desktopOf(platform);
      const shown = (await port.notify(request)) ?? expect.fail("no receipt");
      expect(shown).toEqual({ id: idIn(stubs.argsOf(program)), owner });
      await port.close({ shown, signal });
      expect(stubs.argsOf(program)).toEqual([close, `${shown.id}`]);
    });

    test("takes the place of an earlier one, and of no other desktop's", async () => {
      add(recordArgs);
      const port = desktopOf(platform);
      const first = await port.notify(request);
      expect(await port.notify({ ...request, replaces: first ?? expect.fail("no receipt") })).toEqual(first);
      expect(idIn(stubs.argsOf(program))).toBe(first?.id);
      expect(await port.notify({ ...request, replaces: { id: 7, owner: ":1.5" } })).not.toMatchObject({ id: 7 });
      expect(await port.notify(request)).not.toEqual(first);
    });

    test("of another desktop is not closed, nor is one whose program is gone", async () => {
      const port = desktopOf(platform);
      await port.close({ shown: { id: 7, owner }, signal });
      add(recordArgs);
      await port.close({ shown: { id: 7, owner: ":1.5" }, signal });
      expect(stubs.argsOf(program)).toBeUndefined();
    });

    test("that cannot be closed is unavailable on macOS; SnoreToast says the same of one that is gone", async () => {
      add("exit 255");
      const closing = desktopOf(platform).close({ shown: { id: 7, owner }, signal });
      if (platform === "win32") await closing;
      else await expect(closing).rejects.toMatchObject({ reason: "unavailable" });
    });
  });

  describe("the process around node-notifier", () => {
    const start = (input: string) =>
      spawnSync(process.execPath, [world.child], { input, env: { ...stubs.env, DEBUG: "notifier" }, encoding: "utf8" });

    test("prints nothing, whatever DEBUG says", () => {
      const program = addToaster("echo noise; echo noise >&2");
      const job = { driver: "toaster", program, title: "canary", message: "canary", id: 1 };
      expect(start(JSON.stringify(job))).toMatchObject({ status: 0, stdout: "", stderr: "" });
    });

    test("exits with 1 for a request for macOS on another platform", () => {
      const program = stubs.add("terminal-notifier", recordArgs);
      const job = { driver: "center", program, title: "canary", message: "canary", id: 1 };
      expect(start(JSON.stringify(job))).toMatchObject({ status: 1, stdout: "", stderr: "" });
      expect(stubs.argsOf("terminal-notifier")).toBeUndefined();
    });
  });

  test("texts for node-notifier are short single lines that do not begin with a special character", () => {
    const text = fc.string({
      unit: fc.constantFrom("-", "[", "{", "(", "<", '"', "\n", " ", "a", "👩‍👩‍👧", "\\"),
      maxLength: 400,
    });
    fc.assert(
      fc.property(text, text, (title, body) => {
        const contained = containedTexts(title, body);
        expect(lengthIn("graphemes", contained.title)).toBeLessThanOrEqual(80);
        expect(lengthIn("graphemes", contained.message)).toBeLessThanOrEqual(250);
        expect(contained.title).toMatch(/^beckon:/);
        expect(contained.message).toMatch(/^[^-[{(<"\\\s]/);
        expect(contained.title + contained.message).not.toContain("\n");
      }),
      { numRuns: 300 },
    );
  });
});

describe("desktop windows", () => {
  let world: UnprovenDesktop;
  let stubs: StubPrograms;
  beforeEach(async () => {
    world = await unprovenDesktop();
    ({ stubs } = world);
  });
  afterEach(() => stubs.remove());

  const desktopOf: UnprovenDesktop["desktopOf"] = (...args) => world.desktopOf(...args);
  const notify: UnprovenDesktop["notify"] = (...args) => world.notify(...args);
  const addToaster = (script: string) => world.addToaster(script);
  const toasterArgs = () => world.toasterArgs();

  describe("Windows", () => {
    test("SnoreToast gets both texts", async () => {
      addToaster(recordArgs);
      await notify("win32", { title: "shop", body: "-close 1" });
      const id = expect.stringMatching(/^\d+$/);
      const texts = ["-m", "› -close 1", "-t", "beckon: shop"];
      expect(toasterArgs()).toEqual(["-id", id, "-pipeName", expect.any(String), ...texts]);
    });

    test.each([
      ["that was clicked", "exit 0"],
      ["that beckon took back", "exit 1"],
      ["that was dismissed", "exit 2"],
      ["that nobody touched", "exit 3"],
      ["that is still up", "/bin/sleep 3"],
    ])("a toast %s was shown", async (_, script) => {
      addToaster(script);
      await notify("win32");
    });

    test.each([
      ["fails", "exit 255"],
      ["crashes", "kill -9 $$"],
    ])("a SnoreToast that %s is unavailable", async (_, script) => {
      addToaster(script);
      await expect(notify("win32")).rejects.toMatchObject({ reason: "unavailable" });
    });

    /** Notifu, which shows balloons. */
    function addBalloon(script: string): void {
      mkdirSync(join(stubs.folder, "vendor/notifu"), { recursive: true });
      stubs.add("vendor/notifu/notifu64.exe", script);
    }

    test.each([
      ["that was clicked", "exit 3"],
      ["that is still up", "/bin/sleep 3"],
    ])("a balloon shows it where it is chosen, or where SnoreToast fails: one %s was shown", async (_, script) => {
      addToaster("exit 255");
      addBalloon(`${recordArgs}; ${script}`);
      await notify("win32", { title: "shop", body: "/m no" });
      expect(stubs.argsOf("vendor/notifu/notifu64.exe")?.slice(0, 6)).toEqual([
        ...["-m", "› /m no", "-p", "beckon: shop", "-d", "10000"],
      ]);
      addToaster(recordArgs);
      expect(await notify("win32", { driver: "balloon" })).toBeUndefined();
      expect(toasterArgs()).toBeUndefined();
    });

    test("where Windows lets SnoreToast show nothing, which then ends as after a click, no balloon takes its place", async () => {
      addToaster('printf "Notifications are disabled\nReason: DisabledForUser\n" >&2');
      addBalloon(recordArgs);
      const error = { reason: "rejected", message: expect.stringContaining("switched off") };
      await expect(notify("win32")).rejects.toMatchObject({
        ...error,
        hint: expect.stringContaining("Settings > System"),
      });
      expect(stubs.argsOf("vendor/notifu/notifu64.exe")).toBeUndefined();
    });

    test("a balloon that fails is unavailable", async () => {
      addBalloon("exit 255");
      await expect(notify("win32")).rejects.toMatchObject({ reason: "unavailable" });
    });

    test("each program says where Windows switches its notifications off", () => {
      addToaster(recordArgs);
      addBalloon(recordArgs);
      const programs = desktopOf("win32").unproven();
      expect(programs.map(({ name }) => name)).toEqual(["toast", "balloon"]);
      for (const { steps } of programs) expect(steps[0]).toContain("Settings > System > Notifications");
    });

    test("a SnoreToast that cannot be started is unavailable", async () => {
      chmodSync(addToaster(""), 0o644);
      await expect(notify("win32")).rejects.toMatchObject({ reason: "unavailable" });
    });

    test("without it, it is unsupported", async () => {
      await expect(notify("win32")).rejects.toMatchObject({ reason: "unsupported" });
    });
  });

  describe("WSL", () => {
    const wsl = { WSL_DISTRO_NAME: "Debian" };

    test("Windows shows it where Linux has no session", async () => {
      addToaster(recordArgs);
      await notify("linux", undefined, wsl);
      expect(toasterArgs()).toContain("beckon: shop needs you");
    });

    test("Windows is given its own path of the icon, and none where that is not known", async () => {
      addToaster(recordArgs);
      stubs.add("wslpath", `[ "$1" = -w ] && printf '\\\\\\\\wsl.localhost\\\\Debian%s\\n' "$2"`);
      await notify("linux", undefined, wsl, "/icons/failed.png");
      expect(toasterArgs()?.join(" ")).toContain("-p \\\\wsl.localhost\\Debian/icons/failed.png");
      stubs.add("wslpath", "exit 1");
      await notify("linux", undefined, wsl, "/icons/failed.png");
      expect(toasterArgs()).not.toContain("-p");
    });

    test("Windows' programs are unproven where Linux has no session; a desktop of Linux tells by itself", () => {
      addToaster(recordArgs);
      expect(
        desktopOf("linux", wsl)
          .unproven()
          .map(({ name }) => name),
      ).toEqual(["toast"]);
      stubs.add("notify-send", recordArgs);
      expect(desktopOf("linux", { ...wsl, DISPLAY: ":0" }).unproven()).toEqual([]);
    });

    test("Linux shows it where it has one", async () => {
      addToaster(recordArgs);
      stubs.add("notify-send", recordArgs);
      await notify("linux", undefined, { ...wsl, DISPLAY: ":0" });
      expect(stubs.argsOf("notify-send")).toContain("shop needs you");
      expect(toasterArgs()).toBeUndefined();
    });
  });
});

describe("desktop notify send", () => {
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
});

describe("desktop session bus", () => {
  let folder: string;
  let recording: RecordingDesktop;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "beckon-bus-"));
    recording = await startRecordingDesktop(folder);
  });
  afterEach(() => {
    recording.close();
    rmSync(folder, { recursive: true });
  });

  /** The port as beckon has it on this desktop, and how to show a notification with it. */
  function desktopPort(env: NodeJS.ProcessEnv = { DBUS_SESSION_BUS_ADDRESS: recording.address }) {
    const port = createSessionBusDesktop(env);
    const { signal } = new AbortController();
    const texts = { title: "shop", body: "a < b", urgency: "normal", mask: (text: string) => text, signal } as const;
    return {
      notify: async (more: Look = {}) =>
        (await port.notify({ ...texts, ...more })) ?? expect.fail("not told what was shown"),
      close: (shown: ShownNotification) => port.close({ shown, signal }),
    };
  }
  type Look = { readonly icon?: string; readonly category?: string; readonly replaces?: ShownNotification };

  async function callFor(look: Look) {
    await desktopPort().notify(look);
    return recording.calls.at(-1);
  }
  const replacedIds = () => recording.calls.map(([, replaced]) => replaced);

  test("a notification has its icon as a URL, and its urgency and category as hints", async () => {
    expect(await callFor({ icon: "/icons/a b.png", category: "x-beckon.failed" })).toEqual([
      "beckon",
      0,
      "file:///icons/a%20b.png",
      "shop",
      "a &lt; b",
      [],
      [
        ["urgency", { signature: "y", value: 1 }],
        ["category", { signature: "s", value: "x-beckon.failed" }],
      ],
      -1,
    ]);
  });

  test("without either it has the urgency alone", async () => {
    const [, , icon, , , , hints] = (await callFor({})) ?? [];
    expect([icon, hints]).toEqual(["", [["urgency", { signature: "y", value: 1 }]]]);
  });

  test("a notification is known by its id, and by the service and bus that showed it", async () => {
    expect(await desktopPort().notify()).toEqual({ id: 1, owner: "0123abcd:1.7" });
  });

  test("a notification takes the place of one that the same service showed", async () => {
    const { notify } = desktopPort();
    const shown = await notify();
    await notify({ replaces: shown });
    expect(replacedIds()).toEqual([0, 1]);
  });

  test.each<[string, Partial<RecordingDesktop>]>([
    ["a service that was started anew", { name: ":1.9" }],
    ["a session that was started anew, with the same names", { busId: "4567ef" }],
    ["a service that has ended", { name: undefined }],
  ])("an id of %s is neither replaced nor closed: it may be a stranger's by now", async (_, life) => {
    const { notify, close } = desktopPort();
    const shown = await notify();
    Object.assign(recording, life);
    await close(shown);
    await notify({ replaces: shown });
    expect(recording.closed).toEqual([]);
    expect(replacedIds()).toEqual([0, 0]);
  });

  test("a service that does not run is started to show a notification, which is then its owner", async () => {
    recording.name = undefined;
    expect(await desktopPort().notify()).toEqual({ id: 1, owner: "0123abcd:1.8" });
  });

  test("what was shown is closed by its id", async () => {
    const { notify, close } = desktopPort();
    await close(await notify());
    expect(recording.closed).toEqual([1]);
  });

  test("closing what is closed already is no failure, also where the service calls the id invalid", async () => {
    recording.close();
    recording = await startRecordingDesktop(folder, true);
    const { notify, close } = desktopPort();
    await expect(close(await notify())).resolves.toBeUndefined();
    expect(recording.closed).toEqual([1]);
  });

  test.each([
    ["no session", {}],
    ["a session whose bus is gone", { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere/bus" }],
  ])("in %s nothing is left to close", async (_, env) => {
    const { close } = desktopPort({ XDG_RUNTIME_DIR: "/nowhere", ...env });
    await expect(close({ id: 1, owner: "0123abcd:1.7" })).resolves.toBeUndefined();
  });
});

describe("desktop buttons", () => {
  let folder: string;
  let server: Server;
  let sockets: Socket[];
  let actions: BusValue[];
  let capabilities: string[];
  let withReply: Buffer;
  let reactions: string[];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "beckon-buttons-"));
    [sockets, actions, reactions, capabilities, withReply] = [[], [], [], ["body", "actions"], Buffer.alloc(0)];
    server = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      answerCalls(answer)(socket);
    });
    await new Promise<void>((resolve) => server.listen(join(folder, "bus"), resolve));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });

  function answer(call: BusMessage): Buffer {
    if (call.member === "GetCapabilities") return replyTo(call, "as", capabilities);
    if (call.member !== "Notify") return replyTo(call, "s", ":1.7");
    actions.push(call.body[5] ?? "");
    return Buffer.concat([replyTo(call, "u", 1), withReply]);
  }

  function signalOf(member: string, body: readonly BusValue[], changes: Partial<BusMessage> = {}): Buffer {
    const name = "org.freedesktop.Notifications";
    const common = { type: messageTypes.signal, serial: 5, path: "/org/freedesktop/Notifications", sender: ":1.7" };
    const signature = typeof body[1] === "number" ? "uu" : "us";
    return encodeMessage({ ...common, interface: name, member, signature, body, ...changes });
  }

  const address = () => `unix:path=${join(folder, "bus").replaceAll("-", "%2d")}`;
  const send = (signal: Buffer) => sockets.at(-1)?.write(signal);
  const labels = { focus: "Go there", seen: "Seen" };
  function show(isHeard = true) {
    const port = createSessionBusDesktop({ DBUS_SESSION_BUS_ADDRESS: address() });
    const buttons = { labels, onReaction: (reaction: string) => void reactions.push(reaction) };
    const texts = { title: "shop", body: "?", urgency: "normal", mask: (text: string) => text } as const;
    const { signal } = new AbortController();
    return () => port.notify({ ...texts, signal, ...(isHeard && { buttons }) });
  }
  const heard = (...expected: readonly string[]) => expect.poll(() => reactions).toEqual(expected);

  test("a click goes there, the button says it is seen, and a bubble that is put away is closed; then nobody listens", async () => {
    await show()();
    expect(actions).toEqual([["default", "Go there", "seen", "Seen"]]);
    send(signalOf("ActionInvoked", [1, "seen"]));
    send(signalOf("ActionInvoked", [1, "default"]));
    send(signalOf("NotificationClosed", [1, 2]));
    await heard("seen", "focus", "closed");
    await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
  });

  test("what comes together with the id is heard", async () => {
    withReply = signalOf("ActionInvoked", [1, "default"]);
    await show()();
    await heard("focus");
  });

  test("another notification, another sender, another action, and a program that closes it say nothing", async () => {
    await show()();
    send(signalOf("ActionInvoked", [2, "seen"]));
    send(signalOf("ActionInvoked", [1, "seen"], { sender: ":1.8" }));
    send(signalOf("ActionInvoked", [1, "seen"], { interface: "org.example" }));
    send(signalOf("ActionInvoked", [1, "reboot"]));
    send(signalOf("NotificationClosed", [1, 3]));
    await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
    expect(reactions).toEqual([]);
  });

  test("of a notification that is replaced nothing more is heard", async () => {
    const notify = show();
    await notify();
    await notify();
    await expect.poll(() => sockets.at(0)?.closed).toBe(true);
    send(signalOf("ActionInvoked", [1, "seen"]));
    await heard("seen");
  });

  test.each<[string, boolean, string[]]>([
    ["nobody would hear it", false, ["actions"]],
    ["the service has none", true, ["body"]],
  ])("there are no buttons where %s, and nobody listens", async (_, isHeard, known) => {
    capabilities = known;
    await show(isHeard)();
    expect(actions).toEqual([[]]);
    await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
  });

  test("a process that has shown one ends while the notification stands", async () => {
    const module = join(import.meta.dirname, "../../src/io/desktop-session-bus.ts");
    const script = `
    import { createSessionBusDesktop } from ${JSON.stringify(module)};
    const buttons = { labels: { focus: "Go there", seen: "Seen" }, onReaction() {} };
    const signal = new AbortController().signal;
    await createSessionBusDesktop(process.env).notify({ title: "a", body: "b", urgency: "low", mask: String, signal, buttons });
    process.stdout.write("shown");`;
    const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: address() };
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], { env });
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const [exitCode] = await once(child, "close");
    expect([exitCode, printed, actions.length]).toEqual([0, "shown", 1]);
  });
});
