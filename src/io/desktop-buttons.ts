import type { NotificationButtons } from "../core/machine-ports.ts";
import type { BusMessage } from "./bus-message.ts";
import type { SessionBus } from "./session-bus.ts";

const notifications = "org.freedesktop.Notifications";
/** How long a notification is listened to, milliseconds: 15 minutes. */
const listensMs = 15 * 60_000;
/**
 * Why a notification is closed that a program closed, as beckon itself does; the others are the person and the time.
 */
const closedByProgram = 3;

const maxEarly = 64;

/** The actions of a notification, as the specification writes them: a name, and what its button says. */
export function actionsOf(buttons: NotificationButtons | undefined): string[] {
  return buttons ? ["default", buttons.labels.focus, "seen", buttons.labels.seen] : [];
}

/** What listens to a notification: it learns its id once that is known. */
export interface Listener {
  /** @param onEnd called once nothing more is to be heard */
  listenTo(id: number, onEnd: () => void): void;
  /** Hangs up. May be called more than once. */
  stop(): void;
}

/**
 * Listens to what becomes of a notification that this connection is about to show: services tell nobody else. Ends when
 * the notification is closed, after 15 minutes, and when the bus hangs up; does not keep this process alive.
 * https://specifications.freedesktop.org/notification-spec/latest/
 * @param service the service's unique name
 */
export async function listen(bus: SessionBus, service: string, buttons: NotificationButtons): Promise<Listener> {
  let id: number | undefined;
  let ended = (): void => {};
  const early: BusMessage[] = []; // what comes in one packet with the reply that tells the id
  const timer = setTimeout(() => stop(), listensMs).unref();
  const stop = (): void => {
    clearTimeout(timer);
    bus.close();
    ended();
  };
  const take = (message: BusMessage): void => {
    if (id === undefined && early.length < maxEarly) early.push(message);
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
