import { isAbsolute, join } from "node:path";
import type { TranscriptFormat } from "../../core/agent.ts";
import type { Facts } from "../../core/facts.ts";
import { present } from "../../core/present.ts";
import { asCount, asLine, asObject, asText, asTimeMs, isWhole, type JsonObject, recordsOf } from "./record.ts";
import { sumTokens, tokensOf } from "./tokens.ts";
import { type Step, turnFacts } from "./turn.ts";

/**
 * Kimi Code's record of a session, measured with 2.1.0. Its payloads do not say where it is, an index does. Token counts
 * are those of the part that was read, one record per call of a model.
 */
export const kimiTranscript: TranscriptFormat = {
  index: {
    name: "session_index.jsonl",
    find(text, sessionId) {
      const entry = recordsOf(text).findLast((record) => record["sessionId"] === sessionId);
      const folder = asText(entry?.["sessionDir"]);
      return folder && isAbsolute(folder) ? join(folder, "agents", "main", "wire.jsonl") : undefined;
    },
  },
  read(parts) {
    const whole = isWhole(parts);
    const records = recordsOf(parts.tail);
    const usages = records.filter(({ type, usageScope }) => type === "usage.record" && usageScope === "turn");
    return present<Facts>({
      ...turnFacts(records.flatMap(stepsOf), whole),
      model: asLine(usages.at(-1)?.["model"]),
      tokens: sumTokens(usages.map(tokensIn), whole),
    });
  },
};

const outcomes = { completed: "completed", cancelled: "interrupted", failed: "failed" } as const;

function stepsOf(record: JsonObject): Step[] {
  const atMs = asTimeMs(record["time"]);
  if (record["type"] === "turn.prompt") return [{ kind: "prompt", atMs }];
  if (record["type"] === "context.append_loop_event") {
    const event = asObject(record["event"]);
    const part = asObject(event?.["part"]);
    const text = part?.["type"] === "text" ? asText(part["text"]) : undefined;
    const id = asText(event?.["stepUuid"]);
    return text === undefined ? [] : [{ kind: "answer", atMs, text, ...(id !== undefined && { id }) }];
  }
  if (record["type"] !== "turn.ended") return [];
  const outcome = outcomes[record["reason"] as keyof typeof outcomes];
  const text = asText(asObject(record["error"])?.["message"]);
  return outcome ? [{ kind: "end", outcome, text, tookMs: asCount(record["durationMs"]) }] : [];
}

function tokensIn(record: JsonObject) {
  const usage = asObject(record["usage"]);
  return tokensOf({
    input: asCount(usage?.["inputOther"]),
    output: asCount(usage?.["output"]),
    cacheRead: asCount(usage?.["inputCacheRead"]),
    cacheWrite: asCount(usage?.["inputCacheCreation"]),
  });
}
