import type { TranscriptFormat } from "../../core/agent.ts";
import type { Facts } from "../../core/facts.ts";
import { present } from "../../core/present.ts";
import {
  asLine,
  asObject,
  asText,
  asTimeMs,
  isWhole,
  type JsonObject,
  objectsIn,
  parseObject,
  recordsOf,
  textOf,
} from "./record.ts";
import { sessionTokens } from "./tokens.ts";
import { type Step, turnFacts } from "./turn.ts";

/**
 * Droid's transcript, measured with 0.215.0: a `session_start` line, then `message` lines, and after each turn an
 * `agent_turn_outcome`. Token counts and model are in `<id>.settings.json` beside it, already current at Stop; the counts
 * are the session's own, without its sub-agents'.
 */
export const droidTranscript: TranscriptFormat = {
  companion: (transcriptPath) => transcriptPath.replace(/(?:\.jsonl)?$/, ".settings.json"),
  read(parts) {
    const [first] = recordsOf(parts.head);
    const start = first?.["type"] === "session_start" ? first : undefined;
    const records = recordsOf(parts.tail);
    const settings = parseObject(parts.companion ?? "");
    return present<Facts>({
      ...turnFacts(records.flatMap(stepsOf), isWhole(parts)),
      title: asLine(start?.["sessionTitle"]) ?? asLine(start?.["title"]),
      callingSessionId: asLine(start?.["callingSessionId"]),
      model: lastModel(records) ?? asLine(settings?.["model"]),
      tokens: sessionTokens(asObject(settings?.["tokenUsage"])),
    });
  },
};

const outcomes = new Map<unknown, NonNullable<Facts["turnOutcome"]>>([
  ["completed", "completed"],
  ["cancelled", "interrupted"],
  ["error", "failed"],
]);

function stepsOf(record: JsonObject): Step[] {
  if (record["type"] === "agent_turn_outcome") {
    const outcome = outcomes.get(record["reason"]);
    return outcome ? [{ kind: "end", outcome }] : [];
  }
  // Sub-agents' older transcripts have the message's fields on the line itself.
  const message = asObject(record["message"]) ?? record;
  const text = wordsOf(message["content"] ?? message["text"]);
  if (record["type"] !== "message" || isHidden(message) || text === undefined) return [];
  const atMs = asTimeMs(record["timestamp"]);
  const forUserOnly = message["visibility"] === "user_only";
  if (message["role"] === "assistant") return forUserOnly ? [] : [{ kind: "answer", atMs, text }];
  if (message["role"] !== "user") return [];
  // What Droid tells the user is a `user` message too, e.g. that the model's service refused the key.
  return forUserOnly ? [{ kind: "complaint", atMs, text }] : [{ kind: "prompt", atMs }];
}

/** Rows of hooks, and what only the model sees. */
function isHidden(message: JsonObject): boolean {
  return message["hookEventName"] !== undefined || message["visibility"] === "llm_only";
}

/** The words of a message, without what Droid slips in between them for the model. */
function wordsOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return textOf(content);
  return textOf(objectsIn(content).filter((block) => !asText(block["text"])?.startsWith("<system-reminder>")));
}

function lastModel(records: readonly JsonObject[]): string | undefined {
  const last = records.findLast((record) => asText(asObject(record["message"])?.["modelId"]));
  return asLine(asObject(last?.["message"])?.["modelId"]);
}
