import { isDeepStrictEqual } from "node:util";
import { type Alert, type Concern, changeOpen, isOpen, type Told } from "../attention/alert.ts";
import { noteEvent } from "../attention/note-event.ts";
import { noteStates } from "../attention/note-states.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { promptEvent, seenEvent } from "../core/vocabulary.ts";
import { crashPoint } from "../files/crash-point.ts";
import { findProcess } from "../files/process-table.ts";
import { identityOf } from "../journal/journal-line.ts";
import type { RunContext } from "./context.ts";

type AlertContext = Pick<RunContext, "alerts" | "earlyEnds" | "journal" | "ports">;

/** Notes an event in its session's alert, and journals what it resolves. Returns the alert. */
export function noteInAlert(event: AgentEvent, facts: FoundFacts, context: AlertContext): Alert | undefined {
  if (event.event === seenEvent) return noteSeen(event, facts, context);
  const known = context.alerts.get(threadKey(event));
  if (event.skip !== undefined) return known;
  const agentProcess = event.processes?.at(-1);
  const startTicks = agentProcess === undefined ? undefined : findProcess(agentProcess)?.startTicks;
  const noted = noteEvent(known, event, facts, context.ports.clock.now(), startTicks);
  const end = event.isRelayed ? context.earlyEnds.of(event.host ?? "", event.id) : undefined;
  const current = end ? noteStates(noted, [end]) : noted;
  changeAlert(current, context, end === undefined);
  if (end) context.earlyEnds.forget(end);
  crashPoint("alert:noted");
  return current;
}

/** Notes that a prompt may answer the session's open requests: they wait until that is certain. */
export function noteLikelyAnswer(event: AgentEvent, { alerts }: Pick<RunContext, "alerts">): undefined {
  const alert = alerts.get(threadKey(event));
  const { atMs } = event;
  if (!alert || event.event !== promptEvent || event.skip !== undefined) return;
  const isAsked = (concern: Concern) => concern.kind === "needs-you" && concern.atMs <= atMs;
  alerts.note(changeOpen(alert, (concern) => (isAsked(concern) ? { ...concern, likelyAnsweredAtMs: atMs } : concern)));
}

/**
 * What the person has seen is over, whatever the machine's name was for the worker that raised it: whether one is
 * elsewhere a worker can only tell by the environment it was started in. A session of which nothing is known stays
 * unknown.
 */
function noteSeen(event: AgentEvent, facts: FoundFacts, context: AlertContext): undefined {
  const { host: _, ...session } = event;
  for (const alert of context.alerts.all()) {
    const isIt = threadKey({ ...session, ...omitUndefined({ host: alert.host }) }) === alert.key;
    if (isIt) changeAlert(noteEvent(alert, event, facts, context.ports.clock.now()), context);
  }
}

/**
 * Keeps an alert that has changed, and journals which of its concerns are over now.
 * @param mayWait whether it need not be written before the event is settled that changed it, unless the journal has
 *   something of it that it must not have twice
 */
export function changeAlert(
  alert: Alert,
  { alerts, journal }: Pick<AlertContext, "alerts" | "journal">,
  mayWait = false,
): void {
  const before = alerts.get(alert.key)?.concerns ?? [];
  const wasOpen = new Set(before.filter(isOpen).map(({ id }) => id));
  const over = alert.concerns.filter((concern) => !isOpen(concern) && wasOpen.has(concern.id));
  for (const concern of over) writeEnd(concern, journal);
  if (mayWait && over.length === 0) alerts.note(alert);
  else alerts.put(alert);
}

function writeEnd({ event, atMs, resolvedAtMs = atMs, resolvedBy }: Concern, journal: RunContext["journal"]): void {
  const waitedMs = Math.max(0, Math.round(resolvedAtMs - atMs));
  journal.write({ ...identityOf(event), status: "resolved", ...omitUndefined({ resolvedBy }), waitedMs });
}

/** What an event raised, as it is now; undefined where it raised nothing, or where that is forgotten. */
export function concernOf(event: AgentEvent, { alerts }: Pick<RunContext, "alerts">): Concern | undefined {
  return alerts.get(threadKey(event))?.concerns.find(({ id }) => id === event.id);
}

/** The receipt of the session's newest message that stands at a notifier, where it tells of this session alone. */
export function previousReceipt(event: AgentEvent, notifier: string, context: Pick<RunContext, "alerts">) {
  const key = threadKey(event);
  const told = context.alerts.get(key)?.concerns.flatMap((one) => one.told[notifier] ?? []) ?? [];
  const [last] = told
    .filter(({ receipt, movedAtMs }) => receipt !== undefined && movedAtMs === undefined)
    .sort((a, b) => b.atMs - a.atMs);
  const isShared = last && concernsTold(notifier, last.group, context).some((one) => threadKey(one.event) !== key);
  return isShared ? undefined : last?.receipt;
}

/** All concerns that a notifier's message tells of. */
export function concernsTold(notifier: string, group: string, { alerts }: Pick<RunContext, "alerts">): Concern[] {
  const tells = ({ told }: Concern) => told[notifier]?.some((one) => one.group === group) ?? false;
  return alerts.toldIn(notifier, group).flatMap(({ concerns }) => concerns.filter(tells));
}

/** A message that was sent. */
interface SentMessage {
  readonly notifier: string;
  /** The message's own id. */
  readonly group: string;
  readonly receipt: Receipt | undefined;
  /** Receipt of the session's earlier message whose place it took on the receiver's screen. */
  readonly replaced: Receipt | undefined;
}

/**
 * Notes that a notifier has told of events, in one message. It takes the place of the earlier messages of their
 * sessions, and stands for all that those told of and that is open; those that it did not replace on the screen are to
 * be taken back.
 */
export function markTold(
  events: readonly AgentEvent[],
  { notifier, group, receipt, replaced }: SentMessage,
  { alerts, ports }: Pick<RunContext, "alerts" | "ports">,
): void {
  const atMs = ports.clock.now();
  const told: Told = { group, atMs, ...omitUndefined({ receipt: receipt && { ...receipt } }) };
  const ids = new Set(events.map(({ id }) => id));
  const wasReplaced = (message: Told) =>
    message.group === group || (replaced !== undefined && isDeepStrictEqual(message.receipt, { ...replaced }));
  const mark = (concern: Concern): Concern => {
    const { [notifier]: all = [], ...others } = concern.told;
    if (!ids.has(concern.id) && all.length === 0) return concern;
    const earlier = all.filter((one) => !wasReplaced(one));
    const left = isOpen(concern) ? earlier.filter(({ receipt }) => receipt).map((one) => moved(one, atMs)) : earlier;
    const isMeant = ids.has(concern.id) || isOpen(concern);
    const messages = [...left, ...(isMeant ? [told] : [])];
    const state = isMeant && concern.state === "pending" ? "ringing" : concern.state;
    return { ...concern, state, told: messages.length === 0 ? others : { ...others, [notifier]: messages } };
  };
  for (const key of new Set(events.map(threadKey))) {
    const alert = alerts.get(key);
    if (alert) alerts.put({ ...alert, concerns: alert.concerns.map(mark) });
  }
  crashPoint("alert:told");
}

function moved(told: Told, atMs: number): Told {
  return { ...told, movedAtMs: told.movedAtMs ?? atMs };
}

/** What else the session asks for, beside an event that asks for something: its own message names all. */
export function withOpenRequests(event: AgentEvent, { alerts }: Pick<RunContext, "alerts">): AgentEvent {
  if (event.kind !== "needs-you") return event;
  const open = alerts.get(threadKey(event))?.concerns.filter((one) => isOpen(one) && one.kind === "needs-you") ?? [];
  const asked = open.map((one) => (one.id === event.id ? event : one.event).message ?? "").filter(Boolean);
  const isSaid = (text: string, index: number) =>
    asked.some((other, at) => at !== index && other.includes(text) && (other !== text || at < index));
  const message = asked.filter((text, index) => !isSaid(text, index)).join(" · ");
  return message === "" ? event : { ...event, message };
}
