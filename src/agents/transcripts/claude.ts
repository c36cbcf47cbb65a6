import type { TranscriptFormat } from "../../core/agent.ts";
import type { Facts, TokenUsage } from "../../core/facts.ts";
import { present } from "../../core/present.ts";
import { asCount, asLine, asObject, asText, asTimeMs, isWhole, type JsonObject, recordsOf, textOf } from "./record.ts";
import { sumTokens, tokensOf } from "./tokens.ts";
import { type Step, turnFacts } from "./turn.ts";

/**
 * Claude Code's transcript, measured with 2.1.197. Token counts are those of the part that was read, every API message
 * counted once although it may span lines.
 */
export const claudeTranscript: TranscriptFormat = {
  read(parts) {
    const whole = isWhole(parts);
    const tail = recordsOf(parts.tail);
    const records = whole ? tail : [...recordsOf(parts.head), ...tail];
    return present<Facts>({
      ...turnFacts(tail.flatMap(stepsOf), whole),
      title:
        lastLine(records, (record) => record["type"] === "custom-title" && record["customTitle"]) ??
        lastLine(records, (record) => record["type"] === "ai-title" && record["aiTitle"]) ??
        lastLine(records, (record) => record["type"] === "summary" && record["summary"]),
      branch: lastLine(records, (record) => record["gitBranch"] !== "HEAD" && record["gitBranch"]),
      model: lastLine(tail, modelOf),
      tokens: sumTokens(callsIn(tail).values(), whole),
    });
  },
};

/** Beginnings of `user` lines that nobody typed as a prompt: commands the program ran itself, and their output. */
const notPrompts = ["<command-name>", "<local-command-", "<bash-", "<task-notification>", "<system-reminder>"];

function stepsOf(record: JsonObject): Step[] {
  const message = asObject(record["message"]);
  const text = textOf(message?.["content"]);
  if (record["isMeta"] === true || record["isSidechain"] === true || record["isCompactSummary"] === true) return [];
  const atMs = asTimeMs(record["timestamp"]);
  if (record["type"] === "user" && text !== undefined) {
    if (text.startsWith("[Request interrupted by user")) return [{ kind: "end", outcome: "interrupted" }];
    return notPrompts.some((beginning) => text.startsWith(beginning)) ? [] : [{ kind: "prompt", atMs }];
  }
  if (record["type"] !== "assistant") return [];
  const id = asText(message?.["id"]);
  const answer: Step[] = text === undefined ? [] : [{ kind: "answer", atMs, text, ...(id !== undefined && { id }) }];
  if (record["isApiErrorMessage"] === true) return [...answer, { kind: "end", outcome: "failed" }];
  return message?.["stop_reason"] === "end_turn" ? [...answer, { kind: "end", outcome: "completed" }] : answer;
}

function modelOf(record: JsonObject): unknown {
  const model = asObject(record["message"])?.["model"];
  // The name Claude gives to messages it wrote itself.
  return record["isSidechain"] !== true && model !== "<synthetic>" && model;
}

function callsIn(records: readonly JsonObject[]): Map<unknown, TokenUsage> {
  const calls = new Map<unknown, TokenUsage>();
  for (const record of records) {
    const message = asObject(record["message"]);
    const usage = asObject(message?.["usage"]);
    const tokens = tokensOf({
      input: asCount(usage?.["input_tokens"]),
      output: asCount(usage?.["output_tokens"]),
      cacheRead: asCount(usage?.["cache_read_input_tokens"]),
      cacheWrite: asCount(usage?.["cache_creation_input_tokens"]),
    });
    // Later lines of a message carry the newer count.
    if (record["type"] === "assistant" && tokens) calls.set(asText(message?.["id"]) ?? record, tokens);
  }
  return calls;
}

function lastLine(records: readonly JsonObject[], pick: (record: JsonObject) => unknown): string | undefined {
  return asLine(pick(records.findLast((record) => asLine(pick(record)) !== undefined) ?? {}));
}
