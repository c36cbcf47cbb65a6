import { type Alert, changeOpen, isOpen, resolved, sessionMemoryMs } from "../attention/alert.ts";
import { isSampleSession } from "../core/vocabulary.ts";
import { changeAlert } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { endSample, isShownSample } from "./end-sample.ts";
import { isObserved, isWorthStaying, observe } from "./observe.ts";
import { Reactions } from "./reactions.ts";
import { Repeats } from "./repeats.ts";
import { dueStaleMessages, staleMessages, withdraw } from "./withdraw.ts";

/** Keeps alerts true between events: looks whether the person has reacted, and takes back what is over. */
export class AlertKeeper {
  readonly #observing = new Set<string>();
  readonly #changing = new Set<string>();
  readonly #asking = new Set<string>();
  readonly #repeating = new Set<string>();
  readonly #reactions = new Reactions();
  readonly #repeats = new Repeats();

  /**
   * Whether the worker is to stay for it: for a sign that comes without an event, for a click on the desktop, to repeat
   * a message, or until one is taken back.
   */
  isNeeded(context: RunContext): boolean {
    const nowMs = context.ports.clock.now();
    const isNeededBy = (alert: Alert) =>
      isWorthStaying(alert, nowMs, context) || isToBeWithdrawn(alert) || isShownSample(alert, context);
    const isNeededNow = this.busy || context.ports.desktop.isListening() || context.alerts.all().some(isNeededBy);
    return isNeededNow || this.#repeats.standing(context).length > 0;
  }

  /** Whether a message is being changed. */
  get busy(): boolean {
    return this.#changing.size > 0;
  }

  /** Begins to look for signs that the person has reacted. `onChanged` is called whenever one was found. */
  observe(context: RunContext, onChanged: () => void): void {
    const nowMs = context.ports.clock.now();
    for (const alert of context.alerts.all().filter((one) => isObserved(one, nowMs, context))) {
      begin(this.#observing, alert.key, () => observe(alert, context), onChanged);
    }
  }

  /** Begins to ask receivers for buttons that were pressed there. `onChanged` is called whenever one was. */
  askForReactions(context: RunContext, onChanged: () => void): void {
    for (const question of this.#reactions.due(context)) {
      begin(this.#asking, question.configured.name, () => this.#reactions.ask(question, context), onChanged);
    }
  }

  /** Begins to repeat messages at receivers that take what they are not told again for over. */
  repeat(context: RunContext): void {
    for (const message of this.#repeats.due(context)) {
      const act = async () => this.#repeats.repeat(message, context).then(() => false);
      begin(this.#repeating, JSON.stringify(message), act, () => {});
    }
  }

  /** Forgets what is old, and begins to take back what is over. `onDone` is called whenever a message has changed. */
  withdrawStale(context: RunContext, onDone: () => void): void {
    const nowMs = context.ports.clock.now();
    for (const alert of context.alerts.all()) {
      if (isSampleSession(alert.sessionId)) endSample(alert, isToBeWithdrawn(alert), context);
      else forgetIfOld(alert, nowMs, context);
    }
    for (const stale of dueStaleMessages(context)) {
      const act = async () => withdraw(stale, context).then(() => true);
      begin(this.#changing, JSON.stringify(stale), act, onDone);
    }
  }
}

/** Begins something unless it is under way already; `onChanged` is called where it has changed anything. */
function begin(underWay: Set<string>, key: string, act: () => Promise<boolean>, onChanged: () => void): void {
  if (underWay.has(key)) return;
  underWay.add(key);
  const end = (hasChanged: boolean): void => {
    underWay.delete(key);
    if (hasChanged) onChanged();
  };
  act().then(end, () => end(false)); // it is looked at again the next time
}

/** Ends what is open in a session of which nothing was heard for a day, and forgets it once no message tells of it. */
function forgetIfOld(alert: Alert, nowMs: number, context: RunContext): void {
  if (Math.abs(nowMs - alert.lastAtMs) <= sessionMemoryMs) return;
  if (alert.concerns.some(isOpen))
    changeAlert(
      changeOpen(alert, (one) => resolved(one, "forgotten", nowMs)),
      context,
    );
  else if (!isToBeWithdrawn(alert)) context.alerts.remove(alert.key);
}

/** Whether a message tells of something that is over, or has moved. */
function isToBeWithdrawn({ concerns }: Alert): boolean {
  return concerns.some((one) => staleMessages(one).length > 0);
}
