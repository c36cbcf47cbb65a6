import type { Audience } from "../core/notifier.ts";
import type { Presence } from "../core/ports.ts";
import type { Kind } from "../core/vocabulary.ts";
import { explainResolution } from "../journal/journal-text.ts";
import { dayMs } from "../text/time.ts";
import type { Concern } from "./alert.ts";

/** Settings in the section `attention` of the configuration, with durations in milliseconds. */
export interface AttentionRules {
  readonly wait: number;
  /**
   * Action for an event of each kind while the user watches the terminal: skip the message, delay it by a number of
   * milliseconds, or send it (`ring`).
   */
  readonly watching: Readonly<Record<"finished" | "needs-you" | "failed", "skip" | "ring" | number>>;
  readonly minTurn: number;
  readonly away: number;
  readonly dnd: "respect" | "ignore";
}

/** All inputs of the decision whether a message is sent now. */
export interface Situation {
  readonly rules: AttentionRules;
  readonly kind: Kind;
  /** Arrival time of the event, Unix milliseconds. */
  readonly atMs: number;
  /** Length of the turn that the event ends, in milliseconds. */
  readonly turnMs?: number | undefined;
  /** True if no user watches the session, because it is headless or its hook waits for the delivery (`--wait`). */
  readonly isUnattended: boolean;
  /** Concern that the event raised. Undefined, which counts as open, if there is none or it was forgotten. */
  readonly concern: Pick<Concern, "state" | "resolvedBy" | "acknowledgedAtMs" | "likelyAnsweredAtMs"> | undefined;
  readonly audience: Audience;
  readonly isAudible: boolean;
  /** Delay of the message after the event, in milliseconds; 0 for a message without delay. */
  readonly afterMs: number;
  /** Required presence of the user. */
  readonly when?: "away" | "here" | undefined;
  /** End and reason of the snooze or the quiet hours that hold the message. */
  readonly silence?: { readonly untilMs: number; readonly reason: string } | undefined;
  /** True if the wait before each message (`attention.wait`) has ended, perhaps early to combine several messages. */
  readonly hasWaited: boolean;
  /** True if the message was already held because the user was typing. */
  readonly wasPostponed: boolean;
  readonly presence: Presence;
  readonly nowMs: number;
}

/** Decision about a message, with its reason in the journal's words. */
export type Attention =
  | { readonly act: "tell" }
  | { readonly act: "skip"; readonly reason: string }
  | {
      readonly act: "hold";
      readonly untilMs: number;
      readonly reason: string;
      readonly for: "wait" | "step" | "silence" | "watching" | "typing" | "presence";
    };

/** Time for which messages are held after a key press in the agent's terminal: 10 s. */
const typingHoldMs = 10_000;
/** Polling interval for the user's presence: 5 s. */
const presencePollMs = 5_000;
/** Longest time for which a message waits for the user's presence: a day. */
const maxPresenceWaitMs = dayMs;

/** Decides whether a message is sent now, later or never. The result depends only on the arguments. */
export function applyRules(situation: Situation): Attention {
  return (
    skipResolved(situation) ??
    holdUntilStep(situation) ??
    (situation.audience === "person" ? applyPersonRules(situation) : undefined) ??
    applyWhere(situation) ?? { act: "tell" }
  );
}

function skipResolved({ concern }: Situation): Attention | undefined {
  const reason = explainResolved(concern);
  return reason === undefined ? undefined : { act: "skip", reason };
}

/**
 * Explains to the user why a resolved concern needs no message; undefined if a message is needed. A forgotten or
 * unknown concern needs a message, because a long silence may have held the message until the concern was forgotten.
 */
export function explainResolved(concern: Pick<Concern, "state" | "resolvedBy"> | undefined): string | undefined {
  if (concern?.state !== "resolved" || concern.resolvedBy === "forgotten") return undefined;
  return `already resolved: ${explainResolution(concern.resolvedBy ?? "")}`;
}

function holdUntilStep({ afterMs, atMs, nowMs }: Situation): Attention | undefined {
  const untilMs = atMs + afterMs;
  if (afterMs === 0 || nowMs >= untilMs) return undefined;
  return { act: "hold", for: "step", untilMs, reason: "for a later step, if still open" };
}

function applyPersonRules(situation: Situation): Attention | undefined {
  return (
    skipShortTurn(situation) ??
    wait(situation) ??
    holdForPrompt(situation) ??
    holdForSilence(situation) ??
    applyWatching(situation) ??
    holdForTyping(situation) ??
    skipDoNotDisturb(situation)
  );
}

/** True if a turn was shorter than the minimum of `attention` or a route. False if the turn's length is unknown. */
export function isShortTurn(turnMs: number | undefined, minTurnMs: number): boolean {
  return turnMs !== undefined && turnMs < minTurnMs;
}

function skipShortTurn({ kind, turnMs, rules }: Situation): Attention | undefined {
  const isShort = kind === "finished" && isShortTurn(turnMs, rules.minTurn);
  return isShort ? { act: "skip", reason: "the turn was shorter than `attention.minTurn`" } : undefined;
}

function wait({ kind, afterMs, atMs, nowMs, rules, isUnattended, hasWaited }: Situation): Attention | undefined {
  const untilMs = atMs + rules.wait;
  if (afterMs > 0 || isUnattended || hasWaited || nowMs >= untilMs) return undefined;
  const reason = kind === "needs-you" ? "in case you answer first" : "in case others follow";
  return { act: "hold", for: "wait", untilMs, reason };
}

/** Longest time, in milliseconds, from a prompt until beckon knows whether a person typed the prompt. */
const maxPromptJudgementMs = 2_500;

function holdForPrompt({ concern, nowMs }: Situation): Attention | undefined {
  const untilMs = (concern?.likelyAnsweredAtMs ?? Number.NEGATIVE_INFINITY) + maxPromptJudgementMs;
  if (nowMs >= untilMs) return undefined;
  return { act: "hold", for: "wait", untilMs, reason: "a prompt may have answered it" };
}

function holdForSilence({ silence }: Situation): Attention | undefined {
  return silence && { act: "hold", for: "silence", ...silence };
}

function applyWatching(situation: Situation): Attention | undefined {
  const { kind, afterMs, atMs, nowMs, rules, presence, isUnattended } = situation;
  if (kind === "info" || afterMs > 0 || isUnattended || !isWatching(presence, atMs, nowMs)) return undefined;
  const rule = rules.watching[kind];
  const reason = "you were looking at that terminal";
  if (rule === "skip") return { act: "skip", reason };
  if (rule === "ring" || nowMs >= atMs + rule) return undefined;
  return { act: "hold", for: "watching", untilMs: atMs + rule, reason };
}

function holdForTyping({ concern, wasPostponed, nowMs, presence }: Situation): Attention | undefined {
  const noticedAtMs = concern?.acknowledgedAtMs ?? Number.NEGATIVE_INFINITY;
  const untilMs = noticedAtMs + typingHoldMs;
  if (wasPostponed || nowMs >= untilMs) return undefined;
  // A growing transcript or a click in a message acknowledges a request too.
  const isTyped = (presence.typedAtMs ?? Number.NEGATIVE_INFINITY) >= noticedAtMs;
  const reason = isTyped ? "someone was typing in that terminal" : "someone may be answering";
  return { act: "hold", for: "typing", untilMs, reason };
}

function skipDoNotDisturb({ isAudible, presence, rules }: Situation): Attention | undefined {
  const isQuiet = isAudible && rules.dnd === "respect" && presence.isDoNotDisturb === true;
  return isQuiet ? { act: "skip", reason: "do-not-disturb is on" } : undefined;
}

function applyWhere({ when, kind, atMs, presence, rules, nowMs }: Situation): Attention | undefined {
  if (when === undefined) return undefined;
  if (isAway(presence, rules.away, nowMs) === (when === "away")) return undefined;
  const reason = when === "away" ? "you are at this machine" : "you are away";
  const isTooOld = nowMs - atMs > maxPresenceWaitMs;
  if (isTooOld || (kind !== "needs-you" && kind !== "failed")) return { act: "skip", reason };
  return { act: "hold", for: "presence", untilMs: nowMs + presencePollMs, reason };
}

/** Time before an event in which a key press shows that the user is watching the terminal: 15 s. */
const recentTypingMs = 15_000;
/** Longest time without input for which a terminal that has the focus counts as watched: 60 s. */
const maxIdleMs = 60_000;

/**
 * True if the user is watching the agent's terminal: a key was pressed there shortly before the event or since, or the
 * terminal has the focus and the user is not idle. False if unknown.
 */
function isWatching(presence: Presence, sinceMs: number, nowMs: number): boolean {
  const { isFocused, isLocked, idleMs = 0, typedAtMs } = presence;
  if (isLocked) return false;
  if (typedAtMs !== undefined && typedAtMs <= nowMs && typedAtMs >= sinceMs - recentTypingMs) return true;
  return isFocused === true && idleMs <= maxIdleMs;
}

/** True if the user is away: the machine is locked, or had no input for `awayMs` milliseconds. Also true if unknown. */
function isAway({ isLocked, idleMs, typedAtMs }: Presence, awayMs: number, nowMs: number): boolean {
  if (isLocked) return true;
  const sinceTypedMs = typedAtMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - typedAtMs);
  return Math.min(idleMs ?? Number.POSITIVE_INFINITY, sinceTypedMs) >= awayMs;
}
