import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { DeliveryError } from "../../src/core/errors.ts";
import type { DesktopPort, ExecPort, ShownNotification } from "../../src/core/ports.ts";
import { type BusMessage, type BusValue, encodeMessage, messageTypes } from "../../src/io/bus-message.ts";
import { createDesktop } from "../../src/io/desktop.ts";
import { containedTexts } from "../../src/io/desktop-node-notifier.ts";
import { escapeBody, notifySendArgs } from "../../src/io/desktop-notify-send.ts";
import { createSessionBusDesktop } from "../../src/io/desktop-session-bus.ts";
import { createExec } from "../../src/io/exec.ts";
import { lengthIn } from "../../src/text/cut.ts";
import { catchDeliveryError } from "../world/catch-delivery-error.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { listenAt } from "../world/listen-at.ts";
import { answerCalls, type RecordingDesktop, replyTo, startRecordingDesktop } from "../world/session-bus.ts";
import { impatient, recordArgs, useStubPrograms } from "../world/stub-programs.ts";

/** Resolves to `shown`, or to the reason why a notification was not shown. */
const readOutcome = (showing: Promise<unknown>) =>
  showing.then(
    () => "shown",
    (error) => (error instanceof DeliveryError ? error.reason : error),
  );

describe("a desktop of macOS or Windows", () => {
  // Programs of macOS, Windows and WSL are stubs.
  const stubs = useStubPrograms();
  /** The built process around node-notifier. */
  let child: string;
  /** The same on a machine that claims to be a Mac. */
  let macChild: string;
  beforeEach(async () => {
    child = join(stubs.folder, "node-notifier-child.cjs");
    const entry = join(import.meta.dirname, "../../src/io/node-notifier-child.ts");
    const form = { bundle: true, platform: "node", target: "node20", format: "cjs" } as const;
    await build({ ...form, entryPoints: [entry], outfile: child });
    macChild = join(stubs.folder, "mac-child.cjs");
    const pretend = `Object.assign(require("node:os"), { type: () => "Darwin", release: () => "24.1.0" });`;
    writeFileSync(macChild, `${pretend}\nrequire(${JSON.stringify(child)});\n`);
  });

  const { signal } = new AbortController();
  const texts = { title: "shop needs you", body: "done", urgency: "normal" } as const;
  const request = { ...texts, mask: (text: string) => text, signal };
  function createDesktopPort(platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}, runsIntel = true): DesktopPort {
    const full = { ...stubs.env, XDG_RUNTIME_DIR: stubs.folder, ...env };
    const built = platform === "darwin" ? macChild : child;
    const options = { runsIntel, env: full, platform, child: built, vendor: join(stubs.folder, "vendor") };
    return createDesktop(createExec(full, []), options);
  }
  const notify = (platform: NodeJS.Platform, texts: object = {}, env?: NodeJS.ProcessEnv, icon?: string) =>
    createDesktopPort(platform, env).notify({ ...request, ...texts, ...(icon && { icon }) });
  const toaster = "vendor/snoreToast/snoretoast-x64.exe";
  const toasterArgs = () => stubs.readArgs(toaster);
  /** Adds SnoreToast. Returns its path. */
  function addToaster(script: string): string {
    mkdirSync(join(stubs.folder, "vendor", "snoreToast"), { recursive: true });
    return stubs.add(toaster, script);
  }

  describe("macOS", () => {
    test("terminal-notifier gets both texts and no sound, and does not keep running", async () => {
      stubs.add("terminal-notifier", recordArgs);
      await notify("darwin", { title: "shop needs you", body: "Droid wants\nto run `ls`" });
      const texts = ["-title", "beckon: shop needs you", "-message", "Droid wants ⏎ to run `ls`"];
      expect(stubs.readArgs("terminal-notifier")).toEqual([...texts, "-group", expect.stringMatching(/^\d+$/)]);
    });

    test("terminal-notifier gets the icon, and the terminal that a click raises", async () => {
      stubs.add("terminal-notifier", recordArgs);
      await notify("darwin", { terminalProgram: "iTerm.app" }, {}, "/icons/failed.png");
      const look = ["-activate", "com.googlecode.iterm2", "-contentImage", "/icons/failed.png"];
      expect(stubs.readArgs("terminal-notifier")?.slice(-4)).toEqual(look);
      await notify("darwin", { terminalProgram: "__proto__" });
      expect(stubs.readArgs("terminal-notifier")).not.toContain("-activate");
    });

    /** Adds the terminal-notifier that node-notifier includes. */
    function addBundled(): string {
      const folder = "vendor/mac.noindex/terminal-notifier.app/Contents/MacOS";
      mkdirSync(join(stubs.folder, folder), { recursive: true });
      stubs.add(`${folder}/terminal-notifier`, recordArgs);
      return `${folder}/terminal-notifier`;
    }

    test("the Intel terminal-notifier in node-notifier comes last, and only if it runs", async () => {
      const bundled = addBundled();
      stubs.add("osascript", "exit 1");
      await notify("darwin");
      expect(stubs.readArgs(bundled)).toContain('"beckon: shop needs you"');
      rmSync(join(stubs.folder, `${bundled}.args`));
      expect(await readOutcome(createDesktopPort("darwin", {}, false).notify(request))).toBe("unavailable");
      expect(stubs.readArgs(bundled)).toBeUndefined();
    });

    test.each([
      ["terminal-notifier", ["terminal-notifier", "osascript", "bundled"]],
      ["osascript", ["osascript", "terminal-notifier", "bundled"]],
      ["bundled", ["bundled", "terminal-notifier", "osascript"]],
      ["balloon", ["terminal-notifier", "osascript", "bundled"]],
    ] as const)("the programs are tried in this order if %s is chosen", async (driver, names) => {
      const bundled = addBundled();
      for (const program of ["terminal-notifier", "osascript"]) stubs.add(program, recordArgs);
      const programs = createDesktopPort("darwin").unproven(driver);
      expect(programs.map(({ name }) => name)).toEqual(names);
      for (const { steps } of programs) expect(steps.join(" ")).toContain("System Settings > Notifications > ");
      await notify("darwin", { driver });
      expect(stubs.readArgs(names[0] === "bundled" ? bundled : names[0])).toBeDefined();
    });

    test("terminal-notifier 3 is asked for its permission, and older output is not a problem", async () => {
      const said = "alerts  none\\n\\nProblems found:\\n  - Alert style is none.\\n  - Permission was denied.\\n";
      stubs.add("terminal-notifier", `${recordArgs}; printf '${said}'`);
      const problem = "terminal-notifier says: Alert style is none. Permission was denied.";
      expect(await createDesktopPort("darwin").problem({ signal })).toBe(problem);
      expect(stubs.readArgs("terminal-notifier")).toEqual(["-diagnose"]);
      stubs.add("terminal-notifier", "echo 'Usage: terminal-notifier - a tool'; exit 1");
      expect(await createDesktopPort("darwin").problem({ signal })).toBeUndefined();
    });

    test("osascript shows it if terminal-notifier is missing, fails or crashes", async () => {
      stubs.add("osascript", `${recordArgs}; /bin/cat > "$0.input"`);
      const needed = ["-", 'a" & b', "--help"];
      const rows: [what: string, script: string | undefined, args?: string[]][] = [
        ["missing", undefined, needed],
        ["fails", "exit 1", needed],
        ["crashes", "kill -9 $$", needed],
        ["prints invalid JSON", "echo @CLOSED"],
        ["writes to stderr", "echo '{}'; echo noise >&2"],
      ];
      const check = async ([, script, args]: (typeof rows)[number]) => {
        if (script !== undefined) stubs.add("terminal-notifier", script);
        rmSync(join(stubs.folder, "osascript.args"), { force: true });
        await notify("darwin", { title: 'a" & b', body: "--help" });
        expect(stubs.readArgs("osascript")).toEqual(args);
      };
      expect(await collectFailures(rows, check)).toEqual([]);
    });

    test("a hanging terminal-notifier is a timeout, and nothing is shown twice", async () => {
      stubs.add("terminal-notifier", "/bin/sleep 60");
      stubs.add("osascript", recordArgs);
      const granted: number[] = [];
      const { env } = stubs;
      const desktop = createDesktop(impatient(createExec(env, []), granted), { env, platform: "darwin" });
      expect(await readOutcome(desktop.notify(request))).toBe("timeout");
      expect(granted).toEqual([3_000]);
      expect(stubs.readArgs("osascript")).toBeUndefined();
    });
  });

  test("without any of the programs a notification is unsupported", async () => {
    for (const platform of ["darwin", "win32"] as const)
      expect(await readOutcome(notify(platform)), platform).toBe("unsupported");
  });

  describe.each([
    ["darwin", "terminal-notifier", { show: "-group", close: "-remove", owner: "terminal-notifier" }],
    ["win32", toaster, { show: "-id", close: "-close", owner: "SnoreToast" }],
  ] as const)("a notification on %s", (platform, program, { show, close, owner }) => {
    const add = (script: string) => (platform === "win32" ? addToaster(script) : stubs.add(program, script));
    const idIn = (args: readonly string[] = []) => Number(args[args.indexOf(show) + 1]?.replaceAll('"', ""));

    test("is closed only by the id that it was shown with", async () => {
      add(recordArgs);
      const port = createDesktopPort(platform);
      const shown = (await port.notify(request)) ?? expect.fail("no receipt");
      expect(shown).toEqual({ id: idIn(stubs.readArgs(program)), owner });
      await port.close({ shown, signal });
      expect(stubs.readArgs(program)).toEqual([close, `${shown.id}`]);
    });

    test("replaces an earlier one, and no other desktop's", async () => {
      add(recordArgs);
      const port = createDesktopPort(platform);
      const first = await port.notify(request);
      expect(await port.notify({ ...request, replaces: first ?? expect.fail("no receipt") })).toEqual(first);
      expect(idIn(stubs.readArgs(program))).toBe(first?.id);
      expect(await port.notify({ ...request, replaces: { id: 7, owner: ":1.5" } })).not.toMatchObject({ id: 7 });
      expect(await port.notify(request)).not.toEqual(first);
    });

    test("cannot be closed if its program is gone, or if another desktop showed it", async () => {
      const port = createDesktopPort(platform);
      expect(await readOutcome(port.close({ shown: { id: 7, owner }, signal }))).toBe("unavailable");
      add(recordArgs);
      expect(await readOutcome(port.close({ shown: { id: 7, owner: ":1.5" }, signal }))).toBe("unavailable");
      expect(stubs.readArgs(program)).toBeUndefined();
    });

    test("that cannot be closed is unavailable on macOS, and closed already for SnoreToast", async () => {
      add("exit 255");
      const outcome = await readOutcome(createDesktopPort(platform).close({ shown: { id: 7, owner }, signal }));
      expect(outcome).toBe(platform === "win32" ? "shown" : "unavailable");
    });
  });

  describe("the process around node-notifier", () => {
    function start(job: object) {
      const input = JSON.stringify({ ...job, title: "canary", message: "canary", id: 1 });
      const env = { ...stubs.env, DEBUG: "notifier" };
      return spawnSync(process.execPath, [child], { input, env, encoding: "utf8" });
    }

    test("prints nothing, whatever DEBUG says", () => {
      const program = addToaster("echo noise; echo noise >&2");
      expect(start({ driver: "toaster", program })).toMatchObject({ status: 0, stdout: "", stderr: "" });
    });

    test("exits with 1 for a request for macOS on another platform", () => {
      const program = stubs.add("terminal-notifier", recordArgs);
      expect(start({ driver: "center", program })).toMatchObject({ status: 1, stdout: "", stderr: "" });
      expect(stubs.readArgs("terminal-notifier")).toBeUndefined();
    });
  });

  test("texts for node-notifier are short single lines that do not begin with a special character", () => {
    const unit = fc.constantFrom("-", "[", "{", "(", "<", '"', "\n", " ", "a", "👩‍👩‍👧", "\\");
    const text = fc.string({ unit, maxLength: 400 });
    const property = fc.property(text, text, (title, body) => {
      const contained = containedTexts(title, body);
      expect(lengthIn("graphemes", contained.title)).toBeLessThanOrEqual(80);
      expect(lengthIn("graphemes", contained.message)).toBeLessThanOrEqual(250);
      expect(contained.title).toMatch(/^beckon:/);
      expect(contained.message).toMatch(/^[^-[{(<"\\\s]/);
      expect(contained.title + contained.message).not.toContain("\n");
    });
    fc.assert(property, { numRuns: 300 });
  });

  describe("Windows", () => {
    test("SnoreToast gets both texts", async () => {
      addToaster(recordArgs);
      await notify("win32", { title: "shop", body: "-close 1" });
      const id = expect.stringMatching(/^\d+$/);
      const texts = ["-m", "› -close 1", "-t", "beckon: shop"];
      expect(toasterArgs()).toEqual(["-id", id, "-pipeName", expect.any(String), ...texts]);
    });

    test("a toast was shown, unless SnoreToast fails, crashes or does not start", async () => {
      const rows: [what: string, script: string, outcome: string, mode?: number][] = [
        ["clicked", "exit 0", "shown"],
        ["taken back", "exit 1", "shown"],
        ["dismissed", "exit 2", "shown"],
        ["not touched", "exit 3", "shown"],
        ["still up", "/bin/sleep 3", "shown"],
        ["failed", "exit 255", "unavailable"],
        ["crashed", "kill -9 $$", "unavailable"],
        ["not startable", "", "unavailable", 0o644],
      ];
      const check = async ([, script, outcome, mode = 0o755]: (typeof rows)[number]) => {
        chmodSync(addToaster(script), mode);
        expect(await readOutcome(notify("win32"))).toBe(outcome);
      };
      expect(await collectFailures(rows, check)).toEqual([]);
    });

    /** Adds Notifu, which shows balloons. */
    function addBalloon(script: string): void {
      mkdirSync(join(stubs.folder, "vendor/notifu"), { recursive: true });
      stubs.add("vendor/notifu/notifu64.exe", script);
    }

    test.each([
      ["that was clicked", "exit 3"],
      ["that is still visible", "/bin/sleep 3"],
    ])("a balloon shows it if chosen, or if SnoreToast fails: one %s was shown", async (_, script) => {
      addToaster("exit 255");
      addBalloon(`${recordArgs}; ${script}`);
      await notify("win32", { title: "shop", body: "/m no" });
      const texts = ["-m", "› /m no", "-p", "beckon: shop", "-d", "10000"];
      expect(stubs.readArgs("vendor/notifu/notifu64.exe")?.slice(0, 6)).toEqual(texts);
      addToaster(recordArgs);
      expect(await notify("win32", { driver: "balloon" })).toBeUndefined();
      expect(toasterArgs()).toBeUndefined();
    });

    test("no balloon replaces a toast that Windows blocks, which ends as after a click", async () => {
      addToaster('printf "Notifications are disabled\nReason: DisabledForUser\n" >&2');
      addBalloon(recordArgs);
      const [message, hint] = ["turned off", "Settings > System"].map((text) => expect.stringContaining(text));
      await expect(notify("win32")).rejects.toMatchObject({ reason: "rejected", message, hint });
      expect(stubs.readArgs("vendor/notifu/notifu64.exe")).toBeUndefined();
    });

    test("a failing balloon is unavailable", async () => {
      addBalloon("exit 255");
      expect(await readOutcome(notify("win32"))).toBe("unavailable");
    });

    test("each program names the Windows settings that disable its notifications", () => {
      addToaster(recordArgs);
      addBalloon(recordArgs);
      const programs = createDesktopPort("win32").unproven();
      expect(programs.map(({ name }) => name)).toEqual(["toast", "balloon"]);
      for (const { steps } of programs) expect(steps[0]).toContain("Settings > System > Notifications");
    });
  });

  describe("WSL", () => {
    const wsl = { WSL_DISTRO_NAME: "Debian" };

    test("Windows shows it if Linux has no session", async () => {
      addToaster(recordArgs);
      await notify("linux", undefined, wsl);
      expect(toasterArgs()).toContain("beckon: shop needs you");
    });

    test("Windows gets its own path of the icon, or none if that is unknown", async () => {
      addToaster(recordArgs);
      stubs.add("wslpath", `[ "$1" = -w ] && printf '\\\\\\\\wsl.localhost\\\\Debian%s\\n' "$2"`);
      await notify("linux", undefined, wsl, "/icons/failed.png");
      expect(toasterArgs()?.join(" ")).toContain("-p \\\\wsl.localhost\\Debian/icons/failed.png");
      stubs.add("wslpath", "exit 1");
      await notify("linux", undefined, wsl, "/icons/failed.png");
      expect(toasterArgs()).not.toContain("-p");
    });

    test("visibility is unproven for Windows programs without a Linux session, and known on Linux", () => {
      addToaster(recordArgs);
      expect(createDesktopPort("linux", wsl).unproven()).toMatchObject([{ name: "toast" }]);
      stubs.add("notify-send", recordArgs);
      expect(createDesktopPort("linux", { ...wsl, DISPLAY: ":0" }).unproven()).toEqual([]);
    });

    test("Linux shows it if it has a session", async () => {
      addToaster(recordArgs);
      stubs.add("notify-send", recordArgs);
      await notify("linux", undefined, { ...wsl, DISPLAY: ":0" });
      expect(stubs.readArgs("notify-send")).toContain("shop needs you");
      expect(toasterArgs()).toBeUndefined();
    });
  });
});

describe("notify-send", () => {
  const stubs = useStubPrograms();

  function notify(env: NodeJS.ProcessEnv, body = "touch a & b", through = (exec: ExecPort): ExecPort => exec) {
    const full = { ...stubs.env, XDG_RUNTIME_DIR: stubs.folder, ...env };
    const desktop = createDesktop(through(createExec(full, [])), { env: full, platform: "linux" });
    const signal = new AbortController().signal;
    return desktop.notify({ title: "shop needs you", body, ...look, mask, signal });
  }
  const look = { urgency: "critical", icon: "/icons/a b.png", category: "x-beckon.needs-you" } as const;
  const mask = (text: string) => text.replace("hunter22", "[secret]");
  const bus = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" };
  const display = { DISPLAY: ":987" };

  describe("the arguments of notify-send", () => {
    test("are options, their end, title and escaped body", async () => {
      stubs.add("notify-send", recordArgs);
      await notify(bus);
      const look = ["--urgency=critical", "--icon=/icons/a b.png", "--category=x-beckon.needs-you"];
      const options = ["--app-name=beckon", ...look, "--"];
      expect(stubs.readArgs("notify-send")).toEqual([...options, "shop needs you", "touch a &amp; b"]);
    });

    test("hold no secret, as other users of the machine can read them", async () => {
      stubs.add("notify-send", recordArgs);
      await notify(bus, "log in with hunter22");
      expect(stubs.readArgs("notify-send")?.slice(-1)).toEqual(["log in with [secret]"]);
    });

    const escaping: readonly (readonly [what: string, title: string, body: string, texts: readonly string[]])[] = [
      ["markup is escaped in the body only", "<b>", "<b>&amp;</b>", ["<b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;"]],
      ["quotes stay", `"'`, `"'`, [`"'`, `"'`]],
      ["line feeds stay", "a", "a\nb", ["a", "a\nb"]],
      ["a backslash is doubled in the body only", "C:\\new", "C:\\new", ["C:\\new", "C:\\\\new"]],
      ["a text like an option comes after the end of the options", "--help", "-u low", ["--help", "-u low"]],
      ["an empty title becomes the program's name", " ", "x", ["beckon", "x"]],
      ["an empty body is left out", "x", "", ["x"]],
    ];
    test("escape the body alone, and end the options before both texts", () => {
      const options = ["--app-name=beckon", "--urgency=low", "--"];
      const args = escaping.map(([what, title, body]) => [what, notifySendArgs(title, body, { urgency: "low" })]);
      expect(args).toEqual(escaping.map(([what, , , texts]) => [what, [...options, ...texts]]));
    });

    test("restore the body when its escapes are decoded", () => {
      const read = (escaped: string) =>
        escaped
          .replace(/\\(.)/gs, "$1")
          .replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name as "amp"]);
      const body = fc.string({ unit: fc.constantFrom("&", "<", ">", "\\", "n", "a", "m", "p", ";", "\n", "é") });
      const property = fc.property(body, (text) => {
        expect(read(escapeBody(text))).toBe(text);
        expect(escapeBody(text)).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
      });
      fc.assert(property);
    });
  });

  const launch = "dbus-launch --autolaunch=3d1219c7c4c5404aaa1f6d2a48adfda4 --binary-syntax --close-stderr";
  const unknown = "GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: The name org.freedesktop.Notifications";
  const wayland = { WAYLAND_DISPLAY: "wayland-9" };
  const noService = {
    "no dbus-launch": [display, "Failed to execute child process “dbus-launch” (No such file or directory)"],
    "no display (Debian)": [display, `Error spawning command line “${launch}”: Child process exited with code 1`],
    "no bus to launch without a display": [wayland, "Cannot autolaunch D-Bus without X11 \\$DISPLAY"],
    "no bus at its address": [bus, "Could not connect: No such file or directory"],
    "no notification service": [bus, `${unknown} was not provided by any .service files`],
  } as const;
  const noDesktop: (readonly [what: string, script: string | undefined, env: NodeJS.ProcessEnv, message: RegExp])[] = [
    ["no notify-send", undefined, bus, /notify-send is not installed/],
    ["no session", "exit 0", {}, /no desktop session/],
    ...Object.entries(noService).map(
      ([what, [env, words]]) => [what, `echo "${words}" >&2; exit 1`, env, /no notification service/] as const,
    ),
  ];

  test("without a desktop a notification is unsupported, with a hint", async () => {
    const check = async ([, script, env, message]: (typeof noDesktop)[number]) => {
      if (script !== undefined) stubs.add("notify-send", script);
      const error = await catchDeliveryError(notify(env));
      expect(error).toMatchObject({ reason: "unsupported", message: expect.stringMatching(message) });
      expect(error.hint).toBeTruthy();
    };
    expect(await collectFailures(noDesktop, check)).toEqual([]);
  });

  test.each([{ DISPLAY: ":9" }, { WAYLAND_DISPLAY: "wayland-9" }])("%j counts as a session", async (env) => {
    stubs.add("notify-send", recordArgs);
    await notify(env);
    expect(stubs.readArgs("notify-send")).toBeDefined();
  });

  test("another failure is unavailable, and quotes no text", async () => {
    stubs.add("notify-send", "echo 'shop needs you' >&2; exit 1");
    const error = await catchDeliveryError(notify(bus));
    expect(error).toMatchObject({ reason: "unavailable" });
    expect(error.message).not.toContain("needs you");
  });

  test("a notify-send that hangs for three seconds is a timeout, and quotes no text", async () => {
    stubs.add("notify-send", "/bin/sleep 60");
    const granted: number[] = [];
    const error = await catchDeliveryError(notify(bus, "done", (exec) => impatient(exec, granted)));
    expect(error).toMatchObject({ reason: "timeout" });
    expect(error.message).not.toContain("needs you");
    expect(granted).toEqual([3_000]);
  });
});

describe("desktop session bus", () => {
  let recording: RecordingDesktop;
  async function start(knowsIds = false): Promise<void> {
    recording = await startRecordingDesktop(freshFolder(), knowsIds);
  }
  beforeEach(() => start());

  /** Creates the port as beckon has it on this desktop, and a function that shows a notification with the port. */
  function desktopPort(env: NodeJS.ProcessEnv = { DBUS_SESSION_BUS_ADDRESS: recording.address }) {
    const port = createSessionBusDesktop(env);
    const { signal } = new AbortController();
    const texts = { title: "shop", body: "a < b", urgency: "normal", mask: (text: string) => text, signal } as const;
    return {
      notify: async (more: Look = {}) => (await port.notify({ ...texts, ...more })) ?? expect.fail("no receipt"),
      close: (shown: ShownNotification) => port.close({ shown, signal }),
    };
  }
  type Look = { readonly icon?: string; readonly category?: string; readonly replaces?: ShownNotification };

  const replacedIds = () => recording.calls.map(([, replaced]) => replaced);

  test("a notification has its icon as a URL, and urgency and category as hints", async () => {
    const { notify } = desktopPort();
    await notify({ icon: "/icons/a b.png", category: "x-beckon.failed" });
    await notify();
    const urgency = ["urgency", { signature: "y", value: 1 }];
    const category = ["category", { signature: "s", value: "x-beckon.failed" }];
    expect(recording.calls).toEqual([
      ["beckon", 0, "file:///icons/a%20b.png", "shop", "a &lt; b", [], [urgency, category], -1],
      ["beckon", 0, "", "shop", "a &lt; b", [], [urgency], -1],
    ]);
  });

  test("a shown notification is replaced and closed by its id, service and bus", async () => {
    const { notify, close } = desktopPort();
    const shown = await notify();
    expect(shown).toEqual({ id: 1, owner: "0123abcd:1.7", bus: recording.address });
    await notify({ replaces: shown });
    expect(replacedIds()).toEqual([0, 1]);
    await close(shown);
    expect(recording.closed).toEqual([1]);
  });

  test.each<[string, Partial<RecordingDesktop>]>([
    ["a restarted service", { name: ":1.9" }],
    ["a restarted session, with the same names", { busId: "4567ef" }],
    ["a stopped service", { name: undefined }],
  ])("an id of %s is neither replaced nor closed, as it may be a stranger's now", async (_, life) => {
    const { notify, close } = desktopPort();
    const shown = await notify();
    Object.assign(recording, life);
    await close(shown);
    await notify({ replaces: shown });
    expect(recording.closed).toEqual([]);
    expect(replacedIds()).toEqual([0, 0]);
  });

  test("a stopped service is started to show a notification, and then owns it", async () => {
    recording.name = undefined;
    expect(await desktopPort().notify()).toMatchObject({ id: 1, owner: "0123abcd:1.8" });
  });

  test("closing a closed notification is not a failure, even if the service calls the id invalid", async () => {
    await start(true);
    const { notify, close } = desktopPort();
    await expect(close(await notify())).resolves.toBeUndefined();
    expect(recording.closed).toEqual([1]);
  });

  const noSession = { XDG_RUNTIME_DIR: "/nowhere" };

  test("a process without a session closes a notification of another bus", async () => {
    const shown = await desktopPort().notify();
    await desktopPort(noSession).close(shown);
    expect(recording.closed).toEqual([1]);
  });

  test("nothing is left to close once the bus is gone", async () => {
    const shown = { id: 1, owner: "0123abcd:1.7", bus: "unix:path=/nowhere/bus" };
    await expect(desktopPort().close(shown)).resolves.toBeUndefined();
    expect(recording.closed).toEqual([]);
  });

  test("without a session, a notification of an unknown bus is not closed", async () => {
    const closed = desktopPort(noSession).close({ id: 1, owner: "0123abcd:1.7" });
    await expect(closed).rejects.toMatchObject({ reason: "unavailable" });
  });

  test("an address that is too long for a receipt is left out", async () => {
    const DBUS_SESSION_BUS_ADDRESS = `${recording.address},guid=${"0".repeat(256)}`;
    expect(await desktopPort({ DBUS_SESSION_BUS_ADDRESS }).notify()).not.toHaveProperty("bus");
  });
});

describe("desktop buttons", () => {
  let path: string;
  let sockets: Socket[];
  let actions: BusValue[];
  let capabilities: string[];
  let withReply: Buffer;
  let reactions: string[];
  let service: string;
  beforeEach(async () => {
    path = join(freshFolder(), "bus");
    [sockets, actions, reactions, capabilities, withReply] = [[], [], [], ["body", "actions"], Buffer.alloc(0)];
    service = "Notification Daemon";
    await listenAt(path, (socket) => {
      sockets.push(socket);
      answerCalls(answer)(socket);
    });
  });

  function answer(call: BusMessage): Buffer {
    if (call.member === "GetCapabilities") return replyTo(call, "as", capabilities);
    if (call.member === "GetServerInformation") return replyTo(call, "s", service);
    if (call.member !== "Notify") return replyTo(call, "s", ":1.7");
    actions.push(call.body[5] ?? "");
    return Buffer.concat([replyTo(call, "u", 1), withReply]);
  }

  function encodeSignal(member: string, body: readonly BusValue[], changes: Partial<BusMessage> = {}): Buffer {
    const name = "org.freedesktop.Notifications";
    const common = { type: messageTypes.signal, serial: 5, path: "/org/freedesktop/Notifications", sender: ":1.7" };
    const signature = typeof body[1] === "number" ? "uu" : "us";
    return encodeMessage({ ...common, interface: name, member, signature, body, ...changes });
  }

  const address = () => `unix:path=${path.replaceAll("-", "%2d")}`;
  const send = (signal: Buffer) => sockets.at(-1)?.write(signal);
  const labels = { focus: "Go there", seen: "Seen" };
  const look = { title: "shop", body: "?", urgency: "normal" } as const;
  const texts = { ...look, mask: (text: string) => text, signal: new AbortController().signal };
  function show(isHeard = true) {
    const port = createSessionBusDesktop({ DBUS_SESSION_BUS_ADDRESS: address() });
    const buttons = { labels, onReaction: (reaction: string) => void reactions.push(reaction) };
    return () => port.notify({ ...texts, ...(isHeard && { buttons }) });
  }
  const heard = (...expected: readonly string[]) => expect.poll(() => reactions).toEqual(expected);

  test("a click opens the terminal, the button marks as seen, and dismissing ends the listening", async () => {
    await show()();
    expect(actions).toEqual([["default", "Go there", "seen", "Seen"]]);
    send(encodeSignal("ActionInvoked", [1, "seen"]));
    send(encodeSignal("ActionInvoked", [1, "default"]));
    send(encodeSignal("NotificationClosed", [1, 2]));
    await heard("seen", "focus", "closed");
    await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
  });

  test("an action that arrives together with the id is handled", async () => {
    withReply = encodeSignal("ActionInvoked", [1, "default"]);
    await show()();
    await heard("focus");
  });

  test("foreign notifications, senders and actions, and a program that closes it, are ignored", async () => {
    await show()();
    send(encodeSignal("ActionInvoked", [2, "seen"]));
    send(encodeSignal("ActionInvoked", [1, "seen"], { sender: ":1.8" }));
    send(encodeSignal("ActionInvoked", [1, "seen"], { interface: "org.example" }));
    send(encodeSignal("ActionInvoked", [1, "reboot"]));
    send(encodeSignal("NotificationClosed", [1, 3]));
    await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
    expect(reactions).toEqual([]);
  });

  /** Shows a permission request with buttons. Their tokens become reactions when they are pressed. */
  function showRequest() {
    const port = createSessionBusDesktop({ DBUS_SESSION_BUS_ADDRESS: address() });
    const answers = ["deny", "allow"].map((choice) => ({ token: `token-${choice}`, label: choice }));
    const note = (about: string) => void reactions.push(about);
    const buttons = { labels, answers, body: "Bash: npm test", onAnswer: note, onReaction: note };
    return port.notify({ ...texts, buttons });
  }

  test("a button that answers a request is pressed by the notification's own service alone", async () => {
    await showRequest();
    expect(actions).toEqual([["token-deny", "deny", "token-allow", "allow", "default", "Go there", "seen", "Seen"]]);
    send(encodeSignal("ActionInvoked", [1, "token-allow"], { sender: ":1.8" }));
    send(encodeSignal("ActionInvoked", [2, "token-allow"]));
    send(encodeSignal("ActionInvoked", [1, "token-allow"], { interface: "org.example" }));
    send(encodeSignal("ActionInvokedAgain", [1, "token-allow"]));
    for (const forged of ["allow", "token-"]) send(encodeSignal("ActionInvoked", [1, forged]));
    send(encodeSignal("ActionInvoked", [1, "seen"]));
    send(encodeSignal("ActionInvoked", [1, "token-allow"]));
    await heard("seen", "token-allow");
  });

  test("a service that may not show the whole request gets no buttons for answers, and says why", async () => {
    service = "dunst";
    await showRequest();
    expect(actions).toEqual([["default", "Go there", "seen", "Seen"]]);
    const obstacle = () =>
      createSessionBusDesktop({ DBUS_SESSION_BUS_ADDRESS: address() }).answerObstacle(texts.signal);
    expect(await obstacle()).toBe("dunst is not known to show a whole request with its buttons");
    capabilities = [];
    expect(await obstacle()).toBe("dunst shows no buttons");
    [service, capabilities] = ["Notification Daemon", ["actions"]];
    expect(await obstacle()).toBeUndefined();
  });

  test("a replaced notification is no longer listened to", async () => {
    const notify = show();
    await notify();
    await notify();
    await expect.poll(() => sockets.at(0)?.closed).toBe(true);
    send(encodeSignal("ActionInvoked", [1, "seen"]));
    await heard("seen");
  });

  test.each<[string, boolean, string[]]>([
    ["no listener exists", false, ["actions"]],
    ["the service has none", true, ["body"]],
  ])("there are no buttons if %s, and no listener", async (_, isHeard, known) => {
    capabilities = known;
    await show(isHeard)();
    expect(actions).toEqual([[]]);
    await expect.poll(() => sockets.at(-1)?.closed).toBe(true);
  });

  test("a process that has shown one ends while the notification is visible", async () => {
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
