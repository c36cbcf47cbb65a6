import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lengthIn } from "../../src/core/cut.ts";
import type { DesktopPort } from "../../src/core/machine-ports.ts";
import { createDesktop } from "../../src/io/desktop.ts";
import { containedTexts } from "../../src/io/desktop-node-notifier.ts";
import { createExec } from "../../src/io/exec.ts";
import { recordArgs, type StubPrograms, stubPrograms } from "../helpers/stub-programs.ts";

let stubs: StubPrograms;
let child: string;
/** The child as it is built, but on a machine that says it is a Mac. */
let macChild: string;

beforeEach(async () => {
  stubs = stubPrograms();
  child = join(stubs.folder, "node-notifier-child.cjs");
  const entry = join(import.meta.dirname, "../../src/io/node-notifier-child.ts");
  const form = { bundle: true, platform: "node", target: "node20", format: "cjs" } as const;
  await build({ ...form, entryPoints: [entry], outfile: child });
  macChild = join(stubs.folder, "mac-child.cjs");
  const pretend = `Object.assign(require("node:os"), { type: () => "Darwin", release: () => "24.1.0" });`;
  writeFileSync(macChild, `${pretend}\nrequire(${JSON.stringify(child)});\n`);
});
afterEach(() => stubs.remove());

function desktopOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}): DesktopPort {
  const full = { ...stubs.env, XDG_RUNTIME_DIR: stubs.folder, ...env };
  const options = {
    env: full,
    platform,
    child: platform === "darwin" ? macChild : child,
    vendor: join(stubs.folder, "vendor"),
  };
  return createDesktop(createExec(full, []), options);
}

const { signal } = new AbortController();
const request = {
  title: "shop needs you",
  body: "done",
  urgency: "normal",
  mask: (text: string) => text,
  signal,
} as const;

function notify(platform: NodeJS.Platform, texts = {}, env: NodeJS.ProcessEnv = {}, icon?: string) {
  return desktopOf(platform, env).notify({ ...request, ...texts, ...(icon && { icon }) });
}

function addToaster(script: string): string {
  const folder = join(stubs.folder, "vendor", "snoreToast");
  mkdirSync(folder, { recursive: true });
  return stubs.add("vendor/snoreToast/snoretoast-x64.exe", script);
}
const toasterArgs = () => stubs.argsOf("vendor/snoreToast/snoretoast-x64.exe");

describe("macOS", () => {
  test("terminal-notifier gets both texts and no sound, and does not keep running", async () => {
    stubs.add("terminal-notifier", recordArgs);
    await notify("darwin", { title: "shop needs you", body: "Droid wants\nto run `ls`" });
    expect(stubs.argsOf("terminal-notifier")).toEqual([
      ...["-title", '"beckon: shop needs you"', "-message", '"Droid wants · to run \\`ls\\`"'],
      ...["-group", expect.stringMatching(/^"\d+"$/)],
      ...["-json", '"true"'],
    ]);
  });

  test("terminal-notifier gets the icon", async () => {
    stubs.add("terminal-notifier", recordArgs);
    await notify("darwin", undefined, {}, "/icons/failed.png");
    expect(stubs.argsOf("terminal-notifier")?.join(" ")).toContain('-contentImage "/icons/failed.png"');
  });

  test("the terminal-notifier in node-notifier is used where none is installed", async () => {
    const folder = "vendor/mac.noindex/terminal-notifier.app/Contents/MacOS";
    mkdirSync(join(stubs.folder, folder), { recursive: true });
    stubs.add(`${folder}/terminal-notifier`, recordArgs);
    await notify("darwin");
    expect(stubs.argsOf(`${folder}/terminal-notifier`)).toContain('"beckon: shop needs you"');
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
    await expect(notify("darwin")).rejects.toMatchObject({ reason: "timeout" });
    expect(stubs.argsOf("osascript")).toBeUndefined();
  });

  test("with neither it is unsupported", async () => {
    await expect(notify("darwin")).rejects.toMatchObject({ reason: "unsupported" });
  });
});

describe("Windows", () => {
  test("SnoreToast gets both texts", async () => {
    addToaster(recordArgs);
    await notify("win32", { title: "shop", body: "-close 1" });
    const id = expect.stringMatching(/^\d+$/);
    const texts = ["-m", "› -close 1", "-t", "beckon: shop"];
    expect(toasterArgs()).toEqual(["-id", id, "-pipeName", expect.any(String), ...texts]);
  });

  test.each([
    ["that was dismissed", "exit 2"],
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

  test("Linux shows it where it has one", async () => {
    addToaster(recordArgs);
    stubs.add("notify-send", recordArgs);
    await notify("linux", undefined, { ...wsl, DISPLAY: ":0" });
    expect(stubs.argsOf("notify-send")).toContain("shop needs you");
    expect(toasterArgs()).toBeUndefined();
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
    spawnSync(process.execPath, [child], { input, env: { ...stubs.env, DEBUG: "notifier" }, encoding: "utf8" });

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
