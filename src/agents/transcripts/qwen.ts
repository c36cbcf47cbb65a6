import { at, type JsonObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { lastLine, partsText } from "./record.ts";
import type { Step } from "./turn.ts";

/**
 * Qwen Code's transcript, measured with 0.15.10. Token counts are those of the part that was read, one `usageMetadata`
 * per assistant line; the calls Qwen makes for titles and memory are not included.
 */
export const qwenTranscript = defineTranscript({
  tokenNames: {
    inputAndCache: "promptTokenCount",
    output: "candidatesTokenCount",
    cacheRead: "cachedContentTokenCount",
    thinking: "thoughtsTokenCount",
  },
  find({ tail }) {
    const answers = tail.filter(({ type }) => type === "assistant");
    return {
      steps: tail.flatMap(stepsOf),
      branch: lastLine(tail, ({ gitBranch }) => gitBranch),
      model: lastLine(answers, ({ model }) => model),
      usages: answers.map(({ usageMetadata }) => usageMetadata),
    };
  },
});

function stepsOf({ type, timestamp, message }: JsonObject): Step[] {
  const text = partsText(at(message, "parts"));
  if (text === undefined) return [];
  if (type === "user") return [{ kind: "prompt", at: timestamp }];
  return type === "assistant" ? [{ kind: "answer", at: timestamp, text }] : [];
}
