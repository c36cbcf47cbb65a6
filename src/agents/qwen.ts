import { basename, dirname, join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { asObject, asText, at, type JsonObject } from "../core/json-value.ts";
import { agentFolder, filesIn, pathByPlatform } from "./shared/agent-paths.ts";
import { extendedClaudeFamily, outputIsContext } from "./shared/claude-family.ts";
import { hookLabels, readFolderTrust } from "./shared/gemini-family.ts";
import { defineTranscript, type Step } from "./transcripts/define-transcript.ts";
import { describeWhole, findCommand, type ToolForm } from "./transcripts/describe-call.ts";
import { lastLine, objectsIn, partsText } from "./transcripts/record.ts";

const folder = agentFolder({ name: ".qwen", pathVariable: "QWEN_HOME" });

/** Settings of an organization. https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings/ */
const systemSettings = pathByPlatform({
  darwin: "/Library/Application Support/QwenCode/settings.json",
  win32: "C:\\ProgramData\\qwen-code\\settings.json",
  linux: "/etc/qwen-code/settings.json",
});

/**
 * Qwen's own tools whose calls may be answered outside the agent. Tools that ask a question, end a plan or start a
 * sub-agent are left out.
 */
const answerableTools: Readonly<Record<string, ToolForm>> = {
  run_shell_command: { main: "command", isShell: true, said: ["description"] },
  edit: { main: "file_path", removed: "old_string", added: "new_string" },
  write_file: { main: "file_path", added: "content" },
  web_fetch: { main: "url" },
};

/** Longest timeout of a hook. If a timeout in milliseconds needs more than 31 bits, Qwen ends the hook at once. */
const maxTimeoutSeconds = 2_147_483;

const subAgentFolder = (transcriptPath: string): string =>
  join(dirname(dirname(transcriptPath)), "subagents", basename(transcriptPath, ".jsonl"));

/**
 * Qwen Code's transcript, tested with 0.15.10. Token counts cover only the part that was read. Each assistant line
 * has one `usageMetadata`. Calls for titles and memory are not included.
 */
const qwenTranscript = defineTranscript({
  isLate: true,
  tokenNames: {
    inputAndCache: "promptTokenCount",
    output: "candidatesTokenCount",
    cacheRead: "cachedContentTokenCount",
    thinking: "thoughtsTokenCount",
  },
  subAgents: {
    findPath: (transcriptPath, id) => join(subAgentFolder(transcriptPath), `agent-${id}.jsonl`),
    folder: subAgentFolder,
    fileName: /^agent-(.+)\.jsonl$/,
  },
  find({ head, tail }) {
    const answers = tail.filter(({ type }) => type === "assistant");
    return {
      steps: tail.flatMap(readSteps),
      work: { startedIn: asText(head.find(({ cwd }) => asText(cwd))?.cwd) },
      branch: lastLine(tail, ({ gitBranch }) => gitBranch),
      model: lastLine(answers, ({ model }) => model),
      usages: answers.map(({ usageMetadata }) => usageMetadata),
    };
  },
});

/** Qwen Code. Tested with 0.15.10 and 0.24.4. */
export const qwen = defineAgent({
  name: "qwen",
  title: "Qwen Code",
  source: "https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/",
  transcriptPathHint: "/.qwen/",
  projectVariables: ["QWEN_PROJECT_DIR"],
  ...extendedClaudeFamily,
  // Qwen sends `idle_prompt` within a second after every turn, and after a refusal.
  skipReason(event) {
    if (event.notificationType === "idle_prompt") return "Qwen waiting after every turn";
    return extendedClaudeFamily.skipReason(event);
  },
  // A background sub-agent gets no answer.
  autoDecisionMs: ({ nativeEvent, extra }) =>
    nativeEvent === "PermissionRequest" && asText(extra.agent_id) !== undefined ? 2_000 : undefined,
  transcript: qwenTranscript,
  permissionHook: {
    event: "PermissionRequest",
    describe: (payload) => describeWhole(payload, answerableTools),
    findCommand: (payload) => findCommand(payload, answerableTools),
    serial: "all",
    // A background sub-agent is refused without a dialog, and its payload is like that of any other sub-agent.
    explainUnasked: ({ agent_id }) => (agent_id === undefined ? undefined : "a sub-agent's request may get no dialog"),
    variables: ["QWEN_CODE", "QWEN_CODE_SESSION_ID", "QWEN_CODE_PROMPT_ID"],
  },
  settings: {
    folder,
    files: filesIn(folder, { user: { "settings.json": "wrapped" }, project: { "settings.json": "wrapped" } }),
    sessions: "projects",
    defaultEvents: {
      UserPromptSubmit: 5,
      Notification: 5,
      PermissionRequest: 5,
      Stop: 5,
      StopFailure: 5,
      SubagentStop: 5,
      SessionEnd: 2,
    },
    // `PreToolUse` would tell which call the user has granted, but every tool call would wait for its hook.
    forbiddenEvents: outputIsContext,
    // Before 0.23.4 the unit was milliseconds, since then it is seconds. All versions read 1000 and more as
    // milliseconds.
    timeoutUnit: "ms",
    maxTimeoutSeconds: () => maxTimeoutSeconds,
    entry: { labels: hookLabels },
    // 0.24 refuses to start with trailing commas.
    ignoresFileWith: ["trailing commas"],
    offSwitches: { disableAllHooks: [true, "true"] },
    switches: ({ platform }) => [{ path: systemSettings(platform), off: { disableAllHooks: [true, "true"] } }],
    runsCommandOnce: true,
    readTrust: (request) => readFolderTrust({ title: "Qwen Code", folder, isDefault: false }, request),
    program: { files: ["qwen"] },
    afterInstall: ["Restart running Qwen Code sessions: hooks are read at start."],
  },
});

function readSteps({ type, subtype, timestamp, message }: JsonObject): Step[] {
  const parts = at(message, "parts");
  const text = partsText(parts);
  const calls = objectsIn(parts).flatMap(({ functionCall, functionResponse }) => [
    ...objectsIn([functionCall]).map(
      ({ id, name, args }) => ({ kind: "call", id, tool: name, input: args, at: timestamp }) as const,
    ),
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

function resultSteps(result: JsonObject | undefined, timestamp: unknown): Step[] {
  if (result === undefined) return [];
  const error = asText(at(result.response, "error"));
  const isRefused = error?.startsWith("[Operation Cancelled]") ?? false;
  const output = asText(at(result.response, "output")) ?? "";
  const [, shell] = /^Background shell started\.\nid: (\S+)/.exec(output) ?? [];
  const [, agent] = /^Background agent launched successfully\.\ntask_id: (\S+)/.exec(output) ?? [];
  return [
    { kind: "task", id: shell, of: "shell", call: result.id },
    { kind: "task", id: agent, of: "agent", call: result.id },
    { kind: "result", id: result.id, isRefused, didNothing: error !== undefined, at: timestamp },
  ];
}
