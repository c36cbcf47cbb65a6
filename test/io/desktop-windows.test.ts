import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordArgs, type StubPrograms } from "../world/stub-programs.ts";
import { type UnprovenDesktop, unprovenDesktop } from "./unproven-desktop.ts";

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
