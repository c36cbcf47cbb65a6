import { dirname, isAbsolute, join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { asText, at, type JsonObject } from "../core/json-value.ts";
import { kimiHooks } from "./schemas/hooks.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudePayload, extendedClaudeFamily } from "./shared/claude-family.ts";
import { defineTranscript, readOutcome, type Step } from "./transcripts/define-transcript.ts";
import { parseRecords } from "./transcripts/record.ts";

const folder = agentFolder({ name: ".kimi-code", pathVariable: "KIMI_CODE_HOME" });

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
  workers: { folder: (transcriptPath) => dirname(dirname(transcriptPath)), fileName: /^(wire)\.jsonl$/ },
  find({ tail }) {
    const calls = tail.filter(({ type, usageScope }) => type === "usage.record" && usageScope === "turn");
    return {
      steps: tail.flatMap(readSteps),
      model: calls.at(-1)?.model,
      usages: calls.map(({ usage }) => usage),
    };
  },
});

/**
 * Kimi Code. Tested with 2.1.0. Kimi Code fires no hook when it asks a question. The older kimi-cli has another
 * settings file and no permission event.
 */
export const kimi = defineAgent({
  name: "kimi",
  title: "Kimi Code",
  source: "https://moonshotai.github.io/kimi-code/en/customization/hooks.html",
  transcriptPathHint: "/.kimi-code/",
  ...extendedClaudeFamily,
  echoes: [],
  stopsForSubAgents: true,
  // A sub-agent's failure also fires StopFailure, and then the session continues.
  mayRetry: ({ nativeEvent }) => nativeEvent === "StopFailure",
  payload: claudePayload({
    fields: {
      turnId: ["turn_id"],
      message: ["error_message", "body"],
      reason: ["reason", "error_type"],
      answer: ["response"],
    },
    title: ({ session_title }) => asText(session_title),
  }),
  // Kimi's notifications concern background tasks: `task.completed` and similar.
  classify: ({ notificationType }) => (notificationType?.startsWith("task.") ? "info" : undefined),
  transcript: kimiTranscript,
  permissionHook: "its only hook that can decide runs for every call, before it is known whether you will be asked",
  settings: {
    folder,
    files: filesIn(folder, { user: { "config.toml": "tables" } }),
    defaultEvents: {
      UserPromptSubmit: 5,
      PermissionRequest: 5,
      Stop: 5,
      StopFailure: 5,
      SubagentStop: 5,
      SessionEnd: 3,
    },
    forbiddenEvents: {
      // https://github.com/MoonshotAI/kimi-code/issues/3888
      PreToolUse: "with a hook there, web, desktop and VS Code approve tools without asking",
      SessionHeartbeat: "with a hook there, web, desktop and VS Code approve tools without asking",
      SessionStart: "what its hooks print becomes part of the conversation",
    },
    timeoutUnit: "s",
    maxTimeoutSeconds: () => 600,
    entry: { constants: {} },
    // Kimi's schema lists these events. For a hook with another event, Kimi discards the whole section.
    onlyKnown: {
      version: "2.1.0",
      events: [
        ...["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionResult"],
        ...["UserPromptSubmit", "UserPromptQueued", "TurnStarted", "Stop", "StopFailure", "Interrupt"],
        ...["SessionStart", "SessionEnd", "SessionHeartbeat", "SubagentStart", "SubagentStop", "TaskStarted"],
        ...["PreCompact", "PostCompact", "Notification"],
      ],
    },
    schema: kimiHooks,
    program: { files: ["kimi"] },
    afterInstall: ["Restart running Kimi sessions: hooks are read at start."],
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
