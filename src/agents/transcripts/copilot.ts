import { dirname, join } from "node:path";
import { at, type JsonObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { asLine, objectsIn, textOf } from "./record.ts";
import type { Step } from "./turn.ts";

/**
 * GitHub Copilot CLI's event log, measured with 1.0.102. Token counts are those of the part that was read, one record per
 * model call. The session's name is in `workspace.yaml` in the same folder.
 */
export const copilotTranscript = defineTranscript({
  companion: (transcriptPath) => join(dirname(transcriptPath), "workspace.yaml"),
  tokenNames: {
    inputAndCache: "inputTokens",
    output: "outputTokens",
    cacheRead: "cacheReadTokens",
    cacheWrite: "cacheWriteTokens",
  },
  find({ head, tail, companion }) {
    const records = tail.filter(({ agentId }) => agentId === undefined);
    const calls = records.filter(({ type }) => type === "session.usage_record");
    const usages = objectsIn(calls.map(({ data }) => at(data, "usage")));
    const start = head.find(({ type }) => type === "session.start");
    return {
      steps: records.flatMap(stepsOf),
      title: nameIn(companion),
      branch: at(start, "data", "context", "branch"),
      model: usages.at(-1)?.model,
      usages,
    };
  },
});

function stepsOf({ type, timestamp, data }: JsonObject): Step[] {
  switch (type) {
    case "user.message":
      return [{ kind: "prompt", at: timestamp }];
    case "assistant.message":
      return [{ kind: "answer", at: timestamp, text: textOf(at(data, "content")), id: at(data, "messageId") }];
    case "session.error":
      return [{ kind: "end", outcome: "failed", text: at(data, "message") }];
    case "abort":
      return [{ kind: "end", outcome: "interrupted" }];
    default:
      return [];
  }
}

/** The session's name in its YAML file: a plain or quoted scalar. */
function nameIn(yaml: string): string | undefined {
  const [, value = ""] = /^name: (.*)$/m.exec(yaml) ?? [];
  const [, , quoted] = /^(["'])(.*)\1$/.exec(value) ?? [];
  return asLine(quoted ?? value);
}
