import { at, type JsonObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { asText, lastLine, objectsIn, partsText } from "./record.ts";
import type { Step } from "./turn.ts";

/**
 * Gemini CLI's chat recording. It has to be replayed: a message that changes is written again under its id, `$set`
 * replaces fields of the recording, `$rewindTo` removes messages. Token counts are those of the part that was read.
 * From https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingService.ts
 */
export const geminiTranscript = defineTranscript({
  tokenNames: { inputAndCache: "input", output: "output", cacheRead: "cached", thinking: "thoughts" },
  find({ tail }) {
    const messages = [...replay(tail).values()];
    const answers = messages.filter(({ type }) => type === "gemini");
    return {
      steps: messages.flatMap(stepsOf),
      title: lastLine(tail, ({ $set }) => at($set, "summary")),
      model: lastLine(answers, ({ model }) => model),
      usages: answers.map(({ tokens }) => tokens),
    };
  },
});

function replay(records: readonly JsonObject[]): Map<string, JsonObject> {
  const messages = new Map<string, JsonObject>();
  const add = (message: JsonObject): void => {
    const id = asText(message.id);
    if (id !== undefined) messages.set(id, message);
  };
  for (const record of records) {
    const replaced = at(record.$set, "messages");
    if (Array.isArray(replaced)) messages.clear();
    for (const message of objectsIn(replaced)) add(message);
    rewind(messages, asText(record.$rewindTo));
    add(record);
  }
  return messages;
}

/** Removes the message of that id and all after it. */
function rewind(messages: Map<string, JsonObject>, to: string | undefined): void {
  if (to === undefined || !messages.has(to)) return;
  const ids = [...messages.keys()];
  for (const id of ids.slice(ids.indexOf(to))) messages.delete(id);
}

function stepsOf({ type, timestamp, content }: JsonObject): Step[] {
  const text = partsText(content);
  if (text === undefined) return [];
  switch (type) {
    case "user":
      return /^<(?:session|hook)_context>/.test(text) ? [] : [{ kind: "prompt", at: timestamp }];
    case "gemini":
      return [{ kind: "answer", at: timestamp, text }];
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
