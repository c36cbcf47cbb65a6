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
  partsText,
  recordsOf,
} from "./record.ts";
import { sumTokens, tokensOf, uncached } from "./tokens.ts";
import { type Step, turnFacts } from "./turn.ts";

/**
 * Gemini CLI's chat recording. Not a plain list: a message that changes is written again under its id, `$set` replaces
 * fields of the whole, `$rewindTo` takes messages back. Token counts are those of the part that was read.
 * From https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingService.ts
 */
export const geminiTranscript: TranscriptFormat = {
  read(parts) {
    const whole = isWhole(parts);
    const tail = recordsOf(parts.tail);
    const messages = [...replay(tail).values()];
    const answers = messages.filter((message) => message["type"] === "gemini");
    const summary = tail.findLast((record) => asLine(asObject(record["$set"])?.["summary"]));
    return present<Facts>({
      ...turnFacts(messages.flatMap(stepsOf), whole),
      title: asLine(asObject(summary?.["$set"])?.["summary"]),
      model: asLine(answers.findLast((message) => asLine(message["model"]))?.["model"]),
      tokens: sumTokens(answers.map(usageOf), whole),
    });
  },
};

function replay(records: readonly JsonObject[]): Map<string, JsonObject> {
  const messages = new Map<string, JsonObject>();
  const add = (message: JsonObject): void => {
    const id = asText(message["id"]);
    if (id !== undefined) messages.set(id, message);
  };
  for (const record of records) {
    const replaced = asObject(record["$set"])?.["messages"];
    if (Array.isArray(replaced)) messages.clear();
    for (const message of objectsIn(replaced)) add(message);
    rewind(messages, asText(record["$rewindTo"]));
    add(record);
  }
  return messages;
}

/** Takes back the message and all after it. */
function rewind(messages: Map<string, JsonObject>, to: string | undefined): void {
  if (to === undefined || !messages.has(to)) return;
  const ids = [...messages.keys()];
  for (const id of ids.slice(ids.indexOf(to))) messages.delete(id);
}

function stepsOf(message: JsonObject): Step[] {
  const text = partsText(message["content"]);
  const atMs = asTimeMs(message["timestamp"]);
  if (text === undefined) return [];
  switch (message["type"]) {
    case "user":
      return /^<(?:session|hook)_context>/.test(text) ? [] : [{ kind: "prompt", atMs }];
    case "gemini":
      return [{ kind: "answer", atMs, text }];
    case "error":
      return [
        { kind: "complaint", atMs, text },
        { kind: "end", outcome: "failed" },
      ];
    case "info":
      return text === "Request cancelled." ? [{ kind: "end", outcome: "interrupted" }] : [];
    default:
      return [];
  }
}

function usageOf(message: JsonObject) {
  const tokens = asObject(message["tokens"]);
  return tokensOf({
    input: uncached(tokens?.["input"], tokens?.["cached"]),
    output: asCount(tokens?.["output"]),
    cacheRead: asCount(tokens?.["cached"]),
    thinking: asCount(tokens?.["thoughts"]),
  });
}
