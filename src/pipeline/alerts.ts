import { isDeepStrictEqual } from "node:util";
import { agentNamed } from "../agents/registry.ts";
import { type Alert, acknowledged, type Concern, changeOpen, isOpen, resolved } from "../attention/alert.ts";
import { goToTerminal } from "../attention/go-to-terminal.ts";
import { type ActiveMessage, findConcerns, forgetMessage, type MessageKey } from "../attention/messages.ts";
import { endsRequests, isTurnEnd, noteEvent, noteStates, withTurnEnd } from "../attention/note-event.ts";
import { threadKey } from "../attention/session-keys.ts";
import { type AgentEvent, isOwnMessage } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import type { Reaction, Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { RelayedState } from "../core/ports.ts";
import { promptEvent, seenEvent } from "../core/vocabulary.ts";
import { crashPoint } from "../files/crash-point.ts";
import { findProcess } from "../files/process-table.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { countTexts } from "../text/request.ts";
import type { RunContext } from "./context.ts";

type AlertContext = Pick<RunContext, "alerts" | "earlyResolutions" | "journal" | "ports">;

/**
 * Adds an event to its session's alert, and journals the concerns that the event resolves. Returns the alert. A notice
 * of a usage limit changes nothing, because it says nothing about the session.
 */
export function noteInAlert(event: AgentEvent, facts: FoundFacts, context: AlertContext): Alert | undefined {
  if (event.event === seenEvent) return noteSeen(event, facts, context);
  const known = context.alerts.get(threadKey(event));
  const isUnnoted = event.skip !== undefined && !(known ? endsRequests(event) : isTurnEnd(event));
  if (event.limit || isUnnoted) return known;
  // A script that sent a message may end before the user reacts, so its end resolves nothing.
  const agentProcess = isOwnMessage(event) ? undefined : event.processes?.at(-1);
  const running = agentProcess === undefined ? undefined : findProcess(agentProcess);
  const ending = event.event === "Stop" ? withListedTasks(facts, event) : facts;
  const noted = noteEvent(known, event, ending, { nowMs: context.ports.clock.now(), agentProcess: running });
  const earlyResolution = event.isRelayed ? context.earlyResolutions.find(event.host ?? "", event.id) : undefined;
  const current = earlyResolution ? noteStates(noted, [earlyResolution]) : noted;
  changeAlert(current, context, earlyResolution === undefined);
  if (earlyResolution) context.earlyResolutions.forget(earlyResolution);
  crashPoint("alert:noted");
  return current;
}

/** Adds the running tasks that an event lists to those that its transcript shows. */
function withListedTasks({ work, ...facts }: FoundFacts, event: AgentEvent): FoundFacts {
  const listed = agentNamed(event.agent)?.runningTasks?.(event.extra) ?? [];
  const { requests = [], calls = [], running = [] } = work ?? {};
  return { ...facts, work: { ...work, requests, calls, running: [...running, ...listed] } };
}

/**
 * Notes an event that is judged again later: it ends a turn, or is a prompt that may answer open requests. Messages
 * about these wait until the prompt's author is known.
 */
export function noteTooEarly(event: AgentEvent, { alerts }: Pick<RunContext, "alerts">): undefined {
  const alert = alerts.get(threadKey(event));
  const { atMs } = event;
  if (isTurnEnd(event)) alerts.putLater(withTurnEnd(alert, event));
  if (!alert || event.event !== promptEvent || event.skip !== undefined) return;
  const isAsked = (concern: Concern) => concern.kind === "needs-you" && concern.atMs <= atMs;
  alerts.putLater(
    changeOpen(alert, (concern) => (isAsked(concern) ? { ...concern, likelyAnsweredAtMs: atMs } : concern)),
  );
}

/**
 * Resolves the concerns of a session that the user marked as seen. Looks for the session under every host name, because
 * a worker cannot tell which machine the session is on. Ignores sessions without an alert.
 */
function noteSeen(event: AgentEvent, facts: FoundFacts, context: AlertContext): undefined {
  const { host: _, ...session } = event;
  for (const alert of context.alerts.all()) {
    const isSameSession = threadKey({ ...session, ...omitUndefined({ host: alert.host }) }) === alert.key;
    if (isSameSession) changeAlert(noteEvent(alert, event, facts, { nowMs: context.ports.clock.now() }), context);
  }
}

/**
 * Stores a changed alert, and journals each concern that the change resolves.
 * @param isDeferrable true if the alert may be written after the event is settled. A change that resolves a concern is
 * written at once, so that the journal never repeats the resolution.
 */
export function changeAlert(
  alert: Alert,
  { alerts, journal }: Pick<AlertContext, "alerts" | "journal">,
  isDeferrable = false,
): void {
  const before = alerts.get(alert.key)?.concerns ?? [];
  const wasOpen = new Set(before.filter(isOpen).map(({ id }) => id));
  const newlyResolved = alert.concerns.filter((concern) => !isOpen(concern) && wasOpen.has(concern.id));
  for (const { event, atMs, resolvedAtMs = atMs, resolvedBy } of newlyResolved) {
    const waitedMs = Math.max(0, Math.round(resolvedAtMs - atMs));
    journal.write({ ...identifyEvent(event), status: "resolved", ...omitUndefined({ resolvedBy }), waitedMs });
  }
  if (isDeferrable && newlyResolved.length === 0) alerts.putLater(alert);
  else alerts.put(alert);
}

/** Changes the concern that an event raised, if the concern is open. */
export function changeConcern(
  event: AgentEvent,
  change: (concern: Concern) => Concern,
  context: Pick<AlertContext, "alerts" | "journal">,
): void {
  const alert = context.alerts.get(threadKey(event));
  if (alert)
    changeAlert(
      changeOpen(alert, (concern) => (concern.id === event.id ? change(concern) : concern)),
      context,
    );
}

/** Finds the concern that an event raised, in its current state; undefined if there is none or it was forgotten. */
export function findConcern(event: AgentEvent, { alerts }: Pick<RunContext, "alerts">): Concern | undefined {
  return alerts.get(threadKey(event))?.concerns.find(({ id }) => id === event.id);
}

/**
 * Updates the alerts of another machine's sessions with the states that the machine reported. Stores resolutions whose
 * events have not arrived yet.
 */
export function noteRelayedStates(host: string, states: readonly RelayedState[], context: AlertContext): void {
  const known = new Set<string>();
  for (const alert of context.alerts.all().filter((known) => known.isRelayed && known.host === host)) {
    const ids = new Set(alert.concerns.map(({ id }) => id));
    const matching = states.filter(({ id }) => ids.has(id));
    for (const { id } of matching) known.add(id);
    if (matching.length > 0) changeAlert(noteStates(alert, matching), context);
  }
  const unmatched = states.filter(({ id, state }) => state === "resolved" && !known.has(id));
  context.earlyResolutions.add(
    unmatched.map((state) => ({ ...state, host })),
    context.ports.clock.now(),
  );
}

/** Returns a request with the session's other open requests added to its message. Returns other events unchanged. */
export function withOpenRequests(event: AgentEvent, { alerts }: Pick<RunContext, "alerts">): AgentEvent {
  if (event.kind !== "needs-you") return event;
  const { concerns = [] } = alerts.get(threadKey(event)) ?? {};
  const open = concerns.filter((concern) => isOpen(concern) && concern.kind === "needs-you");
  const readRequest = ({ id, event: { headline, message } }: Concern) =>
    id === event.id ? event.message : (headline ?? message);
  const asked = open.flatMap((concern) => readRequest(concern) || []);
  const isCovered = (text: string) => asked.some((other) => other !== text && other.includes(text));
  const message = countTexts(asked.filter((text) => !isCovered(text))).join(" · ");
  return message === "" ? event : { ...event, message };
}

/**
 * Carries out a person's reaction to a message. `seen` resolves the message's concerns. `focus` brings the terminal to
 * the front, acknowledges requests and resolves other concerns. `closed` makes beckon forget the message, so that it is
 * never withdrawn. A reaction does not count for concerns that arose after the message was sent.
 */
export function reactTo(
  reaction: Reaction,
  { events, sentAtMs, ...message }: MessageKey & { readonly events: readonly AgentEvent[]; readonly sentAtMs: number },
  context: RunContext,
): void {
  if (reaction === "closed") {
    forgetMessage(message, context.alerts);
    return;
  }
  const keys = [...new Set(events.map(threadKey))];
  const alerts = keys.flatMap((key) => context.alerts.get(key) ?? []);
  for (const alert of alerts) changeAlert(afterReaction(alert, reaction, sentAtMs, context.ports.clock.now()), context);
  const [first] = alerts;
  if (reaction === "focus" && first) void goToTerminal(first, context.ports);
}

/** Resolves the concerns of those active messages that the user marked as seen, found by their receipts. */
export function markSeen(active: readonly ActiveMessage[], seen: readonly Receipt[], context: RunContext): void {
  for (const { receipt, ...message } of active) {
    if (!seen.some((found) => isDeepStrictEqual({ ...found }, { ...receipt }))) continue; // prototypes may differ
    const events = findConcerns(message, context.alerts).map(({ event }) => event);
    reactTo("seen", { ...message, events }, context);
  }
}

function afterReaction(alert: Alert, reaction: Reaction, sentAtMs: number, nowMs: number): Alert {
  return changeOpen(alert, (concern) => {
    if (concern.atMs > sentAtMs) return concern;
    const isResolved = reaction === "seen" || concern.kind !== "needs-you";
    return isResolved ? resolved(concern, "button", nowMs) : acknowledged(concern, nowMs);
  });
}
