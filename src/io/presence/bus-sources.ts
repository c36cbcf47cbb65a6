import { at } from "../../core/json-value.ts";
import type { Presence } from "../../core/ports.ts";
import { checkedEnvironment, type TerminalEnvironment } from "../../core/terminal-environment.ts";
import type { BusValue } from "../bus-message.ts";
import { notifications, sessionBusAddress } from "../desktop-session-bus.ts";
import { type BusCall, BusError, SessionBus, theBus, usual } from "../session-bus.ts";
import { isOwnSocket, type Question, type Source } from "./question.ts";

const service = "org.freedesktop.login1";

/** Presence sources on the session bus. Asking a service that is not running takes no time. */
export const sessionBusSources: readonly Source[] = [
  // https://specifications.freedesktop.org/idle-inhibit-spec/latest/, and desktops with an interface of their own
  ...[
    ...["org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.cinnamon.ScreenSaver"],
    ...["org.mate.ScreenSaver", "org.xfce.ScreenSaver"],
  ].map((name) => ask({ ...usual(name), member: "GetActive" }, isTruth("isLocked"))),
  // https://gitlab.gnome.org/GNOME/mutter/-/blob/main/data/dbus-interfaces/org.gnome.Mutter.IdleMonitor.xml
  ask(
    { ...usual("org.gnome.Mutter.IdleMonitor"), path: "/org/gnome/Mutter/IdleMonitor/Core", member: "GetIdletime" },
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
  dndProperty(notifications, "org.freedesktop.Notifications", "Inhibited"),
  // https://dunst-project.org/documentation/
  dndProperty(notifications, "org.dunstproject.cmd0", "paused"),
  // Mode for do-not-disturb in mako's manual: https://man.archlinux.org/man/makoctl.1
  ask({ ...notifications, path: "/fr/emersion/Mako", interface: "fr.emersion.Mako", member: "ListModes" }, (modes) =>
    Array.isArray(modes) ? { isDoNotDisturb: modes.includes("do-not-disturb") } : {},
  ),
  // https://github.com/ErikReider/SwayNotificationCenter
  ask({ ...usual("org.erikreider.swaync.cc"), member: "GetDnd" }, isTruth("isDoNotDisturb")),
  // https://docs.xfce.org/xfce/xfconf/start
  ask(
    { ...usual("org.xfce.Xfconf"), member: "GetProperty", signature: "ss", body: ["xfce4-notifyd", "/do-not-disturb"] },
    (value) => isTruth("isDoNotDisturb")(unwrapVariant(value)),
  ),
];

type Read = (answer: BusValue | undefined) => Presence;

function ask(call: BusCall, read: Read): Source {
  return async (question) => read((await question.call("session", call))[0]);
}

/** Creates a source for a bus property that is true during do-not-disturb. */
function dndProperty(service: Pick<BusCall, "destination" | "path">, owner: string, name: string): Source {
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
  const owner = { ...theBus, member: "NameHasOwner", signature: "s", body: ["org.gnome.Shell"] };
  const [isRunning] = await call("session", owner);
  if (isRunning !== true) return {};
  const shows = (await run("gsettings", ["get", "org.gnome.desktop.notifications", "show-banners"]))?.trim();
  return shows === "true" || shows === "false" ? { isDoNotDisturb: shows === "false" } : {};
};

/**
 * Creates a function that calls methods on the session bus and the system bus. The first call to a bus opens a
 * connection that all calls use and that the signal closes. Calls never start services.
 * @param env the agent's environment
 * @param fallback the worker's environment, used if the agent's environment names no session bus
 */
export function createBuses(
  env: TerminalEnvironment,
  fallback: NodeJS.ProcessEnv,
  systemBus: string,
  signal: AbortSignal,
): Question["call"] {
  const open = async (bus: keyof typeof addresses): Promise<SessionBus> => {
    const address = addresses[bus];
    const path = address?.slice("unix:path=".length).split(",")[0];
    if (address !== undefined && path !== undefined && isOwnSocket(path, bus === "system" ? [0] : []))
      return SessionBus.open(address, signal);
    throw new BusError("connection", `the ${bus} bus is missing or another user's`);
  };
  const addresses = {
    session: env.DBUS_SESSION_BUS_ADDRESS ?? fallbackAddress(fallback),
    system: `unix:path=${systemBus}`,
  };
  const opened: Partial<Record<keyof typeof addresses, Promise<SessionBus>>> = {};
  return async (bus, call) => {
    opened[bus] ??= open(bus);
    return (await opened[bus]).call({ ...call, startsService: false });
  };
}

function fallbackAddress(env: NodeJS.ProcessEnv): string | undefined {
  const name = "DBUS_SESSION_BUS_ADDRESS";
  return checkedEnvironment({ [name]: sessionBusAddress(env) }, [name])[name];
}

/**
 * Source for systemd's login service. Asks about the user's main session, which is usually the graphical one. Ignores
 * the answers "not locked" and "not idle", because many desktops never report these states.
 * https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html
 */
export const logindSource: Source = async (question) => {
  const manager = { path: "/org/freedesktop/login1", interface: `${service}.Manager` };
  const [user] = await call(question, {
    ...manager,
    member: "GetUser",
    signature: "u",
    body: [process.getuid?.() ?? 0],
  });
  const display = await readProperty(question, String(user), "User", "Display");
  const session = Array.isArray(display) ? String(display[1]) : "/";
  if (session === "/") return {};
  const [isLocked, isIdle, idleSince] = await Promise.all(
    ["LockedHint", "IdleHint", "IdleSinceHint"].map((name) => readProperty(question, session, "Session", name)),
  );
  return {
    ...(isLocked === true && { isLocked }),
    ...(isIdle === true &&
      typeof idleSince === "bigint" && { idleMs: Math.max(0, Date.now() - Number(idleSince) / 1000) }),
  };
};

async function readProperty(question: Question, path: string, owner: "User" | "Session", name: string) {
  const body = [`${service}.${owner}`, name];
  const get = { interface: "org.freedesktop.DBus.Properties", member: "Get", signature: "ss", body };
  return unwrapVariant((await call(question, { path, ...get }))[0]);
}

function call({ call: callOn }: Question, request: Omit<BusCall, "destination">): Promise<readonly BusValue[]> {
  return callOn("system", { destination: service, ...request });
}
