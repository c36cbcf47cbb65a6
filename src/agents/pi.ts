import { join } from "node:path";
import { defineAgent, type Payload } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import { asObject, asText, at, parseJson } from "../core/json-value.ts";
import { answerEvent } from "../core/vocabulary.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudePayload, prompt } from "./shared/claude-family.ts";
import { fillModule } from "./shared/fill-module.ts";
import { readCall } from "./transcripts/describe-call.ts";
import { readTokens } from "./transcripts/tokens.ts";

const folder = agentFolder({ name: join(".pi", "agent"), inProjects: ".pi", pathVariable: "PI_CODING_AGENT_DIR" });

const moduleFile = { "extensions/beckon.js": "module" } as const;

const end = { event: "Stop", kind: "finished" } as const;

/**
 * Pi. Tested with 0.87.1. Pi loads beckon's module in `templates/agents/pi.js` into its own process, and the module
 * runs the hooks. Pi itself asks for no permission; only extensions ask.
 */
export const pi = defineAgent({
  name: "pi",
  title: "Pi",
  source: "https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/extensions.md",
  transcriptPathHint: "/.pi/",
  nativeEvents: {
    agent_settled: end,
    agent_end: end,
    ui_prompt_start: { event: "Notification", kind: "needs-you" },
    ui_prompt_end: { event: answerEvent, kind: "info" },
    input: prompt,
    session_shutdown: { event: "SessionEnd", kind: "info" },
  },
  payload: claudePayload({
    request: ({ request }) => {
      const title = asText(at(request, "title"));
      return title === undefined ? readCall(at(request, "tool"), asObject(at(request, "args"))) : { main: title };
    },
    readers: {
      turnId: ({ answer }) => asText(at(answer, "id")),
      message: readMessage,
      answer: ({ answer }) => asText(at(answer, "text")),
    },
    title: ({ title }) => asText(title),
    usage: ({ usage }) => readTokens(usage, tokenNames),
  }),
  // Versions without `agent_settled` run `agent_end` before each retry.
  mayRetry: ({ nativeEvent }) => nativeEvent === "agent_end",
  classify: ({ event, extra }) =>
    event === "Stop" && ["error", "length"].includes(readOutcome(extra)) ? "failed" : undefined,
  skipReason,
  settings: {
    folder,
    files: filesIn(folder, { user: moduleFile, project: moduleFile }),
    ownText: (commands) => fillModule("pi.js", commands),
    defaultEvents: {
      ui_prompt_start: 5,
      ui_prompt_end: 5,
      input: 5,
      agent_settled: 5,
      agent_end: 5,
      session_shutdown: 3,
    },
    timeoutUnit: "s",
    program: { files: ["pi"], unmeasuredFrom: "1.0.0" },
    afterInstall: ["Restart running Pi sessions, or type /reload in them: extensions are loaded at start."],
    afterProjectInstall: ["Trust the project in Pi with /trust: until then Pi loads none of its extensions."],
  },
});

/**
 * Returns the outcome of a turn: `aborted`, the outcome that Pi reports, or the answer's stop reason. Versions of Pi
 * that report outcomes report none for an interrupted turn.
 */
function readOutcome({ outcome: given, tells_outcome, answer }: Payload): string {
  const [outcome, stopReason = "none"] = [asText(given), asText(at(answer, "stopReason"))];
  if (stopReason === "aborted" || (outcome === undefined && tells_outcome === true)) return "aborted";
  return stopReason === "length" || outcome === undefined ? stopReason : outcome;
}

function skipReason({ event, extra }: AgentEvent): string | undefined {
  if (extra.idle === true) return "the user opened the dialog";
  if (event !== "Stop") return undefined;
  const outcome = readOutcome(extra);
  if (outcome === "aborted") return "the user interrupted the turn";
  return ["completed", "stop", "error", "length"].includes(outcome) ? undefined : "no new answer";
}

function readMessage(payload: Payload): string | undefined {
  if (payload.request !== undefined) return undefined;
  if (readOutcome(payload) === "length") return "The model broke off its answer: length";
  return readError(asText(at(payload.answer, "error")));
}

/** Picks the message out of an error such as `401: {"message":"…"}`. */
function readError(text: string | undefined): string | undefined {
  const [, json] = /^\d+: (\{.*\})$/s.exec(text ?? "") ?? [];
  const found = json === undefined ? undefined : parseJson(json);
  return asText(at(found, "message")) ?? asText(at(found, "error", "message")) ?? text;
}

const tokenNames = {
  ...{ input: "input", output: "output", cacheRead: "cacheRead", cacheWrite: "cacheWrite" },
  ...{ thinking: "reasoning", costUsd: "cost" },
};
