import { isDeepStrictEqual } from "node:util";
import type { AgentEvent } from "../core/event.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Kind } from "../core/vocabulary.ts";
import { crashPoint } from "../files/crash-point.ts";
import { type Concern, isOpen, isPast, type Told } from "./alert.ts";
import type { Alerts } from "./alert-files.ts";
import { threadKey } from "./thread-key.ts";

/** A sent message: the notifier's name, and the message's own id. */
export interface MessageKey {
  readonly notifier: string;
  readonly group: string;
}

/** A message about something open, still visible at its receiver. */
export interface ActiveMessage extends MessageKey {
  readonly receipt: Receipt;
  /** Unix milliseconds. */
  readonly sentAtMs: number;
}

/** Finds a notifier's active messages, each once; only those that the receiver gave a receipt for. */
export function activeMessages(notifier: string, alerts: Alerts, kinds?: readonly Kind[]): ActiveMessage[] {
  const open = alerts.all().flatMap(({ concerns }) => concerns.filter(isOpen));
  const meant = open.filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  const sent = meant.flatMap((concern) => (concern.told[notifier] ?? []).filter((one) => !isPast(concern, one)));
  return [...new Map(sent.map((one) => [one.group, one])).values()].flatMap(({ group, atMs, receipt }) =>
    receipt ? [{ notifier, group, receipt, sentAtMs: atMs }] : [],
  );
}

/** Finds all concerns that a message is about. */
export function concernsIn({ notifier, group }: MessageKey, alerts: Alerts): Concern[] {
  const hasIt = ({ told }: Concern) => told[notifier]?.some((one) => one.group === group) ?? false;
  return alerts.toldIn(notifier, group).flatMap(({ concerns }) => concerns.filter(hasIt));
}

/** Finds a concern's own note of a message. */
export function noteOf({ told }: Pick<Concern, "told">, { notifier, group }: MessageKey): Told | undefined {
  return told[notifier]?.find((one) => one.group === group);
}

/** Tells if concerns belong to several sessions. */
export function areShared(concerns: readonly Pick<Concern, "event">[]): boolean {
  return new Set(concerns.map(({ event }) => threadKey(event))).size > 1;
}

/** Finds the receipt of a session's newest message at a notifier; undefined if that is about other sessions too. */
export function previousReceipt(event: AgentEvent, notifier: string, alerts: Alerts): Receipt | undefined {
  const sent = alerts.get(threadKey(event))?.concerns.flatMap(({ told }) => told[notifier] ?? []) ?? [];
  const [last] = sent
    .filter(({ receipt, movedAtMs }) => receipt !== undefined && movedAtMs === undefined)
    .sort((a, b) => b.atMs - a.atMs);
  if (!last) return undefined;
  return areShared([{ event }, ...concernsIn({ notifier, group: last.group }, alerts)]) ? undefined : last.receipt;
}

/** A message that was just sent. */
export interface NewMessage extends MessageKey {
  readonly receipt: Receipt | undefined;
  /** Receipt of the session's earlier message whose place it took on the receiver's screen. */
  readonly replaced: Receipt | undefined;
  /** Unix milliseconds. */
  readonly sentAtMs: number;
}

/**
 * Records a message about some events. It takes the place of their sessions' earlier messages, and stands for all that
 * is still open in those. Earlier messages that it did not replace on the screen are to be withdrawn.
 */
export function recordMessage(events: readonly AgentEvent[], message: NewMessage, alerts: Alerts): void {
  const { notifier, group, receipt, replaced, sentAtMs } = message;
  const note: Told = { group, atMs: sentAtMs, ...omitUndefined({ receipt: receipt && { ...receipt } }) };
  const ids = new Set(events.map(({ id }) => id));
  const wasReplaced = (one: Told) =>
    one.group === group || (replaced !== undefined && isDeepStrictEqual(one.receipt, { ...replaced }));
  const record = (concern: Concern): Concern => {
    const { [notifier]: all = [], ...others } = concern.told;
    if (!ids.has(concern.id) && all.length === 0) return concern;
    const earlier = all.filter((one) => !wasReplaced(one));
    const left = isOpen(concern)
      ? earlier.filter((one) => one.receipt).map((one) => ({ ...one, movedAtMs: one.movedAtMs ?? sentAtMs }))
      : earlier;
    const isMeant = ids.has(concern.id) || isOpen(concern);
    const notes = [...left, ...(isMeant ? [note] : [])];
    const state = isMeant && concern.state === "pending" ? "ringing" : concern.state;
    return { ...concern, state, told: notes.length === 0 ? others : { ...others, [notifier]: notes } };
  };
  for (const key of new Set(events.map(threadKey))) {
    const alert = alerts.get(key);
    if (alert) alerts.put({ ...alert, concerns: alert.concerns.map(record) });
  }
  crashPoint("alert:told");
}

/** Changes some concerns' notes of a message; where `change` returns undefined, the note is removed. */
export function changeNotes(
  concerns: readonly Concern[],
  { notifier, group }: MessageKey,
  change: (note: Told) => Told | undefined,
  alerts: Alerts,
): void {
  const ids = new Set(concerns.map(({ id }) => id));
  const changed = (notes: readonly Told[] = []) =>
    notes.flatMap((one) => (one.group === group ? (change(one) ?? []) : one));
  for (const key of new Set(concerns.map(({ event }) => threadKey(event)))) {
    const alert = alerts.get(key);
    if (!alert) continue;
    const next = alert.concerns.map((one) =>
      ids.has(one.id) ? { ...one, told: { ...one.told, [notifier]: changed(one.told[notifier]) } } : one,
    );
    alerts.put({ ...alert, concerns: next });
  }
}

/** Forgets a message, so that it is never changed again. */
export function forgetMessage(message: MessageKey, alerts: Alerts): void {
  changeNotes(concernsIn(message, alerts), message, () => undefined, alerts);
}
