import { isStale } from "../attention/alert.ts";
import {
  type ActiveMessage,
  activeMessages,
  areShared,
  findConcerns,
  findMessage,
  type MessageKey,
} from "../attention/messages.ts";
import { groupKey, notifierThreadKey } from "../attention/session-keys.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { markSeen, withOpenRequests } from "../pipeline/alerts.ts";
import { describeFailure } from "../pipeline/attempt.ts";
import type { RunContext } from "../pipeline/context.ts";
import { buildOutgoing } from "../pipeline/run-state.ts";
import { resolveNotifierSettings, withinBudget } from "../pipeline/within-budget.ts";
import { isDue } from "../spool/entry.ts";
import { afterOtherChanges, change } from "./withdraw.ts";

/** Poll that is due, with the notifier to poll and its active messages. */
interface Question {
  readonly configured: ConfiguredNotifier;
  readonly active: readonly ActiveMessage[];
}

type Settings = Awaited<ReturnType<typeof resolveNotifierSettings>>;

/** Longest pause after failed polls, as a multiple of the notifier's polling interval. */
const maxPauseFactor = 32;

/** Polls receivers for messages that somebody marked as seen. Used for receivers that cannot call the worker. */
export class Reactions {
  /** Time of each notifier's next poll, Unix milliseconds, and its number of failed polls in a row, by name. */
  readonly #next = new Map<string, { readonly atMs: number; readonly failures: number }>();
  /**
   * Resolved settings of each notifier. They are kept until a poll fails or the configuration changes, because
   * resolving them may run a program.
   */
  readonly #settings = new WeakMap<ConfiguredNotifier, Settings>();

  /** Lists the notifiers that are due for a poll. */
  due(context: RunContext): readonly Question[] {
    const nowMs = context.ports.clock.now();
    const ready = [...context.config.notifiers.values()].filter(
      ({ name, notifier }) =>
        notifier.lifecycle?.reactions &&
        nowMs >= (this.#next.get(name)?.atMs ?? 0) &&
        !context.answers?.isReading(name),
    );
    const questions = ready.map((configured) => ({
      configured,
      active: activeMessages(configured.name, context.alerts),
    }));
    return questions.filter(({ active }) => active.length > 0);
  }

  /**
   * Polls a notifier's receiver, and resolves the concerns of each message that was marked as seen. Of several failures
   * in a row, only the first is journalled. Each failure doubles the polling interval, up to 32 times the normal
   * interval.
   * @returns true if anybody marked a message as seen
   */
  async ask({ configured, active }: Question, context: RunContext): Promise<boolean> {
    const { name, notifier } = configured;
    try {
      const seen = await this.#findSeen({ configured, active }, context);
      markSeen(active, seen, context);
      this.#wait(configured, 0, context);
      return seen.length > 0;
    } catch (error) {
      this.#settings.delete(configured);
      const failures = (this.#next.get(name)?.failures ?? 0) + 1;
      this.#wait(configured, failures, context);
      const { reason, message } = describeFailure(error, notifier);
      const said = `pressed buttons cannot be read: ${reason}: ${message}`;
      const isReplaced = context.answers?.isReading(name) === true; // its first read ended this one
      if (failures === 1 && !isReplaced)
        context.journal.write({ id: `buttons-${name}`, notifier: name, status: "skipped", reason: said });
      return false;
    }
  }

  async #findSeen({ configured, active }: Question, context: RunContext): Promise<readonly Receipt[]> {
    const { reactions } = configured.notifier.lifecycle ?? {};
    const settings = await this.#resolveSettings(configured, context);
    if (!reactions || reactions.isOn?.(settings) === false) return [];
    const call = { settings, ports: context.ports, active: active.map(({ receipt }) => receipt) };
    const find = (signal: AbortSignal) => reactions.find({ ...call, signal });
    return withinBudget(configured.notifier.budgetMs, context.ports.clock, find);
  }

  async #resolveSettings(configured: ConfiguredNotifier, { ports, keepSecret }: RunContext): Promise<Settings> {
    const known = this.#settings.get(configured);
    if (known) return known;
    const settings = await resolveNotifierSettings(configured, ports.exec, keepSecret);
    this.#settings.set(configured, settings);
    return settings;
  }

  #wait({ name, notifier }: ConfiguredNotifier, failures: number, { ports }: RunContext): void {
    const pauseMs = (notifier.lifecycle?.reactions?.everyMs ?? 0) * Math.min(2 ** failures, maxPauseFactor);
    this.#next.set(name, { atMs: ports.clock.now() + pauseMs, failures });
  }
}

/**
 * Repeats messages to receivers that would otherwise treat the messages as resolved. The times of repeats are not
 * stored. A new worker therefore counts from the time of sending, and repeats overdue messages at once.
 */
export class Repeats {
  /** Time of each message's last repeat, Unix milliseconds, and its number of failed repeats in a row. */
  readonly #last = new Map<string, { readonly atMs: number; readonly failures: number }>();

  /** Lists all messages that must be repeated, each with the time of its next repeat. */
  active({ alerts, config }: RunContext): (MessageKey & { readonly dueAtMs: number })[] {
    return [...config.notifiers.values()].flatMap(({ name, notifier }) => {
      const repeats = notifier.lifecycle?.repeats;
      if (!repeats) return [];
      return activeMessages(name, alerts, repeats.kinds).map(({ group, sentAtMs }) => {
        const lastAtMs = this.#last.get(notifierThreadKey(name, group))?.atMs ?? sentAtMs;
        return { notifier: name, group, dueAtMs: lastAtMs + repeats.everyMs };
      });
    });
  }

  /** Lists the messages to repeat now. Forgets the earlier repeats of messages that are no longer active. */
  due(context: RunContext): MessageKey[] {
    const nowMs = context.ports.clock.now();
    const active = this.active(context);
    const known = new Set(active.map(({ notifier, group }) => notifierThreadKey(notifier, group)));
    for (const key of this.#last.keys()) if (!known.has(key)) this.#last.delete(key);
    return active.filter(({ dueAtMs }) => isDue(dueAtMs, nowMs)).map(({ notifier, group }) => ({ notifier, group }));
  }

  /**
   * Waits until other changes to the same session's messages are done, then repeats a message if it is still active. Of
   * several failures in a row, only the first is journalled. Never throws.
   */
  async repeat(message: MessageKey, context: RunContext): Promise<void> {
    await afterOtherChanges(message, context, () => this.#repeatNow(message, context));
  }

  async #repeatNow(message: MessageKey, context: RunContext): Promise<void> {
    const { notifier, group } = message;
    const configured = context.config.notifiers.get(notifier);
    const all = findConcerns(message, context.alerts);
    const [first, ...others] = all.filter((concern) => !isStale(concern, findMessage(concern, message) ?? {}));
    const newest = others.at(-1) ?? first;
    const receipt = newest && findMessage(newest, message)?.receipt;
    if (!configured || !first || !newest || !receipt) return;
    const outgoing = areShared(all)
      ? buildOutgoing(configured, [first, ...others], { key: groupKey(group) })
      : buildOutgoing(configured, [{ ...newest, event: withOpenRequests(newest.event, context) }]);
    const { failure } = await change("repeat", { ...outgoing, receipt }, context);
    const key = notifierThreadKey(notifier, group);
    const failures = failure ? (this.#last.get(key)?.failures ?? 0) + 1 : 0;
    this.#last.set(key, { atMs: context.ports.clock.now(), failures });
    if (!failure || failures > 1) return;
    const reason = `it could not be repeated: ${failure.reason}: ${failure.message}`;
    context.journal.write({ ...identifyEvent(newest.event), notifier, status: "skipped", reason });
  }
}
