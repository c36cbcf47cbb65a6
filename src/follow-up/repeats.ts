import { isStale } from "../attention/alert.ts";
import { activeMessages, areShared, findConcerns, findMessage, type MessageKey } from "../attention/messages.ts";
import { groupKey, notifierThreadKey, threadKey } from "../attention/thread-key.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { withOpenRequests } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { buildOutgoing } from "../pipeline/run-state.ts";
import { isDue } from "../spool/entry.ts";
import { change } from "./change.ts";

/** Time of a message's last repeat, and the number of failed repeats in a row. */
interface LastRepeat {
  readonly atMs: number;
  readonly failures: number;
}

/**
 * Repeats messages to receivers that would otherwise treat the messages as resolved. The times of repeats are not
 * stored. A new worker therefore counts from the time of sending, and repeats overdue messages at once.
 */
export class Repeats {
  readonly #last = new Map<string, LastRepeat>();

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
    const [first] = findConcerns(message, context.alerts);
    if (!first) return;
    const thread = notifierThreadKey(message.notifier, threadKey(first.event));
    await context.threads.run(thread, () => this.#repeatNow(message, context));
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
