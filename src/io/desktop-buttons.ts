import type { NotificationButtons } from "../core/machine-ports.ts";
import type { BusMessage } from "./bus-message.ts";
import type { SessionBus } from "./session-bus.ts";

const notifications = "org.freedesktop.Notifications";
/** Longest time for which beckon waits for clicks on a notification, milliseconds: 15 minutes. */
const listenTimeoutMs = 15 * 60_000;
/**
 * Code in the signal `NotificationClosed` if a program, such as beckon, has closed the notification. Other codes mean
 * that the user closed it or that its time was up.
 */
const closedByProgram = 3;

const maxEarlySignals = 64;

/** Notification services that show 8 lines of text and all buttons (notification-daemon and xfce4-notifyd, tested). */
export const wholeServices: readonly unknown[] = ["Notification Daemon", "Xfce Notify Daemon"];

/** Returns the buttons without those that answer a permission request. */
export function withoutAnswers({ labels, onReaction }: NotificationButtons): NotificationButtons {
  return { labels, onReaction };
}

/** Lists a notification's buttons as D-Bus expects them: a name, then its label, and so on. */
export function listActions(buttons: NotificationButtons | undefined): string[] {
  if (!buttons) return [];
  const answers = (buttons.answers ?? []).flatMap(({ token, label }) => [token, label]);
  return [...answers, "default", buttons.labels.focus, "seen", buttons.labels.seen];
}

/** Listener for reactions to a notification. Starts before the notification is shown and gets its id later. */
export interface Listener {
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
    react(message.member, detail, buttons);
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

function react(member: string | undefined, detail: unknown, buttons: NotificationButtons): void {
  const answer = member === "ActionInvoked" ? buttons.answers?.find(({ token }) => token === detail) : undefined;
  if (answer) buttons.onAnswer?.(answer.token);
  const reaction = answer ? undefined : reactionTo(member, detail);
  if (reaction) buttons.onReaction(reaction);
}

function reactionTo(member: string | undefined, detail: unknown): "focus" | "seen" | "closed" | undefined {
  if (member === "NotificationClosed") return detail === closedByProgram ? undefined : "closed";
  if (member !== "ActionInvoked") return undefined;
  return detail === "default" ? "focus" : detail === "seen" ? "seen" : undefined;
}
