import { pathToFileURL } from "node:url";
import { DeliveryError } from "../core/errors.ts";
import type { DesktopPort, NotificationButtons, Obstacle, ShownNotification } from "../core/ports.ts";
import { cleanLine } from "../text/clean.ts";
import { escapeEntities } from "../text/html.ts";
import type { BusMessage, BusValue } from "./bus-message.ts";
import { sessionVariables } from "./exec.ts";
import { BusError, SessionBus, theBus, usual } from "./session-bus.ts";

const timeoutMs = 3000;
/** Maximum length of a bus address that is recorded with a notification, in UTF-16 units. */
const maxAddressChars = 256;
/** Address of the notification service. */
export const notifications = usual("org.freedesktop.Notifications");
const urgencies = { low: 0, normal: 1, critical: 2 } as const;
/** Pattern of the bus errors that mean that no notification service is running and none can be started. */
const noServiceErrors =
  /^org\.freedesktop\.DBus\.Error\.(?:ServiceUnknown|NameHasNoOwner|Spawn\.|UnknownMethod|UnknownInterface)/;

/** Finds the session bus's address, in the environment or in systemd's usual place; undefined if there is none. */
export function sessionBusAddress(env: NodeJS.ProcessEnv): string | undefined {
  return env["DBUS_SESSION_BUS_ADDRESS"] || sessionVariables(env)["DBUS_SESSION_BUS_ADDRESS"];
}

/**
 * Creates the desktop driver for the session bus, on desktops that follow the freedesktop specification. Other users
 * cannot read messages on the bus, unlike a program's arguments.
 *
 * A notification is identified by its id together with its service and bus. The id alone is not enough to close it: ids
 * restart with every service, service names with every bus, and any program may close any id.
 * https://specifications.freedesktop.org/notification-spec/latest/
 */
export function createSessionBusDesktop(env: NodeJS.ProcessEnv): Omit<DesktopPort, "unproven" | "problem"> & {
  /** Returns the obstacle if there is no bus or no notification service; otherwise undefined. */
  problem(signal: AbortSignal): Promise<Obstacle | undefined>;
} {
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
    async answerObstacle(signal) {
      const address = sessionBusAddress(env);
      if (address === undefined) return noBus().message;
      const ask = async (bus: SessionBus) => {
        const service = await runningService(bus);
        return service && explainNoAnswers(bus, service);
      };
      return withBus(address, signal, ask).catch(() => undefined); // the notifier's own check says why
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
          "the notification's desktop cannot be reached, because there is no session bus",
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
 * Connects to a bus and runs `act` with it, within the time limit. Closes the connection afterwards unless `act` keeps
 * it.
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
    return await act(bus, () => {
      isKept = true;
    });
  } catch (error) {
    if (limit.aborted) throw new DeliveryError("timeout", "the notification service did not answer in time");
    throw error instanceof BusError ? toDeliveryError(error) : error;
  } finally {
    limit.removeEventListener("abort", end);
    if (!isKept) end();
  }
}

/**
 * Shows a notification, or replaces the earlier notification `replaces`. If the earlier one is still visible, its
 * display time starts again; otherwise the new one pops up. Tested with dunst, mako, xfce4-notifyd and
 * notification-daemon. GNOME does the same, according to its source code.
 */
async function show(
  bus: SessionBus,
  { title, body, urgency, icon, category, replaces, buttons }: Omit<Parameters<DesktopPort["notify"]>[0], "signal">,
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
  const shownButtons =
    buttons && (await hasButtons(bus, service)) ? await limitButtons(bus, service, buttons) : undefined;
  const listener = shownButtons && (await listen(bus, service.name, shownButtons));
  // App name, notification to replace, icon, title, body, actions, hints, the service's default timeout.
  // Escaped for every service: dunst removes tags and decodes entities even if it reports no markup support.
  const texts = [iconUrl, title, escapeEntities(shownButtons?.body ?? body)];
  const values = ["beckon", replacedId, ...texts, listActions(shownButtons), hints, -1];
  const call = { ...notifications, destination: service.name, member: "Notify" };
  const [id] = await bus.call({ ...call, signature: "susssasa{sv}i", body: values });
  const shown = { id: Number(id), owner: service.owner };
  const key = `${shown.owner} ${shown.id}`;
  listeners.get(key)?.stop(); // it listened to the notification that this one replaced
  if (!listener) return shown;
  listeners.set(key, listener);
  listener.listenTo(shown.id, () => listeners.delete(key));
  keep();
  return shown;
}

async function hasButtons(bus: SessionBus, service: Service): Promise<boolean> {
  const call = { ...notifications, destination: service.name, member: "GetCapabilities" };
  const [capabilities] = await bus.call(call).catch(() => []);
  return Array.isArray(capabilities) && capabilities.includes("actions");
}

/** Explains why a service is not known to show answer buttons next to the whole text; undefined if it is. */
async function explainNoAnswers(bus: SessionBus, service: Service): Promise<string | undefined> {
  const call = { ...notifications, destination: service.name, member: "GetServerInformation" };
  const [name] = await bus.call(call).catch(() => []);
  const shown = typeof name === "string" ? cleanLine(name) : "this desktop";
  if (!(await hasButtons(bus, service))) return `${shown} shows no buttons`;
  return wholeServices.includes(name) ? undefined : `${shown} is not known to show a whole request with its buttons`;
}

/** Leaves out answer buttons that the service may not show. */
async function limitButtons(bus: SessionBus, service: Service, buttons: NotificationButtons) {
  const { labels, onReaction, answers } = buttons;
  const isAnswerable = answers && (await explainNoAnswers(bus, service)) === undefined;
  return isAnswerable ? buttons : { labels, onReaction };
}

async function close(bus: SessionBus, { id, owner }: ShownNotification): Promise<void> {
  const service = await runningService(bus);
  if (!service || service.owner !== owner) return;
  const call = { ...notifications, destination: service.name, member: "CloseNotification" };
  await bus.call({ ...call, signature: "u", body: [id] }).catch((error: unknown) => {
    if (!(error instanceof BusError && noSuchIdErrors.test(error.name))) throw error;
  });
}

/** Pattern of the error that some services return if a notification is already closed. */
const noSuchIdErrors = /InvalidId$/;

/** Running notification service, identified by the unique bus name of its process. */
interface Service {
  readonly name: string;
  /** Id of the bus, followed by the service's unique name, because another bus may use the same name. */
  readonly owner: string;
}

/** Finds the running service; undefined if no service is running. Never starts one. */
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

/** Checks that a service is running or can be started. Never starts one. @throws {BusError} if there is no service */
async function requireService(bus: SessionBus): Promise<void> {
  if (await runningService(bus)) return;
  const [names] = await bus.call({ ...theBus, member: "ListActivatableNames" });
  const canStart = Array.isArray(names) && names.includes(notifications.destination);
  if (!canStart) throw new BusError(noOwner, "no notification service");
}

/** Starts the desktop's notification service. @throws {BusError} if there is no service */
async function startService(bus: SessionBus): Promise<Service> {
  const body = [notifications.destination, 0];
  await bus.call({ ...theBus, member: "StartServiceByName", signature: "su", body });
  const service = await runningService(bus);
  if (!service) throw new BusError(noOwner, "the notification service exited on start");
  return service;
}

/** Creates the error for a process without a desktop session. */
export function noSession(why: string): DeliveryError {
  return new DeliveryError("unsupported", `there is no desktop session: ${why}`, {
    hint: "The agent's terminal needs no desktop and works over SSH. If you have no such notifier: beckon config add terminal",
  });
}

function noBus(): DeliveryError {
  return noSession("no session bus");
}

function toDeliveryError({ name, message }: BusError): DeliveryError {
  if (name === "connection") return noBus();
  return noServiceErrors.test(name) ? noService() : new DeliveryError("unavailable", `${message} (${name})`);
}

/** Creates the error for a desktop session without a notification service. */
export function noService(): DeliveryError {
  return new DeliveryError("unsupported", "no notification service is running in this session", {
    hint: "Start a notification daemon, for example dunst or mako, or use another notifier.",
  });
}

/** Longest time for which beckon waits for clicks on a notification, milliseconds: 15 minutes. */
const listenTimeoutMs = 15 * 60_000;
/**
 * Code in the signal `NotificationClosed` if a program, such as beckon, has closed the notification. Other codes mean
 * that the user closed it or that its time was up.
 */
const closedByProgram = 3;

const maxEarlySignals = 64;

/** Notification services that show 8 lines of text and all buttons (notification-daemon and xfce4-notifyd, tested). */
const wholeServices: readonly unknown[] = ["Notification Daemon", "Xfce Notify Daemon"];

/** Lists a notification's buttons as D-Bus expects them: a name, then its label, and so on. */
function listActions(buttons: NotificationButtons | undefined): string[] {
  if (!buttons) return [];
  const answers = (buttons.answers ?? []).flatMap(({ token, label }) => [token, label]);
  return [...answers, "default", buttons.labels.focus, "seen", buttons.labels.seen];
}

/** Listener for reactions to a notification. Starts before the notification is shown and gets its id later. */
interface Listener {
  /**
   * Sets the notification's id.
   * @param onEnd called when the listener stops
   */
  listenTo(id: number, onEnd: () => void): void;
  /** Stops listening. May be called more than once. */
  stop(): void;
}

/**
 * Listens for reactions to a notification that is about to be shown over `bus`. A service sends its signals only to the
 * connection that showed the notification. Listening ends when the notification closes, after 15 minutes, or when the
 * bus closes, and does not keep this process alive. https://specifications.freedesktop.org/notification-spec/latest/
 * @param service the service's unique name on the bus
 */
async function listen(bus: SessionBus, service: string, buttons: NotificationButtons): Promise<Listener> {
  let id: number | undefined;
  let ended = (): void => {};
  const early: BusMessage[] = []; // signals that arrive before the reply with the id
  const timer = setTimeout(() => stop(), listenTimeoutMs).unref();
  const stop = (): void => {
    clearTimeout(timer);
    bus.close();
    ended();
  };
  const take = (message: BusMessage): void => {
    if (id === undefined && early.length < maxEarlySignals) early.push(message);
    if (id === undefined) return;
    const [about, detail] = message.body;
    if (message.sender !== service || message.interface !== notifications.interface || about !== id) return;
    react(message.member, detail, buttons);
    if (message.member === "NotificationClosed") stop();
  };
  await bus.listen(`type='signal',sender='${service}',interface='${notifications.interface}'`, take);
  return {
    listenTo(shown, onEnd) {
      [id, ended] = [shown, onEnd];
      bus.stayInBackground();
      for (const message of early.splice(0)) take(message);
    },
    stop,
  };
}

/** Passes on the press of a button, and the end of a notification unless a program closed it. */
function react(member: string | undefined, detail: unknown, buttons: NotificationButtons): void {
  if (member === "NotificationClosed" && detail !== closedByProgram) buttons.onReaction("closed");
  if (member !== "ActionInvoked") return;
  const answer = buttons.answers?.find(({ token }) => token === detail);
  if (answer) buttons.onAnswer?.(answer.token);
  else if (detail === "default") buttons.onReaction("focus");
  else if (detail === "seen") buttons.onReaction("seen");
}
