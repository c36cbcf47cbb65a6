import type { Facts, RunningTask } from "../../core/facts.ts";

export type Outcome = NonNullable<Facts["turnOutcome"]>;

/**
 * Meaning of a line of a transcript, the same for all agents. An answer without a text, and an end without an outcome,
 * count for nothing. What is `unknown` may have any type: `at` should be an ISO date or Unix milliseconds.
 */
export type Step =
  /**
   * A turn starts: with a prompt that a user typed, or without one. The text is given where sessions may lack a title.
   */
  | { readonly kind: "start" | "prompt"; readonly at: unknown; readonly text?: unknown }
  /** The assistant speaks to the user. Lines with the same `id` are one message. */
  | { readonly kind: "answer"; readonly at: unknown; readonly text: string | undefined; readonly id?: unknown }
  /** The agent itself tells the user why the turn cannot go on. */
  | { readonly kind: "complaint"; readonly at: unknown; readonly text: string }
  /** A message that no person typed begins a turn, or a further part of one: another agent's, or the program's own. */
  | { readonly kind: "report"; readonly isMates: boolean }
  /** The model calls a tool. */
  | {
      readonly kind: "call";
      readonly id: unknown;
      readonly tool: unknown;
      readonly input: unknown;
      readonly at: unknown;
    }
  /** The user allows a call, which runs on. */
  | { readonly kind: "grant"; readonly id: unknown; readonly at: unknown }
  /** A call came to an end; `isRefused` where the user did not allow it. */
  | { readonly kind: "result"; readonly id: unknown; readonly isRefused?: boolean; readonly at?: unknown }
  /** Something starts, or ends, that may outlive the turn. */
  | {
      readonly kind: "task";
      readonly id: unknown;
      readonly of: RunningTask["of"];
      readonly name?: unknown;
      /** The call that started it, which names it where the line does not. */
      readonly call?: unknown;
    }
  | { readonly kind: "task-end"; readonly id: unknown }
  /** The turn has ended; `at`, `text` and `tookMs` if the line has them. */
  | {
      readonly kind: "end";
      readonly outcome: Outcome | undefined;
      readonly at?: unknown;
      readonly text?: unknown;
      readonly tookMs?: unknown;
    };

/** Reads a turn's outcome from an agent's own word for it; undefined for any other value. */
export function readOutcome(word: unknown, words: Readonly<Record<string, Outcome>>): Outcome | undefined {
  return typeof word === "string" && Object.hasOwn(words, word) ? words[word] : undefined;
}
