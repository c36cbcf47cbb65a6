import { isAbsolute, join } from "node:path";
import { at, type JsonObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { asText, recordsOf } from "./record.ts";
import { outcomeOf, type Step } from "./turn.ts";

/**
 * Kimi Code's record of a session, measured with 2.1.0. Its path is in an index, not in payloads. Token counts are those
 * of the part that was read, one record per model call.
 */
export const kimiTranscript = defineTranscript({
  index: {
    name: "session_index.jsonl",
    find(text, sessionId) {
      const entry = recordsOf(text).findLast((record) => record.sessionId === sessionId);
      const folder = asText(entry?.sessionDir);
      return folder && isAbsolute(folder) ? join(folder, "agents", "main", "wire.jsonl") : undefined;
    },
  },
  tokenNames: {
    input: "inputOther",
    output: "output",
    cacheRead: "inputCacheRead",
    cacheWrite: "inputCacheCreation",
  },
  find({ tail }) {
    const calls = tail.filter(({ type, usageScope }) => type === "usage.record" && usageScope === "turn");
    return {
      steps: tail.flatMap(stepsOf),
      model: calls.at(-1)?.model,
      usages: calls.map(({ usage }) => usage),
    };
  },
});

const outcomes = { completed: "completed", cancelled: "interrupted", failed: "failed" } as const;

function stepsOf({ type, time, event, ...record }: JsonObject): Step[] {
  switch (type) {
    case "turn.prompt":
      return [{ kind: "prompt", at: time }];
    case "context.append_loop_event": {
      const text = at(event, "part", "type") === "text" ? asText(at(event, "part", "text")) : undefined;
      return [{ kind: "answer", at: time, text, id: at(event, "stepUuid") }];
    }
    case "turn.ended": {
      const outcome = outcomeOf(record.reason, outcomes);
      return [{ kind: "end", outcome, text: at(record.error, "message"), tookMs: record.durationMs }];
    }
    default:
      return [];
  }
}
