import type { NotificationButtons } from "../core/machine-ports.ts";
import type { BusMessage } from "./bus-message.ts";
import type { SessionBus } from "./session-bus.ts";

const notifications = "org.freedesktop.Notifications";
/** Time limit for listening to a notification, milliseconds: 15 minutes. */
const listenTimeoutMs = 15 * 60_000;
/** D-Bus code for a notification closed by a program, such as beckon, rather than by the user or a timeout. */
const closedByProgram = 3;

const maxEarlySignals = 64;

/** Lists a notification's actions in the specification's form: names and labels of its buttons. */
export function listActions(buttons: NotificationButtons | undefined): string[] {
  return buttons ? ["default", buttons.labels.focus, "seen", buttons.labels.seen] : [];
}

/** Listener for a notification, whose id it gets later. */
export interface Listener {
  /** Sets the notification's id. @param onEnd called after the last signal */
  listenTo(id: number, onEnd: () => void): void;
  /** Stops listening. May be called more than once. */
  stop(): void;
}

/**
 * Listens to a notification that this connection is about to show, because services only signal that connection. Ends
 * when the notification is closed, after 15 minutes, or with the bus; does not keep this process alive.
 * https://specifications.freedesktop.org/notification-spec/latest/
 * @param service the service's unique name
 */
export async function listen(bus: SessionBus, service: string, buttons: NotificationButtons): Promise<Listener> {
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
    if (message.sender !== service || message.interface !== notifications || about !== id) return;
    const reaction = reactionTo(message.member, detail);
    if (reaction) buttons.onReaction(reaction);
    if (message.member === "NotificationClosed") stop();
  };
  await bus.listen(`type='signal',sender='${service}',interface='${notifications}'`, take);
  return {
    listenTo(shown, onEnd) {
      [id, ended] = [shown, onEnd];
      bus.stayInBackground();
      for (const message of early.splice(0)) take(message);
    },
    stop,
  };
}

function reactionTo(member: string | undefined, detail: unknown): "focus" | "seen" | "closed" | undefined {
  if (member === "NotificationClosed") return detail === closedByProgram ? undefined : "closed";
  if (member !== "ActionInvoked") return undefined;
  return detail === "default" ? "focus" : detail === "seen" ? "seen" : undefined;
}
