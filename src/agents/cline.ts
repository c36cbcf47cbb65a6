import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import { asText, at, toList } from "../core/json-value.ts";
import { agentFolder } from "./shared/agent-paths.ts";
import { readCall } from "./transcripts/describe-call.ts";

const folder = agentFolder({ name: ".cline", pathVariable: "CLINE_DIR" });

const questionTool = "ask_question";

/** Timeouts in seconds by event. Each event has its own script. */
const defaultEvents = { TaskComplete: 5, TaskError: 5, PreToolUse: 5 };

/**
 * Cline's command line. Tested with 3.0.65. It runs one script for each event. It has no event for permission requests
 * or for the end of a session, and its event for a prompt does not tell who wrote the prompt. `SessionShutdown` means
 * that the user interrupted the turn.
 */
export const cline = defineAgent({
  name: "cline",
  title: "Cline",
  source: "https://docs.cline.bot/customization/hooks",
  transcriptPathHint: "/.cline/",
  nativeEvents: {
    TaskComplete: { event: "Stop", kind: "finished" },
    TaskError: { event: "Stop", kind: "failed" },
    PreToolUse: { event: "Notification", kind: "needs-you" },
  },
  payload: {
    fields: {},
    request: ({ tool_call }) =>
      at(tool_call, "name") === questionTool
        ? readCall("ask_user", { questions: [at(tool_call, "input")] })
        : undefined,
    readers: {
      sessionId: ({ sessionContext, taskId }) => asText(at(sessionContext, "rootSessionId")) ?? asText(taskId),
      cwd: ({ workspaceRoots }) => asText(toList(workspaceRoots)[0]),
      message: ({ error }) => asText(at(error, "message")),
      answer: ({ turn }) => asText(at(turn, "outputText")),
    },
  },
  skipReason,
  settings: {
    folder,
    // A second name for the case that the user has a script for the event. Cline runs both.
    files: (scope, environment) =>
      scope === "user"
        ? Object.keys(defaultEvents).flatMap((event) =>
            [".sh", ".bash"].map((extension) => ({
              path: join(folder(environment), "hooks", `${event}${extension}`),
              shape: "script" as const,
            })),
          )
        : [],
    ownText: makeScript,
    defaultEvents,
    forbiddenEvents: { PostToolUse: "every tool call waits for its hooks" },
    timeoutUnit: "s",
    program: { files: ["cline"] },
    afterInstall: ["Cline has no hook for permissions: beckon cannot tell you when Cline waits for one."],
  },
});

/**
 * Returns the script of one event. Every tool call waits for the PreToolUse script, so this script runs beckon only for
 * questions. It prints nothing, because Cline would obey what it prints.
 */
function makeScript(commands: Readonly<Record<string, string>>): string {
  const [[event, command] = []] = Object.entries(commands);
  return `#!/bin/sh\n${event === "PreToolUse" ? passOnlyQuestions : ""}${command}\n`;
}

const passOnlyQuestions = `input=$(cat)
case $input in *'"${questionTool}"'*) ;; *) exit 0 ;; esac
exec >/dev/null 2>&1 <<END
$input
END
`;

function skipReason({ event, nativeEvent, extra }: AgentEvent): string | undefined {
  if (nativeEvent === "PreToolUse") {
    return at(extra, "tool_call", "name") === questionTool ? undefined : "a tool call without a question";
  }
  return event === "Stop" && typeof extra.parent_agent_id === "string" ? "the end of a sub-agent's turn" : undefined;
}
