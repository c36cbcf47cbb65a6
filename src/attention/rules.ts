import type { Audience } from "../core/notifier.ts";
import type { Presence } from "../core/presence-port.ts";
import type { Kind } from "../core/vocabulary.ts";
import { explainResolution } from "../journal/journal-text.ts";
import type { Concern } from "./alert.ts";

/** User's settings for notifications; durations in milliseconds. */
export interface AttentionRules {
  readonly wait: number;
  /** Treatment of a message while the user watches the terminal: skip, a delay, or no change. */
  readonly watching: Readonly<Record<"finished" | "needs-you" | "failed", "skip" | "ring" | number>>;
  readonly minTurn: number;
  readonly away: number;
  readonly dnd: "respect" | "ignore";
}

/** Everything that decides if a message is sent now. */
export interface Situation {
  readonly rules: AttentionRules;
  readonly kind: Kind;
  /** Arrival time of the event, Unix milliseconds. */
  readonly atMs: number;
  /** Length of the turn that the event ends. */
  readonly turnMs?: number | undefined;
  /** True if no user is watching: a headless run, or an agent that waits for a hook with `--wait`. */
  readonly isUnattended: boolean;
  /** Concern that the event raised. If undefined (never raised, or forgotten), it counts as open. */
  readonly concern: Pick<Concern, "state" | "resolvedBy" | "acknowledgedAtMs" | "likelyAnsweredAtMs"> | undefined;
  readonly audience: Audience;
  readonly isAudible: boolean;
  /** Delay of the step after the event. 0 is the first message; later ones need a concern that is still open. */
  readonly afterMs: number;
  /** Required presence of the user. */
  readonly when?: "away" | "here" | undefined;
  /** End and reason of the silence or quiet hours that hold it. */
  readonly silence?: { readonly untilMs: number; readonly reason: string } | undefined;
  /** True if the first wait has ended. It may be shortened to combine messages. */
  readonly hasWaited: boolean;
  /** True if it was already postponed because the user typed. */
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

/** Delay of the next message after a key press at the agent's terminal. */
const typingHoldMs = 10_000;
/** Polling interval for the user's presence. */
const presencePollMs = 5_000;
/** Longest time of polling for presence: a day. */
const maxPresenceWaitMs = 24 * 3_600_000;

/**
 * Decides if a message is sent now, later or never. Pure. Presence may delay requests and failures but never drop them.
 * Anything unknown counts in favour of sending.
 */
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
 * Explains, for people, why there is nothing to send for a resolved concern; undefined if there is. Forgotten concerns
 * are still sent, because a long silence may have held them.
 */
export function explainResolved(concern: Pick<Concern, "state" | "resolvedBy"> | undefined): string | undefined {
  if (concern?.state !== "resolved" || concern.resolvedBy === "forgotten") return undefined;
  const { resolvedBy = "" } = concern;
  return `already resolved: ${explainResolution(resolvedBy)}`;
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

/** True if a turn was shorter than a `minTurn` of `attention` or of a route; false if its length is unknown. */
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
  const reason = kind === "finished" || kind === "info" ? "in case others follow" : "in case you answer first";
  return { act: "hold", for: "wait", untilMs, reason };
}

/** Longest time until it is certain that a person typed a prompt. */
const maxPromptJudgementMs = 2_500;

function holdForPrompt({ concern, nowMs }: Situation): Attention | undefined {
  const untilMs = (concern?.likelyAnsweredAtMs ?? Number.NEGATIVE_INFINITY) + maxPromptJudgementMs;
  if (nowMs >= untilMs) return undefined;
  return { act: "hold", for: "wait", untilMs, reason: "a prompt may have answered it" };
}

function holdForSilence({ silence }: Situation): Attention | undefined {
  return silence && { act: "hold", for: "silence", ...silence };
}

function applyWatching({
  kind,
  afterMs,
  atMs,
  nowMs,
  rules,
  presence,
  isUnattended,
}: Situation): Attention | undefined {
  if (kind === "info" || afterMs > 0 || isUnattended || !isWatching(presence, atMs, nowMs)) return undefined;
  const rule = rules.watching[kind];
  const reason = "you were looking at that terminal";
  if (rule === "skip") return { act: "skip", reason };
  if (rule === "ring" || nowMs >= atMs + rule) return undefined;
  return { act: "hold", for: "watching", untilMs: atMs + rule, reason };
}

function holdForTyping({ concern, wasPostponed, nowMs }: Situation): Attention | undefined {
  const untilMs = (concern?.acknowledgedAtMs ?? Number.NEGATIVE_INFINITY) + typingHoldMs;
  if (wasPostponed || nowMs >= untilMs) return undefined;
  return { act: "hold", for: "typing", untilMs, reason: "someone was typing in that terminal" };
}

function skipDoNotDisturb({ isAudible, presence, rules }: Situation): Attention | undefined {
  const isQuiet = isAudible && rules.dnd === "respect" && presence.isDoNotDisturb === true;
  return isQuiet ? { act: "skip", reason: "do-not-disturb is on" } : undefined;
}

function applyWhere({ when, kind, atMs, presence, rules, nowMs }: Situation): Attention | undefined {
  if (when === undefined) return undefined;
  const isWhereWanted = isAway(presence, rules.away, nowMs) === (when === "away");
  if (isWhereWanted) return undefined;
  const reason = when === "away" ? "you are at this machine" : "you are away";
  const isTooOld = nowMs - atMs > maxPresenceWaitMs;
  if (isTooOld || (kind !== "needs-you" && kind !== "failed")) return { act: "skip", reason };
  return { act: "hold", for: "presence", untilMs: nowMs + presencePollMs, reason };
}

/** Somebody who typed so shortly before the event still sits there. */
const recentTypingMs = 15_000;
/** Longest idle time in which a focused terminal counts as watched. */
const maxIdleMs = 60_000;

/** True if the user typed in the agent's terminal just now, or has it in front. False if unknown. */
function isWatching(presence: Presence, sinceMs: number, nowMs: number): boolean {
  const { isFocused, isLocked, idleMs = 0, typedAtMs } = presence;
  if (isLocked) return false;
  if (typedAtMs !== undefined && typedAtMs <= nowMs && typedAtMs >= sinceMs - recentTypingMs) return true;
  return isFocused === true && idleMs <= maxIdleMs;
}

/** True if the machine is locked, or was not used for `awayMs`. True if unknown. */
function isAway({ isLocked, idleMs, typedAtMs }: Presence, awayMs: number, nowMs: number): boolean {
  if (isLocked) return true;
  const sinceTypedMs = typedAtMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - typedAtMs);
  return Math.min(idleMs ?? Number.POSITIVE_INFINITY, sinceTypedMs) >= awayMs;
}
