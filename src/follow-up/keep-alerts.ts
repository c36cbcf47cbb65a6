import { type Alert, changeOpen, isOpen, newestMessageAtMs, resolved } from "../attention/alert.ts";
import { isSampleSession, sessionMemoryMs } from "../attention/session-memory.ts";
import { changeAlert } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { canWithdraw, isObserved, needsWorker, observe } from "./observe.ts";
import { Reactions, Repeats } from "./reactions.ts";
import { findDueStale, staleMessages, withdraw } from "./withdraw.ts";

/** Keeps alerts up to date between events: detects what the user has done, and withdraws stale messages. */
export class AlertKeeper {
  readonly #observing = new Set<string>();
  readonly #changing = new Set<string>();
  readonly #asking = new Set<string>();
  readonly #repeating = new Set<string>();
  readonly #rounds = new ObservationRounds();
  readonly #reactions = new Reactions();
  readonly #repeats = new Repeats();

  /**
   * True if the worker must keep running to detect reactions, to wait for a click on the desktop, to repeat a message,
   * or to withdraw a message.
   */
  isNeeded(context: RunContext): boolean {
    const nowMs = context.ports.clock.now();
    const isShown = ({ concerns }: Alert) => concerns.some((concern) => canWithdraw(concern, context));
    const isNeededBy = (alert: Alert) =>
      needsWorker(alert, nowMs, context) || isToBeWithdrawn(alert) || (isOpenSample(alert) && isShown(alert));
    const isNeededNow = this.busy || context.ports.desktop.isListening() || context.alerts.all().some(isNeededBy);
    return isNeededNow || this.#repeats.active(context).length > 0;
  }

  /** True while a message is being changed. */
  get busy(): boolean {
    return this.#changing.size > 0;
  }

  /** Looks in the background for signs that the user has reacted. Calls `onChanged` for each session with a sign. */
  observe(context: RunContext, onChanged: () => void): void {
    const nowMs = context.ports.clock.now();
    if (!this.#rounds.isDue(nowMs)) return;
    const observed = context.alerts.all().filter((known) => isObserved(known, nowMs, context));
    for (const alert of this.#rounds.begin(observed, nowMs)) {
      startOnce(this.#observing, alert.key, () => observe(alert, context), onChanged);
    }
  }

  /**
   * Asks receivers in the background for pressed buttons. Calls `onChanged` for each notifier with a pressed button.
   */
  askForReactions(context: RunContext, onChanged: () => void): void {
    for (const question of this.#reactions.due(context)) {
      startOnce(this.#asking, question.configured.name, () => this.#reactions.ask(question, context), onChanged);
    }
  }

  /** Repeats messages in the background, at receivers that would otherwise treat the messages as resolved. */
  repeat(context: RunContext): void {
    for (const message of this.#repeats.due(context)) {
      const act = async () => this.#repeats.repeat(message, context).then(() => false);
      startOnce(this.#repeating, JSON.stringify(message), act, () => {});
    }
  }

  /** Forgets old sessions. Withdraws stale messages in the background, and calls `onDone` after each. */
  withdrawStale(context: RunContext, onDone: () => void): void {
    const nowMs = context.ports.clock.now();
    for (const alert of context.alerts.all()) {
      if (isSampleSession(alert.sessionId)) endSample(alert, isToBeWithdrawn(alert), context);
      else forgetIfOld(alert, nowMs, context);
    }
    for (const stale of findDueStale(context)) {
      const act = async () => withdraw(stale, context).then(() => true);
      startOnce(this.#changing, JSON.stringify(stale), act, onDone);
    }
  }
}

/** Starts an action unless the same action is still running. Calls `onChanged` if the action resolves to true. */
function startOnce(inProgress: Set<string>, key: string, act: () => Promise<boolean>, onChanged: () => void): void {
  if (inProgress.has(key)) return;
  inProgress.add(key);
  const end = (hasChanged: boolean): void => {
    inProgress.delete(key);
    if (hasChanged) onChanged();
  };
  act().then(end, () => end(false)); // the next poll tries again
}

/**
 * Resolves the open concerns of a session that had no event for a day. On a later call, forgets the session once it has
 * no message to withdraw.
 */
function forgetIfOld(alert: Alert, nowMs: number, context: RunContext): void {
  if (Math.abs(nowMs - alert.lastAtMs) <= sessionMemoryMs) return;
  if (alert.concerns.some(isOpen))
    changeAlert(
      changeOpen(alert, (concern) => resolved(concern, "forgotten", nowMs)),
      context,
    );
  else if (!isToBeWithdrawn(alert)) context.alerts.remove(alert.key);
}

/** True if an alert has a message to withdraw, because its concern is resolved or a newer message replaces it. */
function isToBeWithdrawn({ concerns }: Alert): boolean {
  return concerns.some((concern) => staleMessages(concern).length > 0);
}

/** Largest number of sessions in a round. */
export const maxPerRound = 40;
/** Shortest time between two rounds if there are more sessions than fit into one, milliseconds. */
export const roundMs = 3_000;
/** Number of sessions with the newest events that are part of every round. */
const newestPerRound = 20;

/**
 * Chooses the sessions to observe in each round. A round has all sessions if there are at most 40. Otherwise it has the
 * 20 newest sessions, and 20 of the others, which take turns; the next round begins three seconds later, because
 * observing a thousand sessions twice a second would take a tenth of a CPU core. With a thousand sessions, each of the
 * others is observed every 150 s.
 */
export class ObservationRounds {
  #round = 0;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  /** Number of the last round that each session was part of, by the key of its alert. */
  #lastRounds = new Map<string, number>();

  /** Tells if the next round may begin. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.#nextAtMs;
  }

  /** Begins a round. Returns its alerts: the newest, and of the others those that have waited longest. */
  begin(alerts: readonly Alert[], nowMs: number): readonly Alert[] {
    this.#round += 1;
    this.#lastRounds = new Map(alerts.map(({ key }) => [key, this.#lastRounds.get(key) ?? 0]));
    const byAge = alerts.toSorted((a, b) => b.lastAtMs - a.lastAtMs);
    const lastRound = ({ key }: Alert): number => this.#lastRounds.get(key) ?? 0;
    const others = byAge.slice(newestPerRound).sort((a, b) => lastRound(a) - lastRound(b));
    const chosen = [...byAge.slice(0, newestPerRound), ...others.slice(0, maxPerRound - newestPerRound)];
    for (const { key } of chosen) this.#lastRounds.set(key, this.#round);
    this.#nextAtMs = chosen.length < alerts.length ? nowMs + roundMs : nowMs;
    return chosen;
  }
}

/** Time from a sample event, or from its newest message if that is later, until its messages are withdrawn: 10 s. */
const messageLifetimeMs = 10_000;
/** Minimum time that a sample's alert is kept, because its messages may be late: one minute. */
const alertLifetimeMs = 60_000;

/**
 * Resolves a sample event ten seconds after its newest message, or one minute after the event if no message was sent.
 * Forgets the sample later. Journals nothing.
 * @param isPending true while a message about the sample still has to be withdrawn
 */
function endSample(alert: Alert, isPending: boolean, { alerts, ports }: Pick<RunContext, "alerts" | "ports">) {
  const nowMs = ports.clock.now();
  const hasPassed = (sinceMs: number, ms: number): boolean => Math.abs(nowMs - sinceMs) >= ms;
  if (isOpenSample(alert)) {
    const sentAtMs = newestMessageAtMs(alert);
    const isEnded =
      sentAtMs > 0
        ? hasPassed(Math.max(alert.lastAtMs, sentAtMs), messageLifetimeMs)
        : hasPassed(alert.lastAtMs, alertLifetimeMs);
    if (isEnded) alerts.put(changeOpen(alert, (concern) => resolved(concern, "sample", nowMs)));
  } else if (hasPassed(alert.lastAtMs, alertLifetimeMs) && !isPending) alerts.remove(alert.key);
}

function isOpenSample({ sessionId, concerns }: Alert): boolean {
  return isSampleSession(sessionId) && concerns.some(isOpen);
}
