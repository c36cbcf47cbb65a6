import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lengthIn } from "../../src/core/cut.ts";
import { createDesktop } from "../../src/io/desktop.ts";
import { containedTexts } from "../../src/io/desktop-node-notifier.ts";
import { createExec } from "../../src/io/exec.ts";
import { impatient, recordArgs, type StubPrograms } from "../world/stub-programs.ts";
import { request, type UnprovenDesktop, unprovenDesktop } from "./unproven-desktop.ts";

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
