import type { TranscriptFormat } from "../../core/agent.ts";
import type { Facts, FoundFacts, RunningTask, TokenUsage, TurnWork } from "../../core/facts.ts";
import type { JsonObject } from "../../core/json-value.ts";
import { omitUndefined, type WithUndefined } from "../../core/omit-undefined.ts";
import { cut } from "../../text/cut.ts";
import { mask } from "../../text/mask/mask.ts";
import { asLine, parseRecords, shortLine } from "./record.ts";
import { readTokens, sumTokens, type TokenNames } from "./tokens.ts";
import { findDone, turnFacts } from "./turn.ts";

/** Records at the beginning (`head`) and at the end (`tail`) of a transcript. */
interface Records {
  readonly head: readonly JsonObject[];
  readonly tail: readonly JsonObject[];
  /** Records of both parts; only those of `tail` if it is the whole transcript. */
  readonly all: readonly JsonObject[];
  /** Text of the transcript's companion file. Empty if there is no such file. */
  readonly companion: string;
}

/** Facts that one agent's `find` reads from the records. A `title`, `branch` or `model` must be a text to count. */
interface Findings {
  readonly steps: readonly Step[];
  /** Lists the steps with those of sub-agents, if the transcript has both. */
  listAllSteps?(): readonly Step[];
  readonly title?: unknown;
  readonly branch?: unknown;
  readonly model?: unknown;
  readonly callingSessionId?: unknown;
  /** Facts about the session's work that are not in its steps. */
  readonly work?: WithUndefined<Partial<TurnWork>>;
  /** Token counts of the whole session, if the agent keeps them. */
  readonly tokens?: TokenUsage | undefined;
  /** Token counts of each model call in the part read, if the agent keeps no counts of the session. */
  readonly usages?: Iterable<unknown>;
}

/** Differences between agents that write transcripts as JSON Lines. */
interface TranscriptRules extends Omit<TranscriptFormat, "read"> {
  /** Names of the counts in `usages`. */
  readonly tokenNames?: TokenNames;
  find(records: Records): Findings;
}

/** Makes the format of a JSON Lines transcript. */
export function defineTranscript({ tokenNames = {}, find, ...files }: TranscriptRules): TranscriptFormat {
  return {
    ...files,
    read({ companion = "", isDoneWanted, ...parts }) {
      // A tail that begins with the head starts at the file's first line.
      const isComplete = parts.head !== "" && parts.tail.startsWith(parts.head);
      const [head, tail] = [parseRecords(parts.head), parseRecords(parts.tail)];
      const found = find({ head, tail, all: isComplete ? tail : [...head, ...tail], companion });
      const calls = [...(found.usages ?? [])].map((usage) => readTokens(usage, tokenNames));
      const turn = turnFacts(found.steps, isComplete);
      return omitUndefined<FoundFacts>({
        ...turn,
        work: {
          ...turn.work,
          ...omitUndefined({ ...found.work }),
          ...(isDoneWanted && { done: findDone(found.listAllSteps?.() ?? found.steps) }),
        },
        title:
          asLine(found.title) ??
          openingPrompt((isComplete ? found : find({ head, tail: head, all: head, companion })).steps),
        branch: asLine(found.branch),
        model: asLine(found.model),
        callingSessionId: asLine(found.callingSessionId),
        tokens: found.tokens ?? sumTokens(calls, isComplete),
      });
    },
  };
}

/** Longest title made from a prompt, graphemes. */
const titleGraphemes = 60;

/** Makes a one-line title for an untitled session from the first prompt that does not begin with a tag. */
function openingPrompt(steps: readonly Step[]): string | undefined {
  const lines = steps.map((step) => (step.kind === "prompt" ? shortLine(step.text) : undefined));
  const line = lines.find((candidate) => candidate !== undefined && !/^<\w/.test(candidate));
  return line && cut(mask(line), titleGraphemes, "graphemes"); // half a secret would not be recognized
}

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
      /** True if the call starts a sub-agent. */
      readonly isSpawn?: boolean;
    }
  /** A hook of the user gives the reason why the user is asked about a call. */
  | { readonly kind: "hook-question"; readonly id: unknown; readonly reason: string }
  /** The user allows a call, and the call continues. */
  | { readonly kind: "grant"; readonly id: unknown; readonly at: unknown }
  /** A call ends; `isRefused` if the user did not allow it, `didNothing` if it failed or was refused in another way. */
  | {
      readonly kind: "result";
      readonly id: unknown;
      readonly isRefused?: boolean;
      readonly didNothing?: boolean;
      readonly at?: unknown;
    }
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
