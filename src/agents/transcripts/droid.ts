import { asObject, asText, at, type JsonObject, parseObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { asLine, findBlocks, lastLine, objectsIn, readText } from "./record.ts";
import { readOutcome, type Step } from "./step.ts";
import { sessionTokens } from "./tokens.ts";

/**
 * Droid's transcript, tested with 0.215.0: a `session_start` line, then `message` lines, and an `agent_turn_outcome`
 * after each turn. Token counts and model are in `<id>.settings.json` in the same folder; that file is up to date at
 * Stop. The counts exclude sub-agents.
 */
export const droidTranscript = defineTranscript({
  companion: (transcriptPath) => transcriptPath.replace(/(?:\.jsonl)?$/, ".settings.json"),
  find({ head, tail, companion }) {
    const start = head[0]?.type === "session_start" ? head[0] : undefined;
    const settings = parseObject(companion);
    return {
      steps: tail.flatMap(readSteps),
      title: asLine(start?.sessionTitle) ?? start?.title,
      startedIn: start?.cwd,
      callingSessionId: start?.callingSessionId,
      model: lastLine(tail, ({ message }) => at(message, "modelId")) ?? settings?.model,
      tokens: sessionTokens(settings?.tokenUsage),
    };
  },
});

const outcomes = { completed: "completed", cancelled: "interrupted", error: "failed" } as const;

/** Droid's message if the model gave no answer. The message counts neither as a failure nor as an answer. */
const emptyAnswers = "The model produced several consecutive responses with no visible output";

/** Beginnings of a tool's result after a refused plan, and after other refusals in each of Droid's languages. */
const refusals = [
  "Plan not approved",
  "Tool execution cancelled by user",
  "Esecuzione dello strumento annullata dall'utente",
  "ツール実行がユーザーによりキャンセルされました",
  "工具执行已被用户取消",
  "사용자가 도구 실행을 취소했습니다",
];

function readSteps(record: JsonObject): Step[] {
  const { type, timestamp } = record;
  if (type === "agent_turn_outcome") return [{ kind: "end", outcome: readOutcome(record.reason, outcomes) }];
  // In older transcripts of sub-agents, the message's fields are in the record itself.
  const message = asObject(record.message) ?? record;
  if (type !== "message" || isHidden(message)) return [];
  const content = message.content ?? message.text;
  const text = spokenText(content);
  const isForUserOnly = message.visibility === "user_only";
  if (message.role === "assistant") {
    return isForUserOnly ? [] : [{ kind: "answer", at: timestamp, text }, ...callSteps(content, timestamp)];
  }
  if (message.role !== "user") return [];
  if (text === undefined) return resultSteps(content, timestamp);
  if (asText(record.id)?.startsWith("task-completion:")) return [{ kind: "task-end", id: taskIdIn(text) }];
  if (!isForUserOnly) return [{ kind: "prompt", at: timestamp }];
  // Droid's own messages to the user are also `user` messages, for example about a rejected key.
  return text.startsWith(emptyAnswers) ? [] : [{ kind: "complaint", at: timestamp, text }];
}

function callSteps(content: unknown, timestamp: unknown): Step[] {
  return findBlocks(content, "tool_use").map(
    ({ id, name, input }): Step => ({ kind: "call", id, tool: name, input, at: timestamp }),
  );
}

function resultSteps(content: unknown, timestamp: unknown): Step[] {
  return findBlocks(content, "tool_result").flatMap(({ tool_use_id: id, content: result }): Step[] => {
    const text = readText(result) ?? "";
    const isRefused = refusals.some((words) => text.replace(/^Error: /, "").startsWith(words));
    const hasStarted = text.startsWith("Task launched in background");
    const task: Step = { kind: "task", id: taskIdIn(text), of: "agent", call: id };
    return [...(hasStarted ? [task] : []), { kind: "result", id, isRefused, at: timestamp }];
  });
}

function taskIdIn(text: string): string | undefined {
  return /^task_id: (\S+)$/m.exec(text)?.[1];
}

/** Tells if a message is a row about a hook or is meant for the model only. */
function isHidden({ hookEventName, visibility }: JsonObject): boolean {
  return hookEventName !== undefined || visibility === "llm_only";
}

/** Returns a message's text without the reminders that Droid inserts for the model. */
function spokenText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return readText(content);
  return readText(objectsIn(content).filter(({ text }) => !asText(text)?.startsWith("<system-reminder>")));
}
