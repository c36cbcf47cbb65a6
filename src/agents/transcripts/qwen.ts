import type { TranscriptFormat } from "../../core/agent.ts";
import type { Facts } from "../../core/facts.ts";
import { present } from "../../core/present.ts";
import { asCount, asLine, asObject, asTimeMs, isWhole, type JsonObject, partsText, recordsOf } from "./record.ts";
import { sumTokens, tokensOf, uncached } from "./tokens.ts";
import { type Step, turnFacts } from "./turn.ts";

/**
 * Qwen Code's transcript, measured with 0.15.10. Token counts are those of the part that was read, one `usageMetadata`
 * per assistant line; calls of Qwen's own helpers (titles, memory) are not among them.
 */
export const qwenTranscript: TranscriptFormat = {
  read(parts) {
    const whole = isWhole(parts);
    const records = recordsOf(parts.tail);
    const answers = records.filter((record) => record["type"] === "assistant");
    return present<Facts>({
      ...turnFacts(records.flatMap(stepsOf), whole),
      branch: asLine(records.findLast((record) => asLine(record["gitBranch"]))?.["gitBranch"]),
      model: asLine(answers.findLast((record) => asLine(record["model"]))?.["model"]),
      tokens: sumTokens(answers.map(usageOf), whole),
    });
  },
};

function stepsOf(record: JsonObject): Step[] {
  const text = partsText(asObject(record["message"])?.["parts"]);
  const atMs = asTimeMs(record["timestamp"]);
  if (text === undefined) return [];
  if (record["type"] === "user") return [{ kind: "prompt", atMs }];
  return record["type"] === "assistant" ? [{ kind: "answer", atMs, text }] : [];
}

function usageOf(record: JsonObject) {
  const usage = asObject(record["usageMetadata"]);
  return tokensOf({
    input: uncached(usage?.["promptTokenCount"], usage?.["cachedContentTokenCount"]),
    output: asCount(usage?.["candidatesTokenCount"]),
    cacheRead: asCount(usage?.["cachedContentTokenCount"]),
    thinking: asCount(usage?.["thoughtsTokenCount"]),
  });
}
