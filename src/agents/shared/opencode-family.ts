import type { Agent, Payload } from "../../core/agent.ts";
import type { AgentSettings } from "../../core/agent-settings.ts";
import type { AgentEvent } from "../../core/event.ts";
import { asText, at, type JsonObject, toObject } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { answerEvent, promptEvent } from "../../core/vocabulary.ts";
import type { AgentRequest } from "../../text/request.ts";
import { readCall } from "../transcripts/describe-call.ts";
import { shortLine } from "../transcripts/record.ts";
import { readTokens } from "../transcripts/tokens.ts";
import { agentFolder, filesIn } from "./agent-paths.ts";
import { claudePayload, prompt, subAgentTaskSkipReason } from "./claude-family.ts";
import { fillModule } from "./fill-module.ts";

const request = { event: "Notification", kind: "needs-you" } as const;
const answer = { event: answerEvent, kind: "info" } as const;
const failure = { event: "Stop", kind: "failed" } as const;
const end = { event: "Stop", kind: "finished" } as const;

/**
 * Common traits of OpenCode and the agents made from it. Their payloads come from beckon's module in
 * `templates/agents/opencode.js`. Not every idle session notifies: refused, interrupted, failed and compacted turns end
 * idle too, some of them twice.
 */
export const openCodeFamily = {
  nativeEvents: {
    "session.idle": end,
    "session.error": failure,
    "session.status": { event: "Notification", kind: "info" },
    "permission.asked": request,
    "permission.updated": request,
    "permission.replied": answer,
    "question.asked": request,
    "question.replied": answer,
    "question.rejected": answer,
    "message.updated": prompt,
    dispose: { event: "SessionEnd", kind: "info" },
    "session.execution.succeeded": end,
    "session.execution.failed": failure,
    "form.created": request,
    "form.replied": answer,
    "form.cancelled": answer,
  },
  payload: claudePayload({
    readers: {
      turnId: (payload) => asText(at(payload, "answer", "id")),
      message: readProblem,
      reason: ({ error }) => asText(at(error, "name")),
      answer: (payload) => asText(at(payload, "answer", "text")),
    },
    request: readRequest,
    title: readTitle,
    usage: (payload) => readTokens(payload, tokenNames),
  }),
  // Rules or other plugins may answer at once. OpenCode does too if a client without a terminal runs the session.
  autoDecisionMs: ({ nativeEvent }) => (nativeEvent.startsWith("permission.") ? 500 : undefined),
  classify({ nativeEvent, extra }) {
    const isFailed = isBrokenOff(at(extra, "answer", "finish")) || isGivenUp(extra);
    return nativeEvent === "session.idle" && isFailed ? "failed" : undefined;
  },
  skipReason,
} as const satisfies Partial<Agent>;

/**
 * Builds the settings of an agent made from OpenCode.
 * @param name name of the agent's folders
 * @param variable environment variable with the path of the agent's folder
 */
export function openCodeSettings(name: string, variable: string): Omit<AgentSettings, "program" | "afterInstall"> {
  const folder = agentFolder({ name, isInConfigFolder: true, inProjects: `.${name}`, pathVariable: variable });
  const moduleFile = { "plugins/beckon.js": "module" } as const;
  return {
    folder,
    files: filesIn(folder, { user: moduleFile, project: moduleFile }),
    ownText: (commands) => fillModule("opencode.js", commands),
    // The first event is the one of the sample that `install` sends.
    defaultEvents: {
      "permission.asked": 5,
      ...Object.fromEntries(Object.keys(openCodeFamily.nativeEvents).map((event) => [event, 5])),
      dispose: 3,
    },
    timeoutUnit: "s",
  };
}

/** True for the finish reason of an answer that the model broke off, in the words of the AI SDK. */
function isBrokenOff(finish: unknown): boolean {
  return finish === "length" || finish === "content-filter" || finish === "error";
}

/** True if a turn without a terminal ended because the agent itself refused its request. */
function isGivenUp({ answer, headless }: Payload): boolean {
  return headless === true && at(answer, "finish") === "tool-calls" && at(answer, "error") === undefined;
}

function skipReason({ event, nativeEvent, extra }: AgentEvent): string | undefined {
  const isSubAgent = asText(extra.agent_id) !== undefined;
  if (event === promptEvent) return isSubAgent ? subAgentTaskSkipReason : undefined;
  if (event === "Notification" && extra.headless === true) return "nobody can answer without a terminal";
  if (event === "Stop" && isSubAgent) return "the end of a sub-agent's turn";
  if (at(extra, "error", "name") === "MessageAbortedError") return "the user interrupted the turn";
  if (nativeEvent !== "session.idle" || isGivenUp(extra)) return undefined;
  return unfinishedReason(toObject(extra.answer));
}

/** Explains why an idle session does not notify; undefined if the model finished its answer or broke it off. */
function unfinishedReason({ id, finish, error, summary }: Payload): string | undefined {
  if (id === undefined) return "no new answer";
  if (error === "MessageAbortedError") return "the user interrupted the turn";
  if (error !== undefined && error !== null) return "the turn failed";
  if (summary === true) return "only the conversation was compacted";
  if (finish === "tool-calls") return "the user refused a request";
  return asText(finish) === undefined ? "the user interrupted the turn" : undefined;
}

function readProblem(payload: Payload): string | undefined {
  const { error, status, answer } = payload;
  const broken = at(answer, "finish");
  return (
    asText(at(error, "data", "message")) ??
    asText(at(error, "message")) ??
    (at(status, "type") === "retry"
      ? `Trying again for more than a minute: ${shortLine(at(status, "message")) ?? "no reason given"}`
      : undefined) ??
    (isBrokenOff(broken) ? `The model broke off its answer: ${broken}` : undefined) ??
    (isGivenUp(payload) ? "It refused its own request: nobody can answer without a terminal" : undefined)
  );
}

/** Matches the name `server_tool` of another program's tool, but none of the agent's own names with a `_`. */
const foreignNames = [/^(?!(?:external_directory|doom_loop|plan_enter|plan_exit|apply_patch)$)([^_]+)_(.+)$/];

/** Reads what the agent asks for, and the sub-agent that asks for it. */
function readRequest({ request, agent_id, agent_title }: Payload): AgentRequest | undefined {
  const asked = toObject(request);
  const { metadata, patterns, pattern, resources } = asked;
  const targets = [patterns, pattern, resources]
    .flatMap((value) => [value].flat())
    .flatMap((text) => asText(text) ?? []);
  const command = asText(at(metadata, "command")) ?? (targets.join(", ") || undefined);
  const tool =
    asked.permission ?? asked.action ?? asked.type ?? (Array.isArray(asked.questions) ? "question" : undefined);
  const isForeign = foreignNames.some((form) => form.test(String(tool)));
  const input: JsonObject = isForeign ? toObject(metadata) : omitUndefined({ questions: asked.questions, command });
  const title = asText(asked.title);
  const call = readCall(tool, input, foreignNames) ?? (title === undefined ? undefined : { main: title });
  if (call === undefined || agent_id === undefined) return call;
  // The title ends with the kind: `Look around (@general subagent)`.
  return { ...call, subAgent: shortLine(agent_title)?.replace(/ \(@[\w-]+ subagent\)$/, "") ?? "" };
}

/** Reads the title that the model gave the session; undefined while it is OpenCode's own title with a time. */
function readTitle({ title }: Payload): string | undefined {
  const text = asText(title);
  return text === undefined || /^New session - \d{4}-/.test(text) ? undefined : text;
}

const tokenNames = {
  ...{ input: "tokens.input", output: "tokens.output", cacheRead: "tokens.cache.read" },
  ...{ cacheWrite: "tokens.cache.write", thinking: "tokens.reasoning", costUsd: "cost" },
};
