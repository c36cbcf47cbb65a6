import { type Concern, isOpen, isPast } from "../attention/alert.ts";
import { threadAt, threadKey } from "../attention/thread-key.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { identityOf } from "../journal/journal-line.ts";
import { concernsTold, withOpenRequests } from "../pipeline/alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import type { OutgoingEvent } from "../pipeline/outgoing.ts";
import { outgoingOf } from "../pipeline/take-back.ts";
import { isDue } from "../spool/entry.ts";
import { change } from "./change.ts";

/** A message that is to be repeated for as long as what it tells of is open. */
interface Repeated {
  readonly notifier: string;
  readonly group: string;
}

/** When a message was repeated last, and how often in a row that has failed. */
interface Last {
  readonly atMs: number;
  readonly failures: number;
}

/**
 * Repeats messages at receivers that take what they are not told again for over. When each was repeated is not stored:
 * a worker that starts repeats at once what is due by the time at which it was sent.
 */
export class Repeats {
  readonly #last = new Map<string, Last>();

  /** All messages that are to be repeated now and then. */
  standing({ alerts, config }: RunContext): (Repeated & { readonly dueAtMs: number })[] {
    const repeating = [...config.notifiers.values()].filter(({ notifier }) => notifier.repeats);
    if (repeating.length === 0) return [];
    const open = alerts.all().flatMap(({ concerns }) => concerns.filter(isOpen));
    return repeating.flatMap(({ name, notifier: { repeats } }) => {
      const concerns = open.filter(({ kind }) => repeats?.kinds.includes(kind));
      const told = concerns.flatMap((one) => (one.told[name] ?? []).filter((message) => !isPast(one, message)));
      const byGroup = new Map(told.filter(({ receipt }) => receipt).map((one) => [one.group, one.atMs]));
      return [...byGroup].map(([group, sentAtMs]) => {
        const lastAtMs = this.#last.get(threadAt(name, group))?.atMs ?? sentAtMs;
        return { notifier: name, group, dueAtMs: lastAtMs + (repeats?.everyMs ?? 0) };
      });
    });
  }

  /** The messages that are to be repeated now. What stands no longer is forgotten. */
  due(context: RunContext): Repeated[] {
    const nowMs = context.ports.clock.now();
    const standing = this.standing(context);
    const known = new Set(standing.map(({ notifier, group }) => threadAt(notifier, group)));
    for (const key of this.#last.keys()) if (!known.has(key)) this.#last.delete(key);
    return standing.filter(({ dueAtMs }) => isDue(dueAtMs, nowMs)).map(({ notifier, group }) => ({ notifier, group }));
  }

  /** Repeats one, if it still stands when its turn comes. Of failures in a row, one is journalled. Never throws. */
  async repeat(message: Repeated, context: RunContext): Promise<void> {
    const { notifier, group } = message;
    const [first] = concernsTold(notifier, group, context);
    if (!first) return;
    await context.threads.take(threadAt(notifier, threadKey(first.event)), () => this.#repeatNow(message, context));
  }

  async #repeatNow({ notifier, group }: Repeated, context: RunContext): Promise<void> {
    const configured = context.config.notifiers.get(notifier);
    const all = concernsTold(notifier, group, context);
    const toldOf = (one: Concern) => one.told[notifier]?.find((told) => told.group === group);
    const open = all.filter((one) => !isPast(one, toldOf(one) ?? {}));
    const newest = open.at(-1);
    const receipt = newest && toldOf(newest)?.receipt;
    if (!configured || !newest || !receipt) return;
    const { failure } = await change("repeat", { ...shown(open, configured, all, group, context), receipt }, context);
    const key = threadAt(notifier, group);
    const failures = failure ? (this.#last.get(key)?.failures ?? 0) + 1 : 0;
    this.#last.set(key, { atMs: context.ports.clock.now(), failures });
    if (!failure || failures > 1) return;
    const reason = `it could not be repeated: ${failure.reason}: ${failure.message}`;
    context.journal.write({ ...identityOf(newest.event), notifier, status: "skipped", reason });
  }
}

/** What the message says now: of one session, as its newest request, which names the others. */
function shown(
  open: readonly Concern[],
  configured: ConfiguredNotifier,
  all: readonly Concern[],
  group: string,
  context: RunContext,
): OutgoingEvent {
  const outgoing = outgoingOf(open, configured, all, group);
  const newest = open.at(-1);
  const isShared = new Set(all.map(({ event }) => threadKey(event))).size > 1;
  if (!newest || isShared) return outgoing;
  const { thread } = outgoing;
  return {
    configured,
    event: withOpenRequests(newest.event, context),
    facts: newest.facts,
    ...omitUndefined({ thread }),
  };
}
