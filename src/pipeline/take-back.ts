import { type Concern, isOpen, isPast, type Told } from "../attention/alert.ts";
import { groupKey, threadAt, threadKey } from "../attention/thread-key.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { Ending } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { crashPoint } from "../files/crash-point.ts";
import { change } from "../follow-up/change.ts";
import { identityOf } from "../journal/journal-line.ts";
import { isDue } from "../spool/entry.ts";
import { concernsTold } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import type { OutgoingEvent } from "./outgoing.ts";
import { waitMs } from "./schedule.ts";

/** A message that is to change, since something that it tells of is past. */
interface Outdated {
  readonly notifier: string;
  readonly group: string;
}

/** How long it is tried to change a message; a day. */
const maxTryingMs = 24 * 3_600_000;

/** The messages that tell of something that is past, each once, as far as it is time to try to change them. */
export function outdatedMessages({ alerts, backlog, ports }: Pick<RunContext, "alerts" | "backlog" | "ports">) {
  const nowMs = ports.clock.now();
  const past = alerts.all().flatMap(({ concerns }) => concerns.flatMap(pastMessages));
  const due = past.filter(
    ({ notifier, dueAtMs, failedAtMs }) =>
      isDue(dueAtMs, nowMs) || (failedAtMs !== undefined && backlog.worksAgain(notifier, failedAtMs, nowMs)),
  );
  return [...new Map(due.map(({ notifier, group }) => [threadAt(notifier, group), { notifier, group }])).values()];
}

/** The messages that tell of a concern although it is over, or has moved to a newer one. */
export function pastMessages(
  concern: Concern,
): (Outdated & { readonly dueAtMs: number; readonly failedAtMs: number | undefined })[] {
  return Object.entries(concern.told).flatMap(([notifier, told]) =>
    told
      .filter((one) => isPast(concern, one))
      .map(({ group, dueAtMs = 0, failedAtMs }) => ({ notifier, group, dueAtMs, failedAtMs })),
  );
}

/**
 * Takes a message back, or marks it as done, where all is past that it tells of; else it is changed to tell of the
 * rest. A failure that may pass is tried again. Never throws.
 */
export async function takeBack({ notifier, group }: Outdated, context: RunContext): Promise<void> {
  const key = concernsTold(notifier, group, context)[0]?.event;
  if (!key) return;
  await context.threads.take(threadAt(notifier, threadKey(key)), () => takeBackNow({ notifier, group }, context));
}

async function takeBackNow({ notifier, group }: Outdated, context: RunContext): Promise<void> {
  const concerns = concernsTold(notifier, group, context);
  const toldOf = (one: Concern) => one.told[notifier]?.find((told) => told.group === group);
  const isOver = (one: Concern) => isPast(one, toldOf(one) ?? {});
  const [over, rest] = [concerns.filter(isOver), concerns.filter((one) => !isOver(one))];
  const last = over.at(-1);
  const told = last && toldOf(last);
  if (!last || !told) return; // another message took its place meanwhile
  const configured = context.config.notifiers.get(notifier);
  const verb = rest.length > 0 ? "update" : "withdraw";
  const { receipt } = told;
  if (!receipt || !configured?.notifier[verb] || !isTakenBack(configured, context)) {
    forget(over, { notifier, group }, context);
    return;
  }
  const isMoved = over.some(isOpen);
  const outgoing = {
    ...outgoingOf(rest.length > 0 ? rest : [last], configured, concerns, group),
    ...{ receipt, isMoved, over: over.flatMap(endingOf) },
  };
  const { failure, note, receipt: next } = await change(verb, outgoing, context);
  crashPoint("alert:changed");
  const nowMs = context.ports.clock.now();
  const sinceMs = last.resolvedAtMs ?? told.movedAtMs ?? nowMs;
  if (failure?.isTransient === true && nowMs - sinceMs < maxTryingMs) {
    const attempts = (told.attempts ?? 0) + 1;
    const dueAtMs = nowMs + waitMs(attempts, context.config.delivery, failure.retryAfterMs);
    mark(over, { notifier, group }, (one) => ({ ...one, attempts, dueAtMs, failedAtMs: nowMs }), context);
    return;
  }
  const why = isMoved ? "a newer message took its place" : undefined;
  const remarks = [why, note].filter(Boolean).join("; ") || undefined;
  const reason = failure ? `it could not be changed: ${failure.reason}: ${failure.message}` : remarks;
  const status = failure ? "skipped" : verb === "update" ? "updated" : "withdrawn";
  for (const { event } of over) {
    context.journal.write({ ...identityOf(event), notifier, status, ...omitUndefined({ reason }) });
  }
  if (next) mark(rest, { notifier, group }, (one) => ({ ...one, receipt: { ...next } }), context);
  forget(over, { notifier, group }, context);
}

/** Whether messages are changed later: if the person wants it, or if it is another beckon that is told what is over. */
export function isTakenBack({ notifier }: ConfiguredNotifier, { config }: Pick<RunContext, "config">): boolean {
  return config.attention.withdraw || notifier.relays === true;
}

function endingOf({ id, state, resolvedAtMs, resolvedBy = "" }: Concern): Ending[] {
  return state === "resolved" && resolvedAtMs !== undefined ? [{ id, atMs: resolvedAtMs, by: resolvedBy }] : [];
}

/** Forgets a message, so that it is not changed any more. */
export function forgetMessage({ notifier, group }: Outdated, context: RunContext): void {
  forget(concernsTold(notifier, group, context), { notifier, group }, context);
}

/** A message that stands, as it is to read now: what it shows, of all that it tells of. */
export function outgoingOf(
  shown: readonly Concern[],
  configured: ConfiguredNotifier,
  all: readonly Concern[],
  group: string,
): OutgoingEvent {
  const [first, ...others] = shown.map(({ event, facts }) => ({ event, facts }));
  if (!first) throw new Error("a message tells of something");
  const isShared = new Set(all.map(({ event }) => threadKey(event))).size > 1;
  const thread = { key: isShared ? groupKey(group) : threadKey(first.event) };
  return { configured, ...first, ...(others.length > 0 && { others }), thread };
}

/** The concerns without the message. */
function forget(concerns: readonly Concern[], message: Outdated, context: RunContext): void {
  mark(concerns, message, () => undefined, context);
}

function mark(
  concerns: readonly Concern[],
  { notifier, group }: Outdated,
  changeOne: (told: Told) => Told | undefined,
  { alerts }: RunContext,
): void {
  const ids = new Set(concerns.map(({ id }) => id));
  const changed = (told: readonly Told[] = []) =>
    told.flatMap((one) => (one.group === group ? (changeOne(one) ?? []) : one));
  for (const key of new Set(concerns.map(({ event }) => threadKey(event)))) {
    const alert = alerts.get(key);
    if (!alert) continue;
    const marked = alert.concerns.map((one) =>
      ids.has(one.id) ? { ...one, told: { ...one.told, [notifier]: changed(one.told[notifier]) } } : one,
    );
    alerts.put({ ...alert, concerns: marked });
  }
}
