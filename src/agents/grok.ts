import { dirname, join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import type { Trust, TrustRequest } from "../core/agent-settings.ts";
import { asText, at, type JsonObject, parseObject, toObject } from "../core/json-value.ts";
import { snakeCase } from "../core/vocabulary.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import {
  claudeFamily,
  claudePayload,
  idleNotice,
  outputIsContext,
  prompt,
  subAgentTaskSkipReason,
} from "./shared/claude-family.ts";
import { defineTranscript, readOutcome, type Step } from "./transcripts/define-transcript.ts";
import { objectsIn } from "./transcripts/record.ts";

const folder = agentFolder({ name: ".grok", pathVariable: "GROK_HOME" });

const nativeEvents = { ...claudeFamily.nativeEvents, StopFailure: { event: "Stop", kind: "failed" } } as const;

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
  subAgents: { findPath: (transcriptPath, id) => join(dirname(transcriptPath), "..", id, "updates.jsonl") },
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

/** Grok Build. Tested with 1.0.41. It also runs the hooks in Claude Code's and Cursor's settings. */
export const grok = defineAgent({
  name: "grok",
  title: "Grok Build",
  source: "https://docs.x.ai/build/features/hooks",
  transcriptPathHint: "/.grok/",
  ...claudeFamily,
  // Payloads name events as Claude Code does. Older versions of Grok name events in snake_case only.
  nativeEvents: {
    ...nativeEvents,
    ...Object.fromEntries(Object.entries(nativeEvents).map(([name, rule]) => [snakeCase(name), rule])),
  },
  // Neither needs the user: an error also fires StopFailure, and the end of a background task starts a turn.
  notificationKinds: { ...claudeFamily.notificationKinds, agent_error: "info", task_complete: "info" },
  echoes: ["Stop", "StopFailure"].flatMap((after) =>
    [(name: string) => name, snakeCase].map((form) => ({
      ...idleNotice,
      nativeEvent: form("Notification"),
      after: form(after),
    })),
  ),
  payload: claudePayload({ fields: { cwd: ["cwd", "workspace_root"] } }),
  recognizes: ({ hookEventName }) => typeof hookEventName === "string",
  skipReason(event) {
    const isSubAgent = typeof event.extra.subagentType === "string"; // sub-agents have separate sessions
    if (event.event === prompt.event && isSubAgent) return subAgentTaskSkipReason;
    if (event.event !== "Stop") return claudeFamily.skipReason(event);
    if (isSubAgent) return "the end of a sub-agent's turn";
    if (event.reason === "shutdown") return "Grok shutting down, no turn";
    // A failure's reason is free text, which may say that a server cancelled something.
    const stopped = event.kind === "failed" ? /^(?:cancel+ed|interrupted)$/i : /cancel|interrupt/i;
    return stopped.test(event.reason ?? "") ? "the user stopped the agent" : claudeFamily.skipReason(event);
  },
  classify: ({ event, reason }) => (event === "Stop" && /error|fail/i.test(reason ?? "") ? "failed" : undefined),
  transcript: grokTranscript,
  permissionHook: "its only hook that can decide runs for every call, before it is known whether you will be asked",
  settings: {
    folder,
    // The folder `hooks` holds one file for each tool.
    files: filesIn(folder, { user: { "hooks/beckon.json": "wrapped" }, project: { "hooks/beckon.json": "wrapped" } }),
    sessions: "sessions",
    defaultEvents: { UserPromptSubmit: 5, Notification: 5, Stop: 5, StopFailure: 5, SubagentStop: 5, SessionEnd: 2 },
    forbiddenEvents: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["comments", "trailing commas"],
    alsoRuns: [
      { agent: "claude", scopes: ["user", "project", "local"] },
      { agent: "cursor", scopes: ["user", "project"] },
    ],
    readTrust: readGrokTrust,
    program: { files: ["grok"] },
    afterInstall: [],
    afterProjectInstall: ["Grok runs a project's hooks only once you have trusted them: /hooks-trust, or --trust."],
  },
});

/**
 * Reports that a project's trust is unknown, because Grok does not document where it keeps trust. Grok runs a project's
 * hooks only if the user allowed them.
 * @see https://docs.x.ai/build/features/hooks
 */
async function readGrokTrust({ environment, files }: TrustRequest): Promise<Trust | undefined> {
  if (files.every(({ scope }) => scope === "user")) return undefined;
  return {
    state: "unknown",
    detail: `whether ${environment.project} is trusted cannot be seen from here`,
    cure: "Run /hooks-trust in Grok there; /hooks lists what runs.",
  };
}

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
