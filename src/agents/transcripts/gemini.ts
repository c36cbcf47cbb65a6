import { asText, at, type JsonObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { lastLine, objectsIn, partsText } from "./record.ts";
import type { Step } from "./step.ts";

/**
 * Gemini CLI's chat recording. The file must be replayed: a changed message is written again with the same id, `$set`
 * replaces fields of the recording, and `$rewindTo` removes messages. Token counts cover the part read. From
 * https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingService.ts
 */
export const geminiTranscript = defineTranscript({
  tokenNames: { inputAndCache: "input", output: "output", cacheRead: "cached", thinking: "thoughts" },
  find({ tail }) {
    const messages = [...replay(tail).values()];
    const answers = messages.filter(({ type }) => type === "gemini");
    return {
      steps: [...messages.flatMap(readSteps), ...readAbandonedTurn(tail, messages.at(-1))],
      title: lastLine(tail, ({ $set }) => at($set, "summary")),
      model: lastLine(answers, ({ model }) => model),
      usages: answers.map(({ tokens }) => tokens),
    };
  },
});

/**
 * Rebuilds the messages as the user saw them. `$set` contains the model's list, without failed and cancelled messages.
 * This list is used only for messages before the recording's own messages.
 */
function replay(records: readonly JsonObject[]): Map<string, JsonObject> {
  const replayed = new Map<string, JsonObject>();
  let snapshot: readonly JsonObject[] = [];
  for (const record of records) {
    const messages = at(record.$set, "messages");
    if (Array.isArray(messages) && replayed.size === 0) snapshot = objectsIn(messages);
    rewind(replayed, asText(record.$rewindTo));
    const id = asText(record.id);
    if (id !== undefined) replayed.set(id, record);
  }
  const before = snapshot.flatMap((message): [string, JsonObject][] => {
    const id = asText(message.id);
    return id === undefined || replayed.has(id) ? [] : [[id, message]];
  });
  return new Map([...before, ...replayed]);
}

/** Finds the end of a turn that the model never answered. The model's list lacks the prompt of such a turn. */
function readAbandonedTurn(records: readonly JsonObject[], last: JsonObject | undefined): Step[] {
  const from = records.findLastIndex(({ id }) => id !== undefined && id === last?.id);
  const snapshot =
    from < 0 ? undefined : records.slice(from).findLast(({ $set }) => Array.isArray(at($set, "messages")));
  if (last?.type !== "user" || snapshot === undefined) return [];
  const isKept = objectsIn(at(snapshot.$set, "messages")).some(({ id }) => id === last.id);
  return isKept ? [] : [{ kind: "end", outcome: "failed", at: at(snapshot.$set, "lastUpdated") }];
}

/** Removes the message with that id and all later messages. */
function rewind(messages: Map<string, JsonObject>, to: string | undefined): void {
  if (to === undefined || !messages.has(to)) return;
  const ids = [...messages.keys()];
  for (const id of ids.slice(ids.indexOf(to))) messages.delete(id);
}

function readSteps({ type, timestamp, content }: JsonObject): Step[] {
  const text = partsText(content);
  if (type === "gemini") return [{ kind: "answer", at: timestamp, text }];
  if (text === undefined) return [];
  switch (type) {
    case "user":
      return /^<(?:session|hook)_context>/.test(text) ? [] : [{ kind: "prompt", at: timestamp, text }];
    case "error":
      return [
        { kind: "complaint", at: timestamp, text },
        { kind: "end", outcome: "failed" },
      ];
    case "info":
      return text === "Request cancelled." ? [{ kind: "end", outcome: "interrupted" }] : [];
    default:
      return [];
  }
}
