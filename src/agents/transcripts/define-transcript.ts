import type { TranscriptFormat } from "../../core/agent.ts";
import type { FoundFacts, TokenUsage } from "../../core/facts.ts";
import type { JsonObject } from "../../core/json-value.ts";
import { asText } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { cut } from "../../text/cut.ts";
import { asLine, isWhole, parseRecords, shortLine } from "./record.ts";
import type { Step } from "./step.ts";
import { readTokens, sumTokens, type TokenNames } from "./tokens.ts";
import { turnFacts } from "./turn.ts";

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
  readonly title?: unknown;
  readonly branch?: unknown;
  readonly model?: unknown;
  readonly callingSessionId?: unknown;
  /** Folder in which the session was started. */
  readonly startedIn?: unknown;
  /** True if the session is known to have no terminal. */
  readonly isHeadless?: boolean;
  /** True if the agent decided its last request on its own. */
  readonly isDecided?: boolean;
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
    read({ companion = "", ...parts }) {
      const isComplete = isWhole(parts);
      const [head, tail] = [parseRecords(parts.head), parseRecords(parts.tail)];
      const found = find({ head, tail, all: isComplete ? tail : [...head, ...tail], companion });
      const calls = [...(found.usages ?? [])].map((usage) => readTokens(usage, tokenNames));
      const turn = turnFacts(found.steps, isComplete);
      return omitUndefined<FoundFacts>({
        ...turn,
        work: {
          ...turn.work,
          ...omitUndefined({ startedIn: asText(found.startedIn) }),
          ...(found.isHeadless && { isHeadless: true }),
          ...(found.isDecided && { isDecided: true }),
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
  return line && cut(line, titleGraphemes, "graphemes");
}
