import { pathToFileURL } from "node:url";
import { DeliveryError } from "../core/errors.ts";
import type { DesktopPort } from "../core/machine-ports.ts";
import type { BusValue } from "./bus-message.ts";
import { sessionVariables } from "./child-env.ts";
import { BusError, SessionBus } from "./session-bus.ts";

const timeoutMs = 3000;
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

/**
 * Desktop port on the session bus itself, for every desktop that follows the freedesktop specification. Nothing of the
 * message is in the arguments of a program, where every user of the machine could read it.
 * https://specifications.freedesktop.org/notification-spec/latest/
 */
export function createSessionBusDesktop(env: NodeJS.ProcessEnv): DesktopPort {
  return {
    obstacle: () => (sessionBusAddress(env) === undefined ? noBus().message : undefined),
    async notify({ title, signal, ...others }) {
      const address = sessionBusAddress(env);
      if (address === undefined) throw noBus();
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        await show(address, { ...others, title: title.trim() || "beckon" }, limit);
      } catch (error) {
        if (limit.aborted) throw new DeliveryError("timeout", "the notification service did not answer in time");
        throw error instanceof BusError ? deliveryErrorOf(error) : error;
      }
    },
  };
}

type Notification = Pick<Parameters<DesktopPort["notify"]>[0], "title" | "body" | "urgency" | "icon" | "category">;

async function show(
  address: string,
  { title, body, urgency, icon, category }: Notification,
  signal: AbortSignal,
): Promise<void> {
  const bus = await SessionBus.open(address, signal);
  try {
    const hints: BusValue[] = [
      ["urgency", { signature: "y", value: urgencies[urgency] }],
      ...(category === undefined ? [] : [["category", { signature: "s", value: category }]]),
    ];
    const iconUrl = icon === undefined ? "" : pathToFileURL(icon).href;
    // App name, no notification to replace, icon, title, body, no actions, hints, the service's own timeout.
    const values = ["beckon", 0, iconUrl, title, escapeMarkup(body), [], hints, -1] as const;
    await bus.call({ ...notifications, member: "Notify", signature: "susssasa{sv}i", body: values });
  } finally {
    bus.close();
  }
}

/**
 * A body in which text stays text. Escaped for every service: dunst drops what looks like a tag, and reads entities, also
 * where it says that it knows no markup.
 */
function escapeMarkup(body: string): string {
  return body.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function noBus(): DeliveryError {
  return new DeliveryError("unsupported", "there is no desktop session here: no session bus", {
    hint: "On a machine without a desktop, use a notifier that reaches you elsewhere.",
  });
}

function deliveryErrorOf({ name, message }: BusError): DeliveryError {
  if (name === "connection") return noBus();
  if (!noServiceErrors.test(name)) return new DeliveryError("unavailable", `${message} (${name})`);
  return new DeliveryError("unsupported", "no notification service runs in this session", {
    hint: "Start a notification daemon, for example dunst or mako, or use another notifier.",
  });
}
