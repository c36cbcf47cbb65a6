import { isDeepStrictEqual } from "node:util";
import type { AgentEvent } from "../core/event.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Kind } from "../core/vocabulary.ts";
import { crashPoint } from "../files/crash-point.ts";
import { type Concern, isOpen, isStale, type SentMessage } from "./alert.ts";
import type { Alerts } from "./alert-files.ts";
import { threadKey } from "./session-keys.ts";

/** Key of a sent message: the notifier's name and the message's id. */
export interface MessageKey {
  readonly notifier: string;
  readonly group: string;
}

/** Message about an open concern that is still visible to the user, with the time when it was sent. */
export type ActiveMessage = ReturnType<typeof activeMessages>[number];

/** Lists a notifier's active messages that have a receipt. A message about several concerns is listed once. */
export function activeMessages(notifier: string, alerts: Alerts, kinds?: readonly Kind[]) {
  const open = alerts.all().flatMap(({ concerns }) => concerns.filter(isOpen));
  const matching = open.filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  const sent = matching.flatMap((concern) =>
    (concern.messages[notifier] ?? []).filter((message) => !isStale(concern, message)),
  );
  return [...new Map(sent.map((message) => [message.group, message])).values()].flatMap(({ group, atMs, receipt }) =>
    receipt ? [{ notifier, group, receipt, sentAtMs: atMs }] : [],
  );
}

/** Finds all concerns that a message is about. */
export function findConcerns(message: MessageKey, alerts: Alerts): Concern[] {
  return alerts.all().flatMap(({ concerns }) => concerns.filter((concern) => findMessage(concern, message)));
}

/** Finds a message among the messages about a concern. */
export function findMessage(
  { messages }: Pick<Concern, "messages">,
  { notifier, group }: MessageKey,
): SentMessage | undefined {
  return messages[notifier]?.find((sent) => sent.group === group);
}

/** True if the concerns belong to more than one session. */
export function areShared(concerns: readonly Pick<Concern, "event">[]): boolean {
  return new Set(concerns.map(({ event }) => threadKey(event))).size > 1;
}

/**
 * Finds the receipt of a notifier's newest message about a session; undefined if other sessions share the message.
 * @param isReplaceable false for a concern whose messages must stay
 */
export function previousReceipt(
  event: AgentEvent,
  notifier: string,
  alerts: Alerts,
  isReplaceable: (id: string) => boolean = () => true,
): Receipt | undefined {
  const concerns = alerts.get(threadKey(event))?.concerns.filter(({ id }) => isReplaceable(id)) ?? [];
  const sent = concerns.flatMap(({ messages }) => messages[notifier] ?? []);
  const [last] = sent
    .filter(({ receipt, supersededAtMs }) => receipt !== undefined && supersededAtMs === undefined)
    .sort((a, b) => b.atMs - a.atMs);
  if (!last) return undefined;
  return areShared([{ event }, ...findConcerns({ notifier, group: last.group }, alerts)]) ? undefined : last.receipt;
}

/** Message that was just sent. */
export interface NewMessage extends MessageKey {
  readonly receipt: Receipt | undefined;
  /** Receipt of the session's earlier message, if the new message replaced it on the screen. */
  readonly replaced: Receipt | undefined;
  /** Time when the message was sent, Unix milliseconds. */
  readonly sentAtMs: number;
  /** True for a concern whose messages are about nothing else, because their buttons answer it. */
  isApart?(id: string): boolean;
}

/**
 * Records a sent message for the concerns of its events, and for the open concerns of the same sessions that the
 * notifier already has messages about. Marks those earlier messages for withdrawal.
 */
export function recordMessage(events: readonly AgentEvent[], message: NewMessage, alerts: Alerts): void {
  const { notifier, group, receipt, replaced, sentAtMs, isApart = () => false } = message;
  const added: SentMessage = { group, atMs: sentAtMs, ...omitUndefined({ receipt: receipt && { ...receipt } }) };
  const ids = new Set(events.map(({ id }) => id));
  const isOwn = events.some(({ id }) => isApart(id));
  const wasReplaced = (sent: SentMessage) =>
    sent.group === group || (replaced !== undefined && isDeepStrictEqual(sent.receipt, { ...replaced }));
  const record = (concern: Concern): Concern => {
    const { [notifier]: all = [], ...others } = concern.messages;
    if (!ids.has(concern.id) && (all.length === 0 || isOwn || isApart(concern.id))) return concern;
    const earlier = all.filter((sent) => !wasReplaced(sent));
    const left = isOpen(concern)
      ? earlier.filter(({ receipt }) => receipt).map((sent) => ({ supersededAtMs: sentAtMs, ...sent }))
      : earlier;
    const isMeant = ids.has(concern.id) || isOpen(concern);
    const next = [...left, ...(isMeant ? [added] : [])];
    const state = isMeant && concern.state === "pending" ? "ringing" : concern.state;
    return { ...concern, state, messages: next.length === 0 ? others : { ...others, [notifier]: next } };
  };
  replaceConcerns(events, record, alerts);
  crashPoint("alert:recorded");
}

/** Changes the record of a message in the given concerns. Removes the record if `change` returns undefined. */
export function changeMessages(
  concerns: readonly Concern[],
  { notifier, group }: MessageKey,
  change: (sent: SentMessage) => SentMessage | undefined,
  alerts: Alerts,
): void {
  const ids = new Set(concerns.map(({ id }) => id));
  const changed = (all: readonly SentMessage[] = []) =>
    all.flatMap((sent) => (sent.group === group ? (change(sent) ?? []) : sent));
  const withChanged = (concern: Concern): Concern => {
    const messages = { ...concern.messages, [notifier]: changed(concern.messages[notifier]) };
    return { ...concern, messages };
  };
  const events = concerns.map(({ event }) => event);
  replaceConcerns(events, (concern) => (ids.has(concern.id) ? withChanged(concern) : concern), alerts);
}

/** Replaces the concerns of the events' sessions by the results of `replace`. */
function replaceConcerns(events: readonly AgentEvent[], replace: (concern: Concern) => Concern, alerts: Alerts): void {
  for (const key of new Set(events.map(threadKey))) {
    const alert = alerts.get(key);
    if (alert) alerts.put({ ...alert, concerns: alert.concerns.map(replace) });
  }
}

/** Removes a message from all concerns, so that it is never changed again. */
export function forgetMessage(message: MessageKey, alerts: Alerts): void {
  changeMessages(findConcerns(message, alerts), message, () => undefined, alerts);
}
