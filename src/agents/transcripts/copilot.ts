import { dirname, join } from "node:path";
import { asText, at, type JsonObject } from "../../core/json-value.ts";
import { defineTranscript } from "./define-transcript.ts";
import { asLine, objectsIn, readText } from "./record.ts";
import type { Step } from "./step.ts";

/**
 * GitHub Copilot CLI's event log, tested with 1.0.102. Token counts cover only the part that was read. Each model
 * call has one record. The session's name is in `workspace.yaml` in the same folder.
 */
export const copilotTranscript = defineTranscript({
  findPath: (folder, sessionId) => join(folder, "session-state", sessionId, "events.jsonl"),
  companion: (transcriptPath) => join(dirname(transcriptPath), "workspace.yaml"),
  tokenNames: {
    inputAndCache: "inputTokens",
    output: "outputTokens",
    cacheRead: "cacheReadTokens",
    cacheWrite: "cacheWriteTokens",
  },
  find({ head, tail, companion }) {
    const records = tail.filter(({ agentId, type }) => agentId === undefined || taskEvents.has(String(type)));
    const calls = records.filter(({ type }) => type === "session.usage_record");
    const usages = objectsIn(calls.map(({ data }) => at(data, "usage")));
    const start = head.find(({ type }) => type === "session.start");
    return {
      steps: records.flatMap(readSteps),
      title: nameIn(companion),
      branch: at(start, "data", "context", "branch"),
      model: usages.at(-1)?.model,
      usages,
      isDecided: isDecided(tail),
    };
  },
});

/** Events for the start and end of a sub-agent. All other events with a sub-agent's id are internal. */
const taskEvents: ReadonlySet<string> = new Set(["subagent.started", "subagent.completed", "subagent.failed"]);

function readSteps({ type, timestamp, data, agentId }: JsonObject): Step[] {
  const id = at(data, "toolCallId");
  switch (type) {
    case "user.message":
      return [{ kind: "prompt", at: timestamp, text: at(data, "content") }];
    case "assistant.message":
      return [{ kind: "answer", at: timestamp, text: readText(at(data, "content")), id: at(data, "messageId") }];
    case "tool.execution_start":
      return [{ kind: "call", id, tool: at(data, "toolName"), input: at(data, "arguments"), at: timestamp }];
    case "tool.execution_complete":
      return [
        ...shellSteps(at(data, "result", "content"), id),
        { kind: "result", id, isRefused: isRefused(data), at: timestamp },
      ];
    case "system.notification":
      return [{ kind: "task-end", id: shellId(at(data, "kind", "shellId")) }];
    case "subagent.started":
      return [{ kind: "task", id: agentId, of: "agent", name: at(data, "agentDescription") }];
    case "subagent.completed":
    case "subagent.failed":
      return [{ kind: "task-end", id: agentId }];
    case "session.error":
      return [{ kind: "end", outcome: "failed", text: at(data, "message") }];
    case "abort":
      return [{ kind: "end", outcome: "interrupted" }];
    default:
      return [];
  }
}

/** True if the user refused a question or a plan. Feedback on a plan does not count, because the agent continues. */
function isRefused(data: unknown): boolean {
  const action = at(data, "toolTelemetry", "properties", "elicitation_action");
  return action === "cancel" || action === "decline" || at(data, "result", "content") === "Plan not approved";
}

/**
 * True if a rule or a model decided the last permission request, or if there was no terminal to ask in. Sources in
 * 1.0.102: `human_response`, `assisted_approval`, `host_policy`, `unattended_fallback`, `authorization_carry_forward`.
 */
function isDecided(records: readonly JsonObject[]): boolean {
  const last = records.findLast(({ type }) => type === "permission.requested" || type === "permission.completed");
  return last?.type === "permission.completed" && at(last.data, "decisionSource") !== "human_response";
}

function shellSteps(result: unknown, call: unknown): Step[] {
  const text = asText(result) ?? "";
  const [, started] = /^<command started in background with shellId: (\S+?)>/.exec(text) ?? [];
  const [, ended] = /<shellId: (\S+) completed/.exec(text) ?? [];
  return [
    { kind: "task", id: shellId(started), of: "shell", call },
    { kind: "task-end", id: shellId(ended) },
  ];
}

function shellId(id: unknown): string | undefined {
  return asText(id) && `shell ${id}`;
}

/** Reads the session's name from its YAML file: a plain or quoted scalar. */
function nameIn(yaml: string): string | undefined {
  const [, value = ""] = /^name: (.*)$/m.exec(yaml) ?? [];
  const [, , quoted] = /^(["'])(.*)\1$/.exec(value) ?? [];
  return asLine(quoted ?? value);
}
