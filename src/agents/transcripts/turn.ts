import { wordsOfError } from "../../core/error-words.ts";
import type { Facts, RunningTask, ToolCall, TurnWork } from "../../core/facts.ts";
import { asObject, asText, type JsonObject } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { clean } from "../../text/clean.ts";
import { describeCall } from "./describe-call.ts";
import { asCount, asLine, asTimeMs } from "./record.ts";

type Outcome = NonNullable<Facts["turnOutcome"]>;

/**
 * What a line of a transcript means, the same for all agents. An answer without a text, and an end without an outcome,
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
  /** The turn is over; `at`, `text` and `tookMs` where the line has them. */
  | {
      readonly kind: "end";
      readonly outcome: Outcome | undefined;
      readonly at?: unknown;
      readonly text?: unknown;
      readonly tookMs?: unknown;
    };

/** How a turn ended, by an agent's own word for it; undefined for any other value. */
export function outcomeOf(word: unknown, words: Readonly<Record<string, Outcome>>): Outcome | undefined {
  return typeof word === "string" && Object.hasOwn(words, word) ? words[word] : undefined;
}

/** A call without a result. */
interface OpenCall {
  readonly id: string;
  readonly asks: string | undefined;
  /** Its command, or what else it says it does. */
  readonly does: unknown;
}

interface Turn {
  readonly startedAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
  readonly text?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly complained?: boolean;
  readonly tookMs?: number | undefined;
  /** Whether the model has spoken since the last prompt, call or result. */
  readonly hasSpoken?: boolean;
  /** When the user refused a tool that no other has followed. */
  readonly refusedAtMs?: number | undefined;
  readonly calls: readonly OpenCall[];
  readonly tasks: readonly RunningTask[];
  /** Calls of this turn and of earlier ones, with and without results. */
  readonly history: readonly ToolCall[];
  readonly isReplyToMate?: boolean;
}

const maxOpenCalls = 10;
const maxCalls = 30;
const maxFollowed = 200; // each step looks through all open calls and tasks

/**
 * Facts about the last turn. `lastMessage` is what was said last since the last prompt (an earlier turn's answer would
 * be stale); for a failed turn, what the agent said about it. `turnMs` lasts to the last message.
 * @param whole whether the steps go back to the beginning of the session; only then messages are counted
 */
export function turnFacts(steps: readonly Step[], whole: boolean): Facts & { readonly work: TurnWork } {
  const turn = steps.reduce<Turn>(advance, { calls: [], tasks: [], history: [] });
  const tookMs = turn.tookMs ?? (turn.endedAtMs ?? Number.NaN) - (turn.startedAtMs ?? Number.NaN);
  const outcome = outcomeOfTurn(turn);
  const text = clean(turn.text ?? "").trim();
  const openCalls = turn.calls.map(({ id }) => id);
  return omitUndefined<Facts & { readonly work: TurnWork }>({
    lastMessage: (outcome === "failed" ? wordsOfError(text) : text) || undefined,
    turnMs: tookMs >= 0 ? tookMs : undefined,
    turnOutcome: outcome,
    messageCount: whole ? countMessages(steps) : undefined,
    openCalls: openCalls.length > 0 ? openCalls.slice(-maxOpenCalls) : undefined,
    work: workOf(turn),
  });
}

/** What the calls without a result ask for, one line each. */
export function openRequests(steps: readonly Step[]): readonly string[] {
  return turnFacts(steps, false).work.requests;
}

function workOf(turn: Turn): TurnWork {
  const { startedAtMs, endedAtMs, tookMs, hasSpoken, isReplyToMate, calls, tasks, history } = turn;
  return omitUndefined<TurnWork>({
    startedAtMs,
    saidAtMs: endedAtMs ?? (startedAtMs !== undefined && tookMs !== undefined ? startedAtMs + tookMs : undefined),
    hasSpoken: hasSpoken || undefined,
    isReplyToMate: isReplyToMate || undefined,
    requests: calls.flatMap(({ asks }) => asks ?? []),
    calls: history,
    running: tasks,
  });
}

/** A refusal ends a turn as an interruption does, unless the agent went on to other tools. */
function outcomeOfTurn({ outcome, complained, refusedAtMs }: Turn): Outcome | undefined {
  if (outcome === "failed" || outcome === undefined) return outcome ?? (complained ? "failed" : refusal(refusedAtMs));
  return refusal(refusedAtMs) ?? outcome;
}

function refusal(atMs: number | undefined): Outcome | undefined {
  return atMs === undefined ? undefined : "interrupted";
}

/** What is said so soon after a refusal only acknowledges it. */
const acknowledgesMs = 10_000;

function advance(turn: Turn, step: Step): Turn {
  switch (step.kind) {
    case "start":
    case "prompt":
      return { startedAtMs: asTimeMs(step.at), calls: [], tasks: [], history: turn.history };
    case "report":
      return { ...turn, isReplyToMate: step.isMates };
    case "answer":
      return afterAnswer(turn, step);
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
        endedAtMs: asTimeMs(step.at) ?? turn.endedAtMs,
        text: asText(step.text) ?? turn.text,
        tookMs: asCount(step.tookMs) ?? turn.tookMs,
      };
    default:
      return afterTool(turn, step);
  }
}

function afterAnswer(turn: Turn, { at, text }: Extract<Step, { kind: "answer" }>): Turn {
  if (text === undefined) return turn;
  const endedAtMs = asTimeMs(at) ?? turn.endedAtMs;
  const { refusedAtMs } = turn;
  const acknowledges = refusedAtMs !== undefined && !((endedAtMs ?? 0) - refusedAtMs > acknowledgesMs);
  // An answer after an end means that the turn went on: a background task came back.
  const { outcome: _, complained: __, tookMs: ___, ...going } = turn;
  return { ...going, endedAtMs, text, hasSpoken: true, refusedAtMs: acknowledges ? refusedAtMs : undefined };
}

function afterTool(turn: Turn, step: Extract<Step, { kind: "call" | "grant" | "result" | "task" | "task-end" }>): Turn {
  const id = asText(step.id);
  if (id === undefined) return turn;
  const calls = turn.calls.filter((call) => call.id !== id);
  const tasks = turn.tasks.filter((task) => task.id !== id);
  switch (step.kind) {
    case "call":
      return {
        ...turn,
        refusedAtMs: undefined,
        isReplyToMate: false,
        hasSpoken: false,
        calls: [...calls.slice(1 - maxFollowed), openCall(id, step.tool, asObject(step.input))],
        history: [...turn.history.filter((call) => call.id !== id), begunCall(id, step, turn.history)].slice(-maxCalls),
      };
    case "grant": {
      const known = turn.history.find((call) => call.id === id && call.answeredAtMs === undefined);
      const others = turn.history.filter((call) => call.id !== id);
      return { ...turn, history: [...others, ...withAnswer([known ?? { id }], id, step.at)].slice(-maxCalls) };
    }
    case "result": {
      const refusedAtMs = asTimeMs(step.at) ?? turn.endedAtMs ?? 0;
      return {
        ...turn,
        calls,
        hasSpoken: false,
        history: withAnswer(turn.history, id, step.at),
        ...(step.isRefused && { refusedAtMs }),
      };
    }
    case "task": {
      const name = step.name ?? turn.calls.find((call) => call.id === step.call)?.does;
      // What a call started, it no longer asks for.
      const others = turn.calls.filter((call) => call.id !== step.call);
      return {
        ...turn,
        calls: others,
        history: withAnswer(turn.history, asText(step.call), 0),
        tasks: [...tasks.slice(1 - maxFollowed), omitUndefined<RunningTask>({ id, of: step.of, name: asLine(name) })],
      };
    }
    case "task-end":
      return { ...turn, tasks };
  }
}

function openCall(id: string, tool: unknown, input: JsonObject = {}): OpenCall {
  return { id, asks: describeCall(tool, input), does: input.command ?? input.description };
}

/** The call as it begins. Kimi Code writes it down only after its grant, which then has nothing but the id. */
function begunCall(
  id: string,
  { tool, input, at }: Extract<Step, { kind: "call" }>,
  history: readonly ToolCall[],
): ToolCall {
  const grant = history.find((call) => call.id === id && call.tool === undefined && call.atMs === undefined);
  const begun = { id, tool: asText(tool), input, atMs: asTimeMs(at), answeredAtMs: grant?.answeredAtMs };
  return omitUndefined<ToolCall>(begun);
}

/** The calls, one of them answered; by a line without a time, at the latest possible moment. */
function withAnswer(calls: readonly ToolCall[], id: string | undefined, time: unknown): readonly ToolCall[] {
  const answeredAtMs = asTimeMs(time) ?? Number.MAX_SAFE_INTEGER;
  // The first answer counts: a call that was allowed gets its result later.
  return calls.map((call) => (call.id === id ? { answeredAtMs, ...call } : call));
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
