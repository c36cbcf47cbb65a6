import { pathToFileURL } from "node:url";
import { DeliveryError } from "../core/errors.ts";
import type { DesktopPort, Obstacle, ShownNotification } from "../core/machine-ports.ts";
import type { BusValue } from "./bus-types.ts";
import { sessionVariables } from "./child-env.ts";
import { actionsOf, type Listener, listen } from "./desktop-buttons.ts";
import { BusError, SessionBus, theBus } from "./session-bus.ts";

const timeoutMs = 3000;
/** Longest address of a bus that a receipt has room for. */
const maxAddressChars = 256;
const notifications = {
  destination: "org.freedesktop.Notifications",
  path: "/org/freedesktop/Notifications",
  interface: "org.freedesktop.Notifications",
} as const;
const urgencies = { low: 0, normal: 1, critical: 2 } as const;
/** What the bus says where no notification service runs and none can be started. */
const noServiceErrors =
  /^org\.freedesktop\.DBus\.Error\.(?:ServiceUnknown|NameHasNoOwner|Spawn\.|UnknownMethod|UnknownInterface)/;

/** The session bus's address in this environment, or where systemd puts it; undefined for none. */
export function sessionBusAddress(env: NodeJS.ProcessEnv): string | undefined {
  return env["DBUS_SESSION_BUS_ADDRESS"] || sessionVariables(env)["DBUS_SESSION_BUS_ADDRESS"];
}

/** The check that only the session bus has. */
interface SessionBusDesktop {
  /** Why no notification can show although there is an address: no bus answers there, or no service is on it. */
  problem(signal: AbortSignal): Promise<Obstacle | undefined>;
}

/**
 * Desktop port on the session bus itself, for every desktop that follows the freedesktop specification. Nothing of the
 * message is in the arguments of a program, where every user of the machine could read it.
 *
 * A notification's owner is the service that showed it, and on which bus. Ids begin anew with every service, names with
 * every bus, and anybody may close any id, so that an id alone might close a stranger's notification.
 * https://specifications.freedesktop.org/notification-spec/latest/
 */
export function createSessionBusDesktop(
  env: NodeJS.ProcessEnv,
): Omit<DesktopPort, "unproven" | "problem"> & SessionBusDesktop {
  const listeners = new Map<string, Listener>();
  return {
    isListening: () => listeners.size > 0,
    obstacle: () => (sessionBusAddress(env) === undefined ? noBus() : undefined),
    async problem(signal) {
      const address = sessionBusAddress(env);
      if (address === undefined) return noBus();
      try {
        await withBus(address, signal, requireService);
        return undefined;
      } catch (error) {
        return error instanceof DeliveryError && error.reason === "unsupported" ? error : undefined;
      }
    },
    async notify({ title, signal, ...others }) {
      const address = sessionBusAddress(env);
      if (address === undefined) throw noBus();
      const notification = { ...others, title: title.trim() || "beckon" };
      const shown = await withBus(address, signal, (bus, keep) => show(bus, notification, listeners, keep));
      return address.length > maxAddressChars ? shown : { ...shown, bus: address };
    },
    async close({ shown, signal }) {
      const address = shown.bus ?? sessionBusAddress(env);
      if (address === undefined) {
        throw new DeliveryError(
          "unavailable",
          "the notification's desktop cannot be reached: there is no session bus here",
        );
      }
      await withBus(address, signal, (bus) => close(bus, shown)).catch((error: unknown) => {
        const isGone = error instanceof DeliveryError && error.reason === "unsupported";
        if (!isGone) throw error;
      });
    },
  };
}

/**
 * Opens the bus for what `act` does, in the time there is, and closes it then, unless `act` keeps it.
 * @throws {DeliveryError}
 */
async function withBus<T>(
  address: string,
  signal: AbortSignal,
  act: (bus: SessionBus, keep: () => void) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const hangUp = new AbortController();
  const end = (): void => hangUp.abort();
  limit.addEventListener("abort", end, { once: true });
  let isKept = false;
  try {
    const bus = await SessionBus.open(address, hangUp.signal);
    const result = await act(bus, () => {
      isKept = true;
    });
    return result;
  } catch (error) {
    if (limit.aborted) throw new DeliveryError("timeout", "the notification service did not answer in time");
    throw error instanceof BusError ? deliveryErrorOf(error) : error;
  } finally {
    limit.removeEventListener("abort", end);
    if (!isKept) end();
  }
}

type Notification = Pick<
  Parameters<DesktopPort["notify"]>[0],
  "title" | "body" | "urgency" | "icon" | "category" | "replaces" | "buttons"
>;

/**
 * Shows a notification. It takes another one's place by that one's id: measured with dunst, mako, xfce4-notifyd and
 * notification-daemon, one that is on the screen is shown for its full time again, one that is not pops up anew; so
 * does GNOME by its source.
 */
async function show(
  bus: SessionBus,
  { title, body, urgency, icon, category, replaces, buttons }: Notification,
  listeners: Map<string, Listener>,
  keep: () => void,
): Promise<ShownNotification> {
  const service = (await runningService(bus)) ?? (await startService(bus));
  const replacedId = replaces?.owner === service.owner ? replaces.id : 0;
  const hints: BusValue[] = [
    ["urgency", { signature: "y", value: urgencies[urgency] }],
    ...(category === undefined ? [] : [["category", { signature: "s", value: category }]]),
  ];
  const iconUrl = icon === undefined ? "" : pathToFileURL(icon).href;
  const shownButtons = buttons && (await hasButtons(bus, service)) ? buttons : undefined;
  const listener = shownButtons && (await listen(bus, service.name, shownButtons));
  // App name, the notification to replace, icon, title, body, actions, hints, the service's own timeout.
  const texts = [iconUrl, title, escapeMarkup(body)];
  const values = ["beckon", replacedId, ...texts, actionsOf(shownButtons), hints, -1];
  const call = { ...notifications, destination: service.name, member: "Notify" };
  const [id] = await bus.call({ ...call, signature: "susssasa{sv}i", body: values });
  const shown = { id: Number(id), owner: service.owner };
  keepListening(listeners, shown, listener);
  if (listener) keep();
  return shown;
}

/** Listens to a notification, and no longer to one that had its id before: that one is replaced. */
function keepListening(
  listeners: Map<string, Listener>,
  { id, owner }: ShownNotification,
  listener: Listener | undefined,
): void {
  const key = `${owner} ${id}`;
  listeners.get(key)?.stop();
  if (!listener) return;
  listeners.set(key, listener);
  listener.listenTo(id, () => listeners.delete(key));
}

async function hasButtons(bus: SessionBus, service: Service): Promise<boolean> {
  const call = { ...notifications, destination: service.name, member: "GetCapabilities" };
  const [capabilities] = await bus.call(call).catch(() => []);
  return Array.isArray(capabilities) && capabilities.includes("actions");
}

async function close(bus: SessionBus, { id, owner }: ShownNotification): Promise<void> {
  const service = await runningService(bus);
  if (!service || service.owner !== owner) return;
  const call = { ...notifications, destination: service.name, member: "CloseNotification" };
  await bus.call({ ...call, signature: "u", body: [id] }).catch((error: unknown) => {
    if (!(error instanceof BusError && noSuchIdErrors.test(error.name))) throw error;
  });
}
/** What services say of an id that is closed already; most say nothing. */
const noSuchIdErrors = /InvalidId$/;

/** A notification service, addressed by the unique name of the very process. */
interface Service {
  readonly name: string;
  /** Bus and name: a name may come again on another bus. */
  readonly owner: string;
}

/** The service that runs now, without starting one. */
async function runningService(bus: SessionBus): Promise<Service | undefined> {
  const asked = bus.call({ ...theBus, member: "GetNameOwner", signature: "s", body: [notifications.destination] });
  const [[busId], [name]] = await Promise.all([
    bus.call({ ...theBus, member: "GetId" }),
    asked.catch((error: BusError) => {
      if (error.name === noOwner) return [];
      throw error;
    }),
  ]);
  return name === undefined ? undefined : { name: String(name), owner: `${busId}${name}` };
}
const noOwner = "org.freedesktop.DBus.Error.NameHasNoOwner";

/** Checks that a service runs or can be started, without starting it. @throws {BusError} if there is no service */
async function requireService(bus: SessionBus): Promise<void> {
  if (await runningService(bus)) return;
  const [names] = await bus.call({ ...theBus, member: "ListActivatableNames" });
  const canStart = Array.isArray(names) && names.includes(notifications.destination);
  if (!canStart) throw new BusError(noOwner, "no notification service");
}

/** Starts the service that this desktop has. @throws {BusError} where it has none */
async function startService(bus: SessionBus): Promise<Service> {
  const body = [notifications.destination, 0];
  await bus.call({ ...theBus, member: "StartServiceByName", signature: "su", body });
  const service = await runningService(bus);
  if (!service) throw new BusError(noOwner, "the notification service ended as it started");
  return service;
}

/**
 * A body in which text stays text. Escaped for every service: dunst drops what looks like a tag, and reads entities,
 * also where it says that it knows no markup.
 */
function escapeMarkup(body: string): string {
  return body.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function noBus(): DeliveryError {
  return new DeliveryError("unsupported", "there is no desktop session here: no session bus", {
    hint: "Here `beckon config add terminal` shows notifications in the agent's own terminal, over SSH too.",
  });
}

function deliveryErrorOf({ name, message }: BusError): DeliveryError {
  if (name === "connection") return noBus();
  if (!noServiceErrors.test(name)) return new DeliveryError("unavailable", `${message} (${name})`);
  return new DeliveryError("unsupported", "no notification service runs in this session", {
    hint: "Start a notification daemon, for example dunst or mako, or use another notifier.",
  });
}
