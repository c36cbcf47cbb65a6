import type { DoneWork, Facts, RunningTask, ToolCall, TurnWork } from "../../core/facts.ts";
import { asObject, asText, extractErrorText, type JsonObject, toObject } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { clean } from "../../text/clean.ts";
import type { AgentRequest } from "../../text/request.ts";
import type { Outcome, Step } from "./define-transcript.ts";
import { findText, paths, readCall } from "./describe-call.ts";
import { asCount, asLine, asTimeMs } from "./record.ts";

/** A call without a result. */
interface OpenCall {
  readonly id: string;
  readonly asks: AgentRequest | undefined;
  readonly isSpawn: boolean;
  /** Command of the call, or another description. */
  readonly does: unknown;
}

interface Turn {
  readonly startedAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
  readonly text?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly complained?: boolean;
  readonly tookMs?: number | undefined;
  /** True if the model has answered since the last prompt, call or result. */
  readonly hasSpoken?: boolean;
  /** Time when the user refused a tool; absent if the agent went on with its work after that. */
  readonly refusedAtMs?: number | undefined;
  readonly calls: readonly OpenCall[];
  readonly tasks: readonly RunningTask[];
  /** Calls of this turn and earlier turns, with and without results. */
  readonly history: readonly ToolCall[];
  readonly isReplyToMate?: boolean;
}

const maxOpenCalls = 10;
const maxCalls = 30;
const maxOpenItems = 200; // each step searches all open calls and tasks

/**
 * Collects facts about the last turn. `lastMessage` is the last answer since the last prompt (an earlier turn's answer
 * would be stale), or the agent's message about a failure. `turnMs` is the length that the agent recorded, or else the
 * time up to the last message.
 * @param isComplete true if the steps reach back to the start of the session; messages are counted only then
 */
export function turnFacts(steps: readonly Step[], isComplete: boolean): Facts & { readonly work: TurnWork } {
  const turn = steps.reduce<Turn>(advance, { calls: [], tasks: [], history: [] });
  const tookMs = turn.tookMs ?? (turn.endedAtMs ?? Number.NaN) - (turn.startedAtMs ?? Number.NaN);
  const outcome = decideOutcome(turn);
  const text = clean(turn.text ?? "").trim();
  const openCalls = turn.calls.map(({ id }) => id);
  return omitUndefined<Facts & { readonly work: TurnWork }>({
    lastMessage: (outcome === "failed" ? extractErrorText(text) : text) || undefined,
    turnMs: tookMs >= 0 ? tookMs : undefined,
    turnOutcome: outcome,
    messageCount: isComplete ? countMessages(steps) : undefined,
    openCalls: openCalls.length > 0 ? openCalls.slice(-maxOpenCalls) : undefined,
    work: { ...summarizeWork(turn), answered: [...findAnswered(steps)] },
  });
}

/** Finds the ids of all calls that got a result or were allowed, even if they began before the steps. */
function findAnswered(steps: readonly Step[]): ReadonlySet<unknown> {
  const ids = new Set<unknown>();
  for (const step of steps) {
    if (step.kind === "call") ids.delete(step.id); // Kimi Code may use an id again
    if (step.kind === "grant" || step.kind === "result") ids.add(step.id);
    if (step.kind === "task") ids.add(step.call);
  }
  return ids;
}

function summarizeWork(turn: Turn): TurnWork {
  const { startedAtMs, endedAtMs, tookMs, hasSpoken, isReplyToMate, calls, tasks, history } = turn;
  return omitUndefined<TurnWork>({
    startedAtMs,
    saidAtMs: endedAtMs ?? (startedAtMs !== undefined && tookMs !== undefined ? startedAtMs + tookMs : undefined),
    hasSpoken: hasSpoken || undefined,
    isReplyToMate: isReplyToMate || undefined,
    isInterrupted: turn.outcome === "interrupted" || undefined,
    requests: calls.flatMap(({ asks }) => asks ?? []),
    spawns: calls.filter(({ isSpawn }) => isSpawn),
    calls: history,
    running: tasks,
  });
}

/** Picks a turn's outcome: first a failure, then a refusal, which counts as an interruption, then any other. */
function decideOutcome({ outcome, complained, refusedAtMs }: Turn): Outcome | undefined {
  const refusal = refusedAtMs === undefined ? undefined : "interrupted";
  if (outcome === "failed" || outcome === undefined) return outcome ?? (complained ? "failed" : refusal);
  return refusal ?? outcome;
}

/** Time after a refusal in which an answer only acknowledges the refusal, 10 s. */
const refusalReplyMaxMs = 10_000;

function advance(turn: Turn, step: Step): Turn {
  switch (step.kind) {
    case "start":
    case "prompt":
      return { startedAtMs: asTimeMs(step.at), calls: [], tasks: [], history: turn.history };
    case "report":
      // It may begin a turn after one that the user interrupted.
      return {
        ...turn,
        outcome: turn.outcome === "interrupted" ? undefined : turn.outcome,
        isReplyToMate: step.isMates,
      };
    case "answer":
      return afterAnswer(turn, step);
    case "complaint":
      // After the end, messages concern something else, such as a command the user typed.
      if (turn.outcome !== undefined) return turn;
      return { ...turn, endedAtMs: asTimeMs(step.at) ?? turn.endedAtMs, text: step.text, complained: true };
    case "end":
      if (step.outcome === undefined) return turn;
      // The first outcome counts: agents write an ordinary end even after a failure.
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
  const acknowledges = refusedAtMs !== undefined && !((endedAtMs ?? 0) - refusedAtMs > refusalReplyMaxMs);
  // An answer after the end means that the turn continued: a background task finished.
  const { outcome: _, complained: __, tookMs: ___, ...going } = turn;
  return { ...going, endedAtMs, text, hasSpoken: true, refusedAtMs: acknowledges ? refusedAtMs : undefined };
}

function afterTool(
  turn: Turn,
  step: Extract<Step, { kind: "call" | "hook-question" | "grant" | "result" | "task" | "task-end" }>,
): Turn {
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
        calls: [...calls.slice(1 - maxOpenItems), openCall(id, step)],
        history: [...turn.history.filter((call) => call.id !== id), begunCall(id, step, turn.history)].slice(-maxCalls),
      };
    case "hook-question": {
      const ask = (call: OpenCall) =>
        call.id === id ? { ...call, asks: call.asks && { ...call.asks, reason: step.reason } } : call;
      return { ...turn, calls: turn.calls.map(ask) };
    }
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
      // A call that started the work is no longer a request.
      const others = turn.calls.filter((call) => call.id !== step.call);
      return {
        ...turn,
        calls: others,
        history: withAnswer(turn.history, asText(step.call), 0),
        tasks: [...tasks.slice(1 - maxOpenItems), omitUndefined<RunningTask>({ id, of: step.of, name: asLine(name) })],
      };
    }
    case "task-end":
      return { ...turn, tasks };
  }
}

function openCall(id: string, step: Extract<Step, { kind: "call" }>): OpenCall {
  const input = asObject(step.input) ?? {};
  const isSpawn = step.isSpawn === true;
  return { id, asks: readCall(step.tool, input), isSpawn, does: input.command ?? input.description };
}

/** Records the start of a call. Kimi Code writes a grant before its call, so the grant has only the call's id. */
function begunCall(id: string, { tool, input, at }: Extract<Step, { kind: "call" }>, history: readonly ToolCall[]) {
  const grant = history.find((call) => call.id === id && call.tool === undefined && call.atMs === undefined);
  const begun = { id, tool: asText(tool), input, atMs: asTimeMs(at), answeredAtMs: grant?.answeredAtMs };
  return omitUndefined<ToolCall>(begun);
}

/** Adds an answer to one of the calls; an answer without a time gets the latest possible time. */
function withAnswer(calls: readonly ToolCall[], id: string | undefined, time: unknown): readonly ToolCall[] {
  const answeredAtMs = asTimeMs(time) ?? Number.MAX_SAFE_INTEGER;
  // The first answer counts: an allowed call gets its result later.
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

/** Agents' own tools that edit files, and those that run commands; in lower case without `_`. */
const editingTools =
  /^(?:(?:multi|notebook)?edit|create|write(?:file)?|replace|strreplace(?:file|editor)|searchreplace|applypatch)$/;
const commandTools = /^(?:bash|powershell|(?:local)?shell|execcommand|execute|run(?:shell|terminal)command)$/;

/** Collects what calls did. Calls that are open, were refused or have failed did nothing. */
export function findDone(steps: readonly Step[]): DoneWork {
  const hasDone = (step: Step) => step.kind === "result" && !step.isRefused && !step.didNothing;
  const done = new Set(steps.filter(hasDone).map((step) => "id" in step && step.id));
  const calls = new Map(steps.flatMap((step) => (step.kind === "call" && done.has(step.id) ? [[step.id, step]] : [])));
  const agents = steps.flatMap((step) => (step.kind === "task" && step.of === "agent" ? (asText(step.id) ?? []) : []));
  return {
    agents: [...new Set(agents)],
    calls: [...calls.values()].flatMap(({ tool, input, at }) => {
      const name = (asText(tool) ?? "").replaceAll("_", "").toLowerCase();
      const atMs = asTimeMs(at) ?? Number.MAX_SAFE_INTEGER;
      if (commandTools.test(name)) return [{ atMs }];
      return editingTools.test(name) ? listFiles(toObject(input)).map((file) => ({ atMs, file })) : [];
    }),
  };
}

/** Lists the files that a call edits: those of a patch, or else its path. */
function listFiles(input: JsonObject): string[] {
  const patch = Object.values(input).find((value) => asText(value)?.startsWith("*** Begin Patch"));
  const named = [...(asText(patch) ?? "").matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)];
  const path = input.command === "view" ? undefined : findText(input, paths);
  return patch === undefined ? [path].filter((file) => file !== undefined) : named.map(([, file = ""]) => file);
}
