import { dirname, join } from "node:path";
import type { TranscriptFormat } from "../../core/agent.ts";
import type { Facts, TokenUsage } from "../../core/facts.ts";
import { present } from "../../core/present.ts";
import { asCount, asLine, asObject, asText, asTimeMs, isWhole, type JsonObject, recordsOf, textOf } from "./record.ts";
import { tokensOf, uncached } from "./tokens.ts";
import { type Step, turnFacts } from "./turn.ts";

/**
 * Codex' rollout file, measured with 0.169.0: lines `{timestamp, type, payload}`. The thread's name is not in it but in
 * `session_index.jsonl` in Codex' own folder, four folders above `sessions/<year>/<month>/<day>/`.
 */
export const codexTranscript: TranscriptFormat = {
  companion: (transcriptPath) => join(dirname(transcriptPath), "..", "..", "..", "..", "session_index.jsonl"),
  read(parts) {
    const whole = isWhole(parts);
    const tail = recordsOf(parts.tail);
    const records = whole ? tail : [...recordsOf(parts.head), ...tail];
    const meta = payloadOf(records.find((record) => record["type"] === "session_meta"));
    const context = payloadOf(records.findLast((record) => record["type"] === "turn_context"));
    return present<Facts>({
      ...turnFacts(tail.flatMap(stepsOf), whole),
      title: threadName(parts.companion ?? "", threadId(records)),
      branch: asLine(asObject(meta?.["git"])?.["branch"]),
      model: asLine(context?.["model"]),
      tokens: tail.reduce<TokenUsage | undefined>((newest, record) => totalOf(record) ?? newest, undefined),
    });
  },
};

function payloadOf(record: JsonObject | undefined): JsonObject | undefined {
  return asObject(record?.["payload"]);
}

function stepsOf(record: JsonObject): Step[] {
  const payload = payloadOf(record);
  if (record["type"] !== "event_msg" || payload === undefined) return [];
  const atMs = asTimeMs(record["timestamp"]);
  const tookMs = asCount(payload["duration_ms"]);
  switch (payload["type"]) {
    case "task_started":
      return [{ kind: "start", atMs }];
    case "item_completed":
      return itemSteps(asObject(payload["item"]), atMs);
    // Codex before it wrote items.
    case "user_message":
      return [{ kind: "prompt", atMs }];
    case "agent_message":
      return answer(asText(payload["message"]), atMs);
    case "error":
      return [...answer(asText(payload["message"]), atMs), { kind: "end", outcome: "failed" }];
    case "task_complete":
      return [{ kind: "end", outcome: "completed", text: asText(payload["last_agent_message"]), tookMs }];
    case "turn_aborted":
      return [{ kind: "end", outcome: "interrupted", tookMs }];
    default:
      return [];
  }
}

function itemSteps(item: JsonObject | undefined, atMs: number | undefined): Step[] {
  if (item?.["type"] === "UserMessage") return [{ kind: "prompt", atMs }];
  return item?.["type"] === "AgentMessage" ? answer(textOf(item["content"]), atMs) : [];
}

function answer(text: string | undefined, atMs: number | undefined): Step[] {
  return text === undefined ? [] : [{ kind: "answer", atMs, text }];
}

/** The thread's total as of this line. */
function totalOf(record: JsonObject): TokenUsage | undefined {
  const payload = payloadOf(record);
  const usage =
    record["type"] === "token_usage_record"
      ? asObject(payload?.["thread_token_usage"])
      : payload?.["type"] === "token_count"
        ? asObject(asObject(payload["info"])?.["total_token_usage"])
        : undefined;
  return tokensOf({
    input: uncached(usage?.["input_tokens"], usage?.["cached_input_tokens"], usage?.["cache_write_input_tokens"]),
    output: asCount(usage?.["output_tokens"]),
    cacheRead: asCount(usage?.["cached_input_tokens"]),
    cacheWrite: asCount(usage?.["cache_write_input_tokens"]),
    thinking: asCount(usage?.["reasoning_output_tokens"]),
  });
}

/** From `session_meta`, or, as that line can be longer than the part that is read, from a later line. */
function threadId(records: readonly JsonObject[]): string | undefined {
  for (const record of records) {
    const payload = payloadOf(record);
    const id = record["type"] === "session_meta" ? payload?.["id"] : payload?.["thread_id"];
    if (asText(id) !== undefined) return asText(id);
  }
  return undefined;
}

function threadName(index: string, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  return asLine(recordsOf(index).findLast((entry) => entry["id"] === id)?.["thread_name"]);
}
