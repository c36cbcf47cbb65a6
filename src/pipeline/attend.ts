import { isGroupable } from "../attention/groups.ts";
import { quietUntilMs } from "../attention/quiet.ts";
import { type Attention, applyRules, type Situation } from "../attention/rules.ts";
import { isSampleSession } from "../attention/session-memory.ts";
import { readSilences, type Silence, silencedUntilMs } from "../attention/silences.ts";
import { type Config, type ConfiguredNotifier, readAudience } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Presence } from "../core/ports.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { isDue } from "../spool/entry.ts";
import { findConcern } from "./alerts.ts";
import type { RunContext } from "./context.ts";
import { judgeLate } from "./judge.ts";
import type { Delivery, RunState } from "./run-state.ts";

/** Delivery about which a decision is needed, with its notifier and the state of its event. */
interface Undecided {
  readonly configured: ConfiguredNotifier;
  readonly delivery: Delivery;
  readonly state: Pick<RunState, "isUnattended" | "facts" | "minWaitMs">;
}

/** Decides for each delivery of an event: send now, hold until later, or skip. Journals holds and skips. */
export async function attend(event: AgentEvent, state: RunState, context: RunContext): Promise<RunState> {
  const nowMs = context.ports.clock.now();
  // The session may have gone on while a message was held.
  const hasWaited = ({ status, dueAtMs }: Delivery) => status === "open" && dueAtMs !== undefined;
  if (Object.values(state.deliveries).some(hasWaited)) await judgeLate(event, context);
  const silences = readSilences(context.silencesFile, nowMs);
  let asked: Promise<Presence> | undefined;
  // The terminal that sent a message does not show the message.
  const processes = event.headline === undefined ? (event.processes ?? []) : [];
  const presence = () => (asked ??= context.ports.presence.ask(processes));
  const attendDelivery = async ([key, delivery]: [string, Delivery]): Promise<[string, Delivery]> => {
    const configured = context.config.notifiers.get(delivery.notifier ?? key);
    if (!configured || delivery.status !== "open") return [key, delivery];
    const overtaken = skipOvertaken(key, delivery, state, nowMs);
    if (delivery.isUndecided ? !mayBeReleased(delivery, nowMs) : !overtaken) return [key, delivery];
    const now = { silences, nowMs, concern: findConcern(event, context) };
    const undecided = { configured, delivery, state };
    const situation = describeSituation(event, undecided, now, context.config);
    const decided = overtaken ?? (await decideWithPresence(situation, presence));
    // A sample that rings when a silence ends, or when the user leaves, would be taken for a request.
    const isLong = decided.act === "hold" && (decided.for === "silence" || decided.for === "presence");
    const isSample = isSampleSession(event.sessionId);
    const attention: Attention = isLong && isSample ? { act: "skip", reason: decided.reason } : decided;
    if (attention.act === "hold" && attention.for === "wait") context.ports.presence.prepare(processes);
    return [key, applyDecision(event, undecided, attention, context)];
  };
  const deliveries = await Promise.all(Object.entries(state.deliveries).map(attendDelivery));
  return { ...state, deliveries: Object.fromEntries(deliveries) };
}

/**
 * Returns the decision to skip a delivery, if a later one to the same notifier is due as well, wherever the user is;
 * otherwise undefined.
 */
function skipOvertaken(
  own: string,
  { notifier = own, step = 0, when }: Delivery,
  { atMs, deliveries }: RunState,
  nowMs: number,
): Attention | undefined {
  const isOvertaken = Object.entries(deliveries).some(
    ([key, other]) =>
      other.isUndecided &&
      (other.notifier ?? key) === notifier &&
      (other.step ?? 0) > step &&
      (other.when === undefined || other.when === when) &&
      isDue(atMs + (other.afterMs ?? 0), nowMs) &&
      mayBeReleased(other, nowMs),
  );
  return isOvertaken ? { act: "skip", reason: "a later step is due as well" } : undefined;
}

/** True if the hold of a delivery may end: its due time has come, or it is a silence, which may have ended early. */
function mayBeReleased({ dueAtMs = 0, heldFor }: Delivery, nowMs: number): boolean {
  return heldFor === "silence" || isDue(dueAtMs, nowMs);
}

/** Decides about a delivery. Asks for the user's presence only if the presence can change the decision. */
async function decideWithPresence(situation: Situation, presence: () => Promise<Presence>): Promise<Attention> {
  const early = applyRules(situation);
  const isAsked = situation.audience === "person" || situation.when !== undefined;
  if (!isAsked || (early.act === "hold" && early.for !== "presence")) return early;
  return applyRules({ ...situation, presence: await presence() });
}

/** Inputs of a decision that change with time, apart from the event. */
interface Moment {
  readonly nowMs: number;
  readonly silences: readonly Silence[];
  readonly concern: Situation["concern"];
}

/** Collects everything that a decision about a delivery depends on, except for the user's presence. */
export function describeSituation(
  event: AgentEvent,
  { configured, delivery, state }: Undecided,
  moment: Moment,
  config: Config,
): Situation {
  const { nowMs, concern } = moment;
  const { isUnattended, facts, minWaitMs = 0 } = state;
  return {
    rules: { ...config.attention, wait: Math.max(config.attention.wait, minWaitMs) },
    kind: event.kind,
    atMs: event.atMs,
    turnMs: facts.turnMs,
    isUnattended: isUnattended === true,
    concern,
    audience: readAudience(configured),
    isAudible: configured.notifier.isAudible === true,
    afterMs: delivery.afterMs ?? 0,
    when: delivery.when,
    silence: findSilence(event, configured, moment, config),
    hasWaited: delivery.heldFor !== undefined,
    wasPostponed: delivery.heldFor === "typing",
    presence: {},
    nowMs,
  };
}

function findSilence(
  event: AgentEvent,
  { name }: ConfiguredNotifier,
  { silences, nowMs }: Moment,
  config: Config,
): Situation["silence"] {
  const snoozedUntilMs = silencedUntilMs(silences, event, name);
  if (snoozedUntilMs !== undefined) return { untilMs: snoozedUntilMs, reason: "snoozed" };
  const holding = config.attention.quiet.filter(
    ({ hold, notifiers }) => hold.includes(event.kind) && (notifiers === undefined || notifiers.includes(name)),
  );
  const untilMs = Math.max(0, ...holding.map((hours) => quietUntilMs(hours, nowMs) ?? 0));
  return untilMs > 0 ? { untilMs, reason: "quiet hours" } : undefined;
}

function applyDecision(
  event: AgentEvent,
  { configured, delivery }: Undecided,
  attention: Attention,
  context: RunContext,
): Delivery {
  const { isUndecided: _, dueAtMs: __, ...others } = delivery;
  const nowMs = context.ports.clock.now();
  const line = {
    ...identifyEvent(event),
    notifier: configured.name,
    ...(delivery.step !== undefined && { step: delivery.step }),
  };
  switch (attention.act) {
    case "tell":
      return { ...others, ...(delivery.heldFor !== undefined && { freshAtMs: nowMs }) };
    case "skip":
      context.journal.write({ ...line, status: "skipped", reason: attention.reason });
      return { ...others, status: "skipped" };
    case "hold": {
      const isShared = attention.for === "wait" && isGroupable(event);
      const dueAtMs = isShared
        ? context.groups.dueTogetherMs(configured.name, attention.untilMs, nowMs)
        : attention.untilMs;
      const until = new Date(dueAtMs).toISOString();
      // Presence is polled every few seconds. All polls are one hold, journalled once. A silence may get a new end.
      const isNewEnd = attention.for === "silence" && delivery.dueAtMs !== dueAtMs;
      if (delivery.heldFor !== attention.for || isNewEnd)
        context.journal.write({ ...line, status: "held", reason: attention.reason, until, heldFor: attention.for });
      return { ...others, isUndecided: true, heldFor: attention.for, dueAtMs };
    }
  }
}
