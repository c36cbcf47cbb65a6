import { type Alert, changeOpen, isOpen, resolved } from "../attention/alert.ts";
import { isSampleSession, sessionMemoryMs } from "../core/vocabulary.ts";
import { changeAlert } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { endSample, isShownSample } from "./end-sample.ts";
import { ObservationRounds } from "./observation-rounds.ts";
import { isObserved, needsWorker, observe } from "./observe.ts";
import { Reactions } from "./reactions.ts";
import { Repeats } from "./repeats.ts";
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
    const isNeededBy = (alert: Alert) =>
      needsWorker(alert, nowMs, context) || isToBeWithdrawn(alert) || isShownSample(alert, context);
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
