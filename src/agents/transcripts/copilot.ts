import { dirname, join } from "node:path";
import type { TranscriptFormat } from "../../core/agent.ts";
import type { Facts } from "../../core/facts.ts";
import { present } from "../../core/present.ts";
import {
  asCount,
  asLine,
  asObject,
  asText,
  asTimeMs,
  isWhole,
  type JsonObject,
  objectsIn,
  recordsOf,
  textOf,
} from "./record.ts";
import { sumTokens, tokensOf, uncached } from "./tokens.ts";
import { type Step, turnFacts } from "./turn.ts";

/**
 * GitHub Copilot CLI's events, measured with 1.0.102. Token counts are those of the part that was read, one record per
 * call of a model. The session's name is in a file beside it.
 */
export const copilotTranscript: TranscriptFormat = {
  companion: (transcriptPath) => join(dirname(transcriptPath), "workspace.yaml"),
  read({ head, tail, companion }) {
    const whole = isWhole({ head, tail });
    const records = recordsOf(tail).filter(({ agentId }) => agentId === undefined);
    const calls = records.filter(({ type }) => type === "session.usage_record");
    const usages = objectsIn(calls.map((record) => dataOf(record)["usage"]));
    const start = recordsOf(head).find(({ type }) => type === "session.start");
    return present<Facts>({
      ...turnFacts(records.flatMap(stepsOf), whole),
      title: companion === undefined ? undefined : nameIn(companion),
      branch: asLine(asObject(start && dataOf(start)["context"])?.["branch"]),
      model: asLine(usages.at(-1)?.["model"]),
      tokens: sumTokens(usages.map(tokensIn), whole),
    });
  },
};

function stepsOf(record: JsonObject): Step[] {
  const data = dataOf(record);
  const atMs = asTimeMs(record["timestamp"]);
  const text = textOf(data["content"]);
  const id = asText(data["messageId"]);
  switch (record["type"]) {
    case "user.message":
      return [{ kind: "prompt", atMs }];
    case "assistant.message":
      return text === undefined ? [] : [{ kind: "answer", atMs, text, ...(id !== undefined && { id }) }];
    case "session.error":
      return [{ kind: "end", outcome: "failed", text: asText(data["message"]) }];
    case "abort":
      return [{ kind: "end", outcome: "interrupted" }];
    default:
      return [];
  }
}

function tokensIn(usage: JsonObject) {
  return tokensOf({
    input: uncached(usage["inputTokens"], usage["cacheReadTokens"], usage["cacheWriteTokens"]),
    output: asCount(usage["outputTokens"]),
    cacheRead: asCount(usage["cacheReadTokens"]),
    cacheWrite: asCount(usage["cacheWriteTokens"]),
  });
}

function dataOf(record: JsonObject): JsonObject {
  return asObject(record["data"]) ?? {};
}

/** The session's name in its YAML: a plain scalar, or one in quotes. */
function nameIn(yaml: string): string | undefined {
  const [, value = ""] = /^name: (.*)$/m.exec(yaml) ?? [];
  const [, , quoted] = /^(["'])(.*)\1$/.exec(value) ?? [];
  return asLine(quoted ?? value);
}
