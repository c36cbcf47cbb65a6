import { dirname, join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import { asText, at, type JsonObject } from "../core/json-value.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudeFamily, claudePayload, outputIsContext, prompt } from "./shared/claude-family.ts";
import { defineTranscript, type Step } from "./transcripts/define-transcript.ts";
import { readToolRequest } from "./transcripts/describe-call.ts";
import { asLine, objectsIn, readText } from "./transcripts/record.ts";

const failure = { event: "Stop", kind: "failed" } as const;

const beforeRules = "it comes before the rules decide, and mostly they allow; `notification` comes when you are asked";

const folder = agentFolder({ name: ".copilot", inProjects: ".github", pathVariable: "COPILOT_HOME" });

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
      listAllSteps: () =>
        tail.filter(({ type, agentId }) => !agentId || String(type).startsWith("tool.")).flatMap(readSteps),
      title: nameIn(companion),
      branch: at(start, "data", "context", "branch"),
      model: usages.at(-1)?.model,
      usages,
      work: { isDecided: isDecided(tail) },
    };
  },
});

/**
 * GitHub Copilot CLI. Tested with 1.0.102. Each event has two names. Payloads for Claude's name are in snake_case and
 * contain the event's name; payloads for Copilot's own name use another case and lack the name. beckon registers
 * Claude's names, because on Windows only the payload can name the event.
 */
export const copilot = defineAgent({
  name: "copilot",
  title: "GitHub Copilot CLI",
  aliases: ["copilot-cli"],
  source: "https://docs.github.com/en/copilot/reference/hooks-reference",
  transcriptPathHint: "/.copilot/",
  nativeEvents: {
    ...claudeFamily.nativeEvents,
    ErrorOccurred: failure,
    notification: { event: "Notification", kind: "needs-you" },
    agentStop: { event: "Stop", kind: "finished" },
    errorOccurred: failure,
    subagentStop: { event: "SubagentStop", kind: "info" },
    sessionEnd: { event: "SessionEnd", kind: "info" },
    userPromptSubmitted: prompt,
  },
  // These four types concern background work. Questions have other types.
  notificationKinds: {
    shell_completed: "info",
    shell_detached_completed: "info",
    agent_completed: "info",
    agent_idle: "info",
  },
  vagueRequests: claudeFamily.vagueRequests,
  // Copilot answers on its own after 25 ms if it has no terminal, or if a rule or a model decides.
  autoDecisionMs: ({ notificationType }) => (notificationType === "permission_prompt" ? 500 : undefined),
  mayRetry: (event) => isError(event) && event.extra.recoverable !== false,
  echoes: [
    { nativeEvent: "SessionEnd", after: "SessionEnd", withinMs: 30_000 },
    { nativeEvent: "sessionEnd", after: "sessionEnd", withinMs: 30_000 },
    // Copilot fires this event for each attempt, 6 in 17 s, and calls even the last error recoverable.
    { nativeEvent: "ErrorOccurred", after: "ErrorOccurred", withinMs: 60_000 },
    { nativeEvent: "errorOccurred", after: "errorOccurred", withinMs: 60_000 },
    // A session without a terminal ends after an error.
    { nativeEvent: "SessionEnd", after: "ErrorOccurred", withinMs: 60_000 },
    { nativeEvent: "sessionEnd", after: "errorOccurred", withinMs: 60_000 },
  ],
  payload: claudePayload({
    fields: { answer: ["last_assistant_message", "response"] },
    readers: { message: (payload) => asText(at(payload.error, "message")) },
    request: (payload) => ((payload.error ?? payload.message) === undefined ? readToolRequest(payload) : undefined),
  }),
  // Copilot also runs the hooks in Claude Code's settings. Copilot's payloads have a timestamp, and only those about
  // turns have a transcript.
  recognizes({ transcript_path, hookEventName, cwd, timestamp }) {
    if (typeof transcript_path === "string") return transcript_path.replaceAll("\\", "/").includes("/.copilot/");
    return typeof cwd === "string" && timestamp !== undefined && hookEventName === undefined;
  },
  classify: (event) => (isError(event) ? "failed" : undefined),
  // Includes errors of sub-agents, which come as events of separate sessions.
  skipReason: claudeFamily.skipReason,
  transcript: copilotTranscript,
  permissionHook: "its hook also runs for calls that its rules allow anyway",
  settings: {
    folder,
    // The folder `hooks` holds one file for each tool.
    files: filesIn(folder, { user: { "hooks/beckon.json": "flat" }, project: { "hooks/beckon.json": "flat" } }),
    sessions: "session-state",
    defaultEvents: { UserPromptSubmit: 5, notification: 5, Stop: 5, ErrorOccurred: 5, SubagentStop: 5, SessionEnd: 3 },
    optionalEvents: ["agentStop", "errorOccurred", "subagentStop", "sessionEnd", "userPromptSubmitted"],
    forbiddenEvents: {
      ...outputIsContext,
      PermissionRequest: beforeRules,
      permissionRequest: beforeRules,
      preToolUse: "its hooks decide about tools, and every call waits for them",
      sessionStart: "what its hooks print becomes part of the conversation",
    },
    timeoutUnit: "s",
    entry: { command: "bash", windowsCommand: "powershell", timeout: "timeoutSec" },
    ignoresFileWith: ["comments", "trailing commas"],
    offSwitches: { disableAllHooks: true },
    switches: (environment) =>
      [
        join(folder(environment), "settings.json"),
        join(folder(environment, "project"), "copilot", "settings.json"),
        join(folder(environment, "project"), "copilot", "settings.local.json"),
      ].map((path) => ({ path, off: { disableAllHooks: true } })),
    alsoRuns: [{ agent: "claude", scopes: ["project", "local"] }],
    program: {
      files: ["copilot"],
      // https://github.com/github/awesome-copilot/pull/1507
      minimumVersion: {
        version: "1.0.35",
        reason: "it does not know events by Claude's names yet, and runs no hook of them",
      },
    },
    afterInstall: ["Restart running Copilot sessions: hooks are read at start."],
  },
});

/** Tells if an event reports an error. The payload of such an event does not name the event. */
function isError({ event, extra }: AgentEvent): boolean {
  return event === "Stop" && ("errorContext" in extra || "error_context" in extra);
}

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
        { kind: "result", id, isRefused: isRefused(data), didNothing: at(data, "success") === false, at: timestamp },
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
 * True if a rule or a model decided the last permission request, or if there was no terminal to ask in, and no other
 * request since the last prompt is open. Sources in 1.0.102: `human_response`, `assisted_approval`, `host_policy`,
 * `unattended_fallback`, `authorization_carry_forward`.
 */
function isDecided(records: readonly JsonObject[]): true | undefined {
  const current = records.slice(records.findLastIndex(({ type }) => type === "user.message") + 1);
  const completed = current.filter(({ type }) => type === "permission.completed");
  const ids = new Set(completed.map(({ data }) => at(data, "requestId")));
  const isOpen = current.some(({ type, data }) => type === "permission.requested" && !ids.has(at(data, "requestId")));
  const last = completed.at(-1);
  return last && !isOpen && at(last.data, "decisionSource") !== "human_response" ? true : undefined;
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
