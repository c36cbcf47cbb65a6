import { clean } from "../../core/clean.ts";
import type { Facts } from "../../core/facts.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { asCount, asText, asTimeMs } from "./record.ts";

type Outcome = NonNullable<Facts["turnOutcome"]>;

/**
 * What a line of a transcript means, the same for all agents. An answer without a text, and an end without an outcome,
 * count for nothing. What is `unknown` may have any type: `at` should be an ISO date or Unix milliseconds.
 */
export type Step =
  /** A turn starts: with a prompt that a user typed, or without one. */
  | { readonly kind: "start" | "prompt"; readonly at: unknown }
  /** The assistant speaks to the user. Lines with the same `id` are one message. */
  | { readonly kind: "answer"; readonly at: unknown; readonly text: string | undefined; readonly id?: unknown }
  /** The agent itself tells the user why the turn cannot go on. */
  | { readonly kind: "complaint"; readonly at: unknown; readonly text: string }
  /** The turn is over; `text` and `tookMs` where the line has them. */
  | {
      readonly kind: "end";
      readonly outcome: Outcome | undefined;
      readonly text?: unknown;
      readonly tookMs?: unknown;
    };

/** How a turn ended, by an agent's own word for it; undefined for any other value. */
export function outcomeOf(word: unknown, words: Readonly<Record<string, Outcome>>): Outcome | undefined {
  return typeof word === "string" && Object.hasOwn(words, word) ? words[word] : undefined;
}

interface Turn {
  readonly startedAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
  readonly text?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly complained?: boolean;
  readonly tookMs?: number | undefined;
}

/**
 * Facts about the last turn. `lastMessage` is what was said last since the last prompt (an earlier turn's answer would
 * be stale); for a failed turn, what the agent said about it. `turnMs` lasts to the last message.
 * @param whole whether the steps go back to the beginning of the session; only then messages are counted
 */
export function turnFacts(steps: readonly Step[], whole: boolean): Facts {
  const turn = steps.reduce(advance, {});
  const tookMs = turn.tookMs ?? (turn.endedAtMs ?? Number.NaN) - (turn.startedAtMs ?? Number.NaN);
  return omitUndefined<Facts>({
    lastMessage: clean(turn.text ?? "").trim() || undefined,
    turnMs: tookMs >= 0 ? tookMs : undefined,
    turnOutcome: turn.outcome ?? (turn.complained ? "failed" : undefined),
    messageCount: whole ? countMessages(steps) : undefined,
  });
}

function advance(turn: Turn, step: Step): Turn {
  switch (step.kind) {
    case "start":
    case "prompt":
      return { startedAtMs: asTimeMs(step.at) };
    case "answer":
      if (step.text === undefined) return turn;
      // An answer after an end means that the turn went on: a background task came back.
      return { startedAtMs: turn.startedAtMs, endedAtMs: asTimeMs(step.at) ?? turn.endedAtMs, text: step.text };
    case "complaint":
      // After the end it is about something else, such as a command the user typed.
      if (turn.outcome !== undefined) return turn;
      return { ...turn, endedAtMs: asTimeMs(step.at) ?? turn.endedAtMs, text: step.text, complained: true };
    case "end":
      if (step.outcome === undefined) return turn;
      // The first outcome counts: agents write an ordinary end after a failure too.
      return {
        ...turn,
        outcome: turn.outcome ?? step.outcome,
        text: asText(step.text) ?? turn.text,
        tookMs: asCount(step.tookMs) ?? turn.tookMs,
      };
  }
}

function countMessages(steps: readonly Step[]): number {
  const answers = new Set<unknown>();
  let prompts = 0;
  for (const step of steps) {
    if (step.kind === "prompt") prompts += 1;
    if (step.kind === "answer" && step.text !== undefined) answers.add(asText(step.id) ?? step);
  }
  return prompts + answers.size;
}
