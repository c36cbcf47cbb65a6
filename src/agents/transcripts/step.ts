import type { Facts, RunningTask } from "../../core/facts.ts";

export type Outcome = NonNullable<Facts["turnOutcome"]>;

/**
 * Meaning of a transcript line, the same for all agents. Answers without a text and ends without an outcome are
 * ignored. Members of type `unknown` may hold anything; `at` should be an ISO date or Unix milliseconds.
 */
export type Step =
  /** A turn starts, with or without a typed prompt. `text` is set if the agent's sessions may lack a title. */
  | { readonly kind: "start" | "prompt"; readonly at: unknown; readonly text?: unknown }
  /** The assistant speaks to the user. Lines with the same `id` are one message. */
  | { readonly kind: "answer"; readonly at: unknown; readonly text: string | undefined; readonly id?: unknown }
  /** The agent tells the user why the turn cannot continue. */
  | { readonly kind: "complaint"; readonly at: unknown; readonly text: string }
  /** A message from another agent or from the program itself starts or continues a turn. */
  | { readonly kind: "report"; readonly isMates: boolean }
  /** The model calls a tool. */
  | {
      readonly kind: "call";
      readonly id: unknown;
      readonly tool: unknown;
      readonly input: unknown;
      readonly at: unknown;
    }
  /** The user allows a call, and the call continues. */
  | { readonly kind: "grant"; readonly id: unknown; readonly at: unknown }
  /** A call ends; `isRefused` if the user did not allow it. */
  | { readonly kind: "result"; readonly id: unknown; readonly isRefused?: boolean; readonly at?: unknown }
  /** Start of work that may outlive the turn; `task-end` is its end. */
  | {
      readonly kind: "task";
      readonly id: unknown;
      readonly of: RunningTask["of"];
      readonly name?: unknown;
      /** Id of the call that started the work. The call describes the work if `name` is absent. */
      readonly call?: unknown;
    }
  | { readonly kind: "task-end"; readonly id: unknown }
  /** The turn has ended. `at`, `text` and `tookMs` are set if the line has them. */
  | {
      readonly kind: "end";
      readonly outcome: Outcome | undefined;
      readonly at?: unknown;
      readonly text?: unknown;
      readonly tookMs?: unknown;
    };

/** Reads a turn's outcome from an agent's own word; undefined for unknown words. */
export function readOutcome(word: unknown, words: Readonly<Record<string, Outcome>>): Outcome | undefined {
  return typeof word === "string" && Object.hasOwn(words, word) ? words[word] : undefined;
}
