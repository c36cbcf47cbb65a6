import { clean } from "../../core/clean.ts";
import type { Facts } from "../../core/facts.ts";
import { present } from "../../core/present.ts";

type Outcome = NonNullable<Facts["turnOutcome"]>;

/** What an agent's transcript says, line by line, in words that are the same for all agents. */
export type Step =
  /** A turn starts; `prompt` is one that somebody typed, `start` one that merely begins. */
  | { readonly kind: "start" | "prompt"; readonly atMs: number | undefined }
  /** Words of the assistant's for the user. Lines with the same `id` are one message. */
  | { readonly kind: "answer"; readonly atMs: number | undefined; readonly text: string; readonly id?: string }
  /** The agent itself tells the user why it could not go on. */
  | { readonly kind: "complaint"; readonly atMs: number | undefined; readonly text: string }
  /** The turn is over; `text` and `tookMs` where the line says so itself. */
  | {
      readonly kind: "end";
      readonly outcome: Outcome;
      readonly text?: string | undefined;
      readonly tookMs?: number | undefined;
    };

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
 * be stale), for a turn that failed what the agent said about it. `turnMs` ends with the last thing said.
 * @param whole whether the steps go back to the beginning of the session; only then messages are counted
 */
export function turnFacts(steps: readonly Step[], whole: boolean): Facts {
  const turn = steps.reduce(advance, {});
  const tookMs = turn.tookMs ?? (turn.endedAtMs ?? Number.NaN) - (turn.startedAtMs ?? Number.NaN);
  return present<Facts>({
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
      return { startedAtMs: step.atMs };
    case "answer":
      // An answer after an end means that the turn went on: something in the background came back.
      return { startedAtMs: turn.startedAtMs, endedAtMs: step.atMs ?? turn.endedAtMs, text: step.text };
    case "complaint":
      // What is said after the end is about something else, such as a command the user typed.
      if (turn.outcome !== undefined) return turn;
      return { ...turn, endedAtMs: step.atMs ?? turn.endedAtMs, text: step.text, complained: true };
    case "end":
      // The first verdict stands: an agent also closes the turns that failed.
      return {
        ...turn,
        outcome: turn.outcome ?? step.outcome,
        text: step.text ?? turn.text,
        tookMs: step.tookMs ?? turn.tookMs,
      };
  }
}

function countMessages(steps: readonly Step[]): number {
  const answers = new Set<unknown>();
  let prompts = 0;
  for (const step of steps) {
    if (step.kind === "prompt") prompts += 1;
    if (step.kind === "answer") answers.add(step.id ?? step);
  }
  return prompts + answers.size;
}
