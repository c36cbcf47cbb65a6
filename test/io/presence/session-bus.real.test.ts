import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Presence } from "../../../src/core/ports.ts";
import { createExec } from "../../../src/io/exec.ts";
import { createPresence } from "../../../src/io/presence/presence.ts";
import { SessionBus } from "../../../src/io/session-bus.ts";
import { background, eventually } from "../../world/background.ts";
import { startDesktopSession, startSessionBus } from "../../world/desktop-session.ts";
import { freshFolder } from "../../world/fresh-folder.ts";
import { stubPrograms } from "../../world/stub-programs.ts";
import { useEach } from "../../world/use.ts";
import { type BusAnswers, type BusService, startBusService } from "./bus-service.ts";

const bus = useEach("stop", startSessionBus);

async function serve(name: string, answers: BusAnswers): Promise<BusService> {
  const service = await startBusService(bus.env["DBUS_SESSION_BUS_ADDRESS"] ?? "", name, answers);
  onTestFinished(service.stop);
  return service;
}

/** Asks the port for the presence on a machine with this environment and without an agent. */
function ask(env: NodeJS.ProcessEnv = bus.env): Promise<Presence> {
  return createPresence(createExec(env, []), { env, systemBus: "/nowhere", limitMs: 5000 }).ask([]);
}

const yes = { signature: "b", value: true };
const no = { signature: "b", value: false };

describe.each([
  ["GNOME", "org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"],
  ["Plasma", "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"],
  ["Cinnamon", "org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver"],
  ["MATE", "org.mate.ScreenSaver", "/org/mate/ScreenSaver"],
  ["Xfce", "org.xfce.ScreenSaver", "/org/xfce/ScreenSaver"],
])("%s' screen saver (a service that answers as documented)", (_, name, path) => {
  test.each([
    ["locked", yes, true],
    ["not locked", no, false],
    ["unknown if it gives another answer", { signature: "s", value: "true" }, undefined],
  ])("says that the screen is %s", async (__, answer, isLocked) => {
    await serve(name, { [`${path} ${name}.GetActive`]: answer });
    expect((await ask()).isLocked).toBe(isLocked);
  });
});

test("the latest sign of the user decides about idling", async () => {
  const mutter = "/org/gnome/Mutter/IdleMonitor/Core org.gnome.Mutter.IdleMonitor.GetIdletime";
  await serve("org.gnome.Mutter.IdleMonitor", { [mutter]: { signature: "t", value: 7n } });
  const plasma = "/ScreenSaver org.freedesktop.ScreenSaver.GetSessionIdleTime";
  await serve("org.kde.screensaver", { [plasma]: { signature: "u", value: 3 } });
  expect((await ask()).idleMs).toBeLessThanOrEqual(3);
});

test("Plasma on Wayland, which answers 0, does not prove presence", async () => {
  const plasma = "/ScreenSaver org.freedesktop.ScreenSaver.GetSessionIdleTime";
  const service = await serve("org.kde.screensaver", { [plasma]: { signature: "u", value: 0 } });
  expect((await ask()).idleMs).not.toBe(0);
  expect(service.calls).toEqual([plasma]);
});

const notifications = "/org/freedesktop/Notifications";
describe.each([
  ["Plasma", "org.freedesktop.Notifications", `${notifications} org.freedesktop.Notifications.Inhibited`],
  ["swaync", "org.erikreider.swaync.cc", "/org/erikreider/swaync/cc org.erikreider.swaync.cc.GetDnd"],
])("%s (a service that answers as documented)", (_, name, key) => {
  test.each([[true], [false]])("reports do-not-disturb: %s", async (value) => {
    await serve(name, { [key]: { signature: "b", value } });
    expect((await ask()).isDoNotDisturb).toBe(value);
  });
});

test("a notification service without do-not-disturb leaves it unknown", async () => {
  const service = await serve("org.freedesktop.Notifications", {});
  expect(await ask()).not.toHaveProperty("isDoNotDisturb");
  expect(service.calls.length).toBeGreaterThan(0);
});

test.each([
  ["on", "false", true],
  ["off", "true", false],
  ["unknown", "maybe", undefined],
])("GNOME's do-not-disturb is %s if its banners are %s (a stub for gsettings)", async (_, banners, expected) => {
  const stubs = stubPrograms();
  stubs.add("gsettings", `[ "$*" = "get org.gnome.desktop.notifications show-banners" ] && echo "${banners}"`);
  const env = { ...bus.env, PATH: stubs.folder };
  expect(await ask(env)).not.toHaveProperty("isDoNotDisturb"); // its shell does not run
  await serve("org.gnome.Shell", {});
  expect((await ask(env)).isDoNotDisturb).toBe(expected);
});

/** Waits until do-not-disturb is on or off. */
const until = (value: boolean, env = bus.env) =>
  eventually(`${value}`, async () => ((await ask(env)).isDoNotDisturb === value ? value : undefined));

test("a paused dunst is do-not-disturb", async () => {
  const session = await startDesktopSession();
  const programs = background();
  const pause = (state: string) => programs.start("dunstctl", ["set-paused", state], { env: session.env });
  await until(false, session.env);
  pause("true");
  await until(true, session.env);
  pause("false");
  await until(false, session.env);
  await session.stop();
});

test("Xfce's do-not-disturb is read from its settings", async () => {
  const programs = background();
  const description = readFileSync("/usr/share/dbus-1/services/org.xfce.Xfconf.service", "utf8");
  programs.start(/^Exec=(\S+)/m.exec(description)?.[1] ?? "", [], { env: bus.env });
  const args = ["-c", "xfce4-notifyd", "-p", "/do-not-disturb", "-n", "-t", "bool", "-s"];
  const set = (value: string) => programs.start("xfconf-query", [...args, value], { env: bus.env });
  await eventually("xfconfd", async () => {
    set("true");
    return (await ask()).isDoNotDisturb;
  });
  await until(true);
  set("false");
  await until(false);
  await programs.stop();
});

test("no service is started for an answer", async () => {
  const folder = freshFolder();
  const marker = join(folder, "started");
  const names = ["org.freedesktop.Notifications", "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver"];
  const more = ["org.gnome.Mutter.IdleMonitor", "org.kde.screensaver", "org.erikreider.swaync.cc", "org.xfce.Xfconf"];
  for (const name of [...names, ...more, "org.gnome.Shell"]) {
    const description = `[D-BUS Service]\nName=${name}\nExec=/bin/sh -c "echo ${name} >> ${marker}; exit 1"\n`;
    writeFileSync(join(folder, `${name}.service`), description);
  }
  const starting = await startSessionBus(folder);
  await ask(starting.env);
  const session = await SessionBus.open(starting.env["DBUS_SESSION_BUS_ADDRESS"] ?? "", AbortSignal.timeout(10_000));
  const last = { destination: "org.gnome.Shell", path: "/", interface: "org.gnome.Shell", member: "Eval" };
  await expect(session.call(last)).rejects.toThrow(); // an ordinary call does start a service
  expect(readFileSync(marker, "utf8")).toBe("org.gnome.Shell\n");
  session.close();
  await starting.stop();
});
