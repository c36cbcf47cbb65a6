import { at } from "../../core/json-value.ts";
import type { Presence } from "../../core/presence-port.ts";
import type { BusValue } from "../bus-types.ts";
import type { BusCall } from "../session-bus.ts";
import type { Source } from "./question.ts";

const notifications = { destination: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications" } as const;

/** Presence sources on the session bus. Asking a service that is not running takes no time. */
export const sessionBusSources: readonly Source[] = [
  // https://specifications.freedesktop.org/idle-inhibit-spec/latest/, and desktops with an interface of their own
  ...[
    { destination: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver" },
    { destination: "org.gnome.ScreenSaver", path: "/org/gnome/ScreenSaver" },
    { destination: "org.cinnamon.ScreenSaver", path: "/org/cinnamon/ScreenSaver" },
    { destination: "org.mate.ScreenSaver", path: "/org/mate/ScreenSaver" },
    { destination: "org.xfce.ScreenSaver", path: "/org/xfce/ScreenSaver" },
  ].map((service) => ask({ ...service, interface: service.destination, member: "GetActive" }, isTruth("isLocked"))),
  // https://gitlab.gnome.org/GNOME/mutter/-/blob/main/data/dbus-interfaces/org.gnome.Mutter.IdleMonitor.xml
  ask(
    {
      destination: "org.gnome.Mutter.IdleMonitor",
      path: "/org/gnome/Mutter/IdleMonitor/Core",
      interface: "org.gnome.Mutter.IdleMonitor",
      member: "GetIdletime",
    },
    (idle) => (typeof idle === "bigint" ? { idleMs: Number(idle) } : {}),
  ),
  // Milliseconds in Plasma. On Wayland the answer is always 0: https://invent.kde.org/frameworks/kidletime
  ask(
    {
      destination: "org.kde.screensaver",
      path: "/ScreenSaver",
      interface: "org.freedesktop.ScreenSaver",
      member: "GetSessionIdleTime",
    },
    (idle) => (typeof idle === "number" && idle > 0 ? { idleMs: idle } : {}),
  ),
  // In Plasma, the value is also true while a full-screen program or screen sharing inhibits notifications.
  property(notifications, "org.freedesktop.Notifications", "Inhibited"),
  // https://dunst-project.org/documentation/
  property(notifications, "org.dunstproject.cmd0", "paused"),
  // Mode for do-not-disturb in mako's manual: https://man.archlinux.org/man/makoctl.1
  ask({ ...notifications, path: "/fr/emersion/Mako", interface: "fr.emersion.Mako", member: "ListModes" }, (modes) =>
    Array.isArray(modes) ? { isDoNotDisturb: modes.includes("do-not-disturb") } : {},
  ),
  // https://github.com/ErikReider/SwayNotificationCenter
  ask(
    {
      destination: "org.erikreider.swaync.cc",
      path: "/org/erikreider/swaync/cc",
      interface: "org.erikreider.swaync.cc",
      member: "GetDnd",
    },
    isTruth("isDoNotDisturb"),
  ),
  // https://docs.xfce.org/xfce/xfconf/start
  ask(
    {
      destination: "org.xfce.Xfconf",
      path: "/org/xfce/Xfconf",
      interface: "org.xfce.Xfconf",
      member: "GetProperty",
      signature: "ss",
      body: ["xfce4-notifyd", "/do-not-disturb"],
    },
    (value) => isTruth("isDoNotDisturb")(unwrapVariant(value)),
  ),
];

type Read = (answer: BusValue | undefined) => Presence;

function ask(call: BusCall, read: Read): Source {
  return async (question) => read((await question.call("session", call))[0]);
}

/** Creates a source for a bus property that is true during do-not-disturb. */
function property(service: Pick<BusCall, "destination" | "path">, owner: string, name: string): Source {
  const call = { interface: "org.freedesktop.DBus.Properties", member: "Get", signature: "ss", body: [owner, name] };
  return ask({ ...service, ...call }, (value) => isTruth("isDoNotDisturb")(unwrapVariant(value)));
}

function isTruth(key: "isLocked" | "isDoNotDisturb"): Read {
  return (answer) => (typeof answer === "boolean" ? { [key]: answer } : {});
}

function unwrapVariant(variant: BusValue | undefined): BusValue | undefined {
  return at(variant, "value") as BusValue | undefined;
}

/** Source for GNOME's do-not-disturb setting, which has an effect only while GNOME Shell runs. */
export const gnomeSource: Source = async ({ call, run }) => {
  const bus = "org.freedesktop.DBus";
  const owner = { destination: bus, path: "/org/freedesktop/DBus", interface: bus, member: "NameHasOwner" };
  const [isRunning] = await call("session", { ...owner, signature: "s", body: ["org.gnome.Shell"] });
  if (isRunning !== true) return {};
  const shows = (await run("gsettings", ["get", "org.gnome.desktop.notifications", "show-banners"]))?.trim();
  return shows === "true" || shows === "false" ? { isDoNotDisturb: shows === "false" } : {};
};
