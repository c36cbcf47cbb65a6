import { isAbsolute, join } from "node:path";
import { asText, at, type JsonObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { parseRecords } from "./record.ts";
import { readOutcome, type Step } from "./step.ts";

/**
 * Kimi Code's session record, tested with 2.1.0. The record's path is in an index, not in payloads. Token counts
 * cover only the part that was read. Each model call has one record.
 */
export const kimiTranscript = defineTranscript({
  isLate: true,
  index: {
    name: "session_index.jsonl",
    find(text, sessionId) {
      const entry = parseRecords(text).findLast((record) => record.sessionId === sessionId);
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
      steps: tail.flatMap(readSteps),
      model: calls.at(-1)?.model,
      usages: calls.map(({ usage }) => usage),
    };
  },
});

const outcomes = { completed: "completed", cancelled: "interrupted", failed: "failed" } as const;

/** Texts in the results of a refused command, plan or question. After feedback on a plan, Kimi continues. */
const refusal =
  /rejected the approval request|^Plan (?:rejected by user|approval dismissed)|"User dismissed the question/;

function readSteps({ type, time, event, info, ...record }: JsonObject): Step[] {
  switch (type) {
    case "turn.prompt":
      // A prompt with another origin is from Kimi itself, at the end of a background task.
      return at(record.origin, "kind") === "user" || record.origin === undefined ? [{ kind: "prompt", at: time }] : [];
    case "context.append_loop_event":
      return loopSteps(event, time);
    case "permission.record_approval_result": {
      const isRefused = at(record.result, "decision") === "rejected";
      const answer = { id: record.toolCallId, at: time };
      return [isRefused ? { kind: "result", isRefused, ...answer } : { kind: "grant", ...answer }];
    }
    case "task.started": {
      const of = at(info, "kind") === "process" ? "shell" : "agent";
      return [{ kind: "task", id: at(info, "taskId"), of, name: at(info, "command") }];
    }
    case "task.terminated":
      return [{ kind: "task-end", id: at(info, "taskId") }];
    case "turn.ended": {
      const outcome = readOutcome(record.reason, outcomes);
      return [{ kind: "end", outcome, text: at(record.error, "message"), tookMs: record.durationMs }];
    }
    default:
      return [];
  }
}

function loopSteps(event: unknown, time: unknown): Step[] {
  const id = at(event, "toolCallId");
  switch (at(event, "type")) {
    case "tool.call":
      return [{ kind: "call", id, tool: at(event, "name"), input: at(event, "args"), at: time }];
    case "tool.result": {
      const isRefused = refusal.test(asText(at(event, "result", "output")) ?? "");
      return [{ kind: "result", id, isRefused, at: time }];
    }
    default: {
      const text = at(event, "part", "type") === "text" ? asText(at(event, "part", "text")) : undefined;
      return [{ kind: "answer", at: time, text, id: at(event, "stepUuid") }];
    }
  }
}
