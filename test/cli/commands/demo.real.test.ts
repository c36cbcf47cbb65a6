import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { builtCli } from "../../world/cli-home.ts";
import { type DesktopSession, startDesktopSession } from "../../world/desktop-session.ts";
import { createHome, type Home, run } from "../../world/home.ts";

describe("demo", () => {
  let desktop: DesktopSession;
  let home: Home;
  beforeAll(async () => {
    desktop = await startDesktopSession();
    home = createHome();
    const notifiers = { desk: { type: "desktop" } };
    home.writeConfig({ notifiers, routes: [{ to: ["desk"] }], delivery: { linger: "0s" } });
  });
  afterAll(async () => {
    await home?.remove();
    await desktop?.stop();
  });

  test("four bubbles, one of each kind, show on the desktop and disappear on their own", async () => {
    const { PATH, DISPLAY, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = desktop.env;
    const env = { PATH, DISPLAY, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR, HOME: home.paths.root };
    const demo = await run(process.execPath, [builtCli, "demo"], "", { env: { ...env, BECKON_HOME: home.paths.root } });
    expect(demo.exitCode, demo.stdout + demo.stderr).toBe(0);
    expect(await desktop.displayed()).toBe(4);
    await vi.waitUntil(async () => (await desktop.displayed()) === 0, { timeout: 30_000 });
    const shown = await desktop.history();
    expect(shown.map(({ urgency }) => urgency).sort()).toEqual(["critical", "low", "normal", "normal"]);
    expect(shown.map(({ body }) => body).sort()).toEqual([
      "Sample: All 212 tests pass.",
      "Sample: Found 14 pages that still name the old command.",
      "Sample: npm publish --access public",
      "Sample: the model's API answered 529: overloaded",
    ]);
    expect(new Set(shown.map(({ icon }) => icon)).size).toBe(4);
    await home.until((journal) => journal.filter(({ status }) => status === "withdrawn").length === 4);
    expect(home.journal().map(({ status }) => status)).not.toContain("resolved");
  });
});
