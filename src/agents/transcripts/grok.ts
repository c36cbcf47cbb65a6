import { dirname, join } from "node:path";
import { asText, at, type JsonObject, parseObject, toObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { objectsIn, parseRecords } from "./record.ts";
import { readOutcome, type Step } from "./step.ts";
import { openRequests } from "./turn.ts";

/**
 * Grok Build's log of a session's updates, tested with 1.0.41. Grok writes it late, so an answer may be missing when
 * its turn has ended. Token counts cover only the turns that were read. The title is in `summary.json` in the same
 * folder.
 */
export const grokTranscript = defineTranscript({
  isLate: true,
  companion: (transcriptPath) => join(dirname(transcriptPath), "summary.json"),
  tokenNames: {
    inputAndCache: "inputTokens",
    output: "outputTokens",
    cacheRead: "cachedReadTokens",
    cacheWrite: "cacheCreationTokens",
    thinking: "reasoningTokens",
  },
  subAgents: {
    findPath: (transcriptPath, id) => join(dirname(transcriptPath), "..", id, "updates.jsonl"),
    requests: (text) => openRequests(parseRecords(text).flatMap(readSteps)),
  },
  find({ tail, companion }) {
    const usages = objectsIn(tail.map(({ params }) => at(params, "update", "usage")));
    return {
      steps: joinChunks(linkSpawns(tail.flatMap(readSteps))),
      title: parseObject(companion)?.generated_title,
      model: Object.keys(toObject(usages.at(-1)?.modelUsage))[0],
      usages,
    };
  },
});

const outcomes = { end_turn: "completed", cancelled: "interrupted", error: "failed" } as const;

function readSteps({ params }: JsonObject): Step[] {
  const update = toObject(at(params, "update"));
  const timestamp = at(params, "_meta", "agentTimestampMs");
  switch (update.sessionUpdate) {
    case "user_message_chunk": {
      // Grok itself writes such a message at the end of a background task.
      const isOwn = asText(at(update, "content", "text"))?.startsWith("<system-reminder>") ?? false;
      return isOwn ? [] : [{ kind: "prompt", at: timestamp }];
    }
    case "tool_call":
      return [{ kind: "call", id: update.toolCallId, tool: update.title, input: update.rawInput, at: timestamp }];
    case "tool_call_update":
      if (update.status === undefined) return [];
      return [{ kind: "result", id: update.toolCallId, isRefused: isRefused(update.content), at: timestamp }];
    case "task_backgrounded":
      return [{ kind: "task", id: update.task_id, of: "shell", name: update.command }];
    case "task_completed":
      return [{ kind: "task-end", id: at(update.task_snapshot, "task_id") }];
    case "subagent_spawned":
      return [{ kind: "task", id: update.subagent_id, of: "agent", name: update.description }];
    case "subagent_finished":
      return [{ kind: "task-end", id: update.subagent_id }];
    case "agent_message_chunk": {
      const text = asText(at(update, "content", "text"));
      const stream = at(params, "_meta", "streamStartMs");
      return text === undefined ? [] : [{ kind: "answer", at: timestamp, text, id: String(stream) }];
    }
    case "turn_completed": {
      const outcome = readOutcome(update.stop_reason, outcomes);
      return [{ kind: "end", outcome, text: update.agent_result, tookMs: update.elapsed_ms }];
    }
    default:
      return [];
  }
}

/** True if the user refused a question or a command. */
function isRefused(content: unknown): boolean {
  const text = asText(at(objectsIn(content)[0], "content", "text")) ?? "";
  return /^User (?:declined to answer|rejected the execution|cancelled the execution)/.test(text);
}

/** Links each sub-agent to the last spawning call before it, because a sub-agent's line names no call. */
function linkSpawns(steps: readonly Step[]): Step[] {
  return steps.map((step, index) => {
    if (step.kind !== "task" || step.of !== "agent") return step;
    const call = steps
      .slice(0, index)
      .findLast((earlier) => earlier.kind === "call" && earlier.tool === "spawn_subagent");
    return call?.kind === "call" ? { ...step, call: call.id } : step;
  });
}

/** Joins the chunks of a prompt into one message, and the chunks of an answer stream into one message. */
function joinChunks(steps: readonly Step[]): Step[] {
  const joined: Step[] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    if (step.kind === "prompt" && last?.kind === "prompt") continue;
    const isSameAnswer = step.kind === "answer" && last?.kind === "answer" && last.id === step.id;
    if (isSameAnswer) joined.pop();
    joined.push(isSameAnswer ? { ...step, text: `${last.text}${step.text}` } : step);
  }
  return joined;
}
