import { asObject, at, type JsonObject, parseObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { asLine, asText, lastLine, objectsIn, openCalls, textOf } from "./record.ts";
import { sessionTokens } from "./tokens.ts";
import { outcomeOf, type Step } from "./turn.ts";

/**
 * Droid's transcript, measured with 0.215.0: a `session_start` line, then `message` lines, and after each turn an
 * `agent_turn_outcome`. Token counts and model are in `<id>.settings.json` beside it, up to date at Stop; the counts are
 * the session's own, without its sub-agents'.
 */
export const droidTranscript = defineTranscript({
  companion: (transcriptPath) => transcriptPath.replace(/(?:\.jsonl)?$/, ".settings.json"),
  find({ head, tail, companion }) {
    const start = head[0]?.type === "session_start" ? head[0] : undefined;
    const settings = parseObject(companion);
    return {
      steps: tail.flatMap(stepsOf),
      title: asLine(start?.sessionTitle) ?? start?.title,
      callingSessionId: start?.callingSessionId,
      model: lastLine(tail, ({ message }) => at(message, "modelId")) ?? settings?.model,
      openCalls: openCalls(tail),
      tokens: sessionTokens(settings?.tokenUsage),
    };
  },
});

const outcomes = { completed: "completed", cancelled: "interrupted", error: "failed" } as const;

function stepsOf(record: JsonObject): Step[] {
  const { type, timestamp } = record;
  if (type === "agent_turn_outcome") return [{ kind: "end", outcome: outcomeOf(record.reason, outcomes) }];
  // Older transcripts of sub-agents have the message's fields on the line itself.
  const message = asObject(record.message) ?? record;
  const text = spokenText(message.content ?? message.text);
  if (type !== "message" || isHidden(message) || text === undefined) return [];
  const forUserOnly = message.visibility === "user_only";
  if (message.role === "assistant") return forUserOnly ? [] : [{ kind: "answer", at: timestamp, text }];
  if (message.role !== "user") return [];
  // Droid's own messages to the user are `user` messages too, e.g. that the model's service rejected the key.
  return forUserOnly ? [{ kind: "complaint", at: timestamp, text }] : [{ kind: "prompt", at: timestamp }];
}

/** Whether a message is a row about a hook, or for the model alone. */
function isHidden({ hookEventName, visibility }: JsonObject): boolean {
  return hookEventName !== undefined || visibility === "llm_only";
}

/** A message's text without the reminders that Droid inserts for the model. */
function spokenText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return textOf(content);
  return textOf(objectsIn(content).filter(({ text }) => !asText(text)?.startsWith("<system-reminder>")));
}
