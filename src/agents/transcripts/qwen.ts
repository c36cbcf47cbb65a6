import { asObject, asText, at, type JsonObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { lastLine, objectsIn, partsText } from "./record.ts";
import type { Step } from "./step.ts";

/**
 * Qwen Code's transcript, tested with 0.15.10. Token counts cover only the part that was read. Each assistant line
 * has one `usageMetadata`. Calls for titles and memory are not included.
 */
export const qwenTranscript = defineTranscript({
  isLate: true,
  tokenNames: {
    inputAndCache: "promptTokenCount",
    output: "candidatesTokenCount",
    cacheRead: "cachedContentTokenCount",
    thinking: "thoughtsTokenCount",
  },
  find({ head, tail }) {
    const answers = tail.filter(({ type }) => type === "assistant");
    return {
      steps: tail.flatMap(readSteps),
      startedIn: head.find(({ cwd }) => asText(cwd))?.cwd,
      branch: lastLine(tail, ({ gitBranch }) => gitBranch),
      model: lastLine(answers, ({ model }) => model),
      usages: answers.map(({ usageMetadata }) => usageMetadata),
    };
  },
});

function readSteps({ type, subtype, timestamp, message }: JsonObject): Step[] {
  const parts = at(message, "parts");
  const text = partsText(parts);
  const calls = objectsIn(parts).flatMap(({ functionCall, functionResponse }) => [
    ...callSteps(asObject(functionCall), timestamp),
    ...resultSteps(asObject(functionResponse), timestamp),
  ]);
  if (type === "assistant") return [{ kind: "answer", at: timestamp, text }, ...calls];
  if (type !== "user" || text === undefined) return calls;
  // Qwen itself writes such a message at the end of a background task.
  const isOwn = subtype === "notification";
  return isOwn
    ? [{ kind: "task-end", id: /<task-id>([^<]+)</.exec(text)?.[1] }]
    : [{ kind: "prompt", at: timestamp, text }];
}

function callSteps(call: JsonObject | undefined, timestamp: unknown): Step[] {
  return call ? [{ kind: "call", id: call.id, tool: call.name, input: call.args, at: timestamp }] : [];
}

function resultSteps(result: JsonObject | undefined, timestamp: unknown): Step[] {
  if (result === undefined) return [];
  const isRefused = asText(at(result.response, "error"))?.startsWith("[Operation Cancelled]") ?? false;
  const [, shell] = /^Background shell started\.\nid: (\S+)/.exec(asText(at(result.response, "output")) ?? "") ?? [];
  return [
    { kind: "task", id: shell, of: "shell", call: result.id },
    { kind: "result", id: result.id, isRefused, at: timestamp },
  ];
}
