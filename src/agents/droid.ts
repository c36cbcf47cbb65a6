import { dirname, join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import { asObject, asText, at, type JsonObject, parseObject } from "../core/json-value.ts";
import { droidHooksFile } from "./schemas/hooks.ts";
import { agentFolder, filesIn, pathByPlatform } from "./shared/agent-paths.ts";
import {
  claudeFamily,
  claudePayload,
  claudePlugin,
  outputIsContext,
  reportSkipReason,
} from "./shared/claude-family.ts";
import { defineTranscript, readOutcome, type Step } from "./transcripts/define-transcript.ts";
import { asLine, findBlocks, lastLine, objectsIn, readText } from "./transcripts/record.ts";
import { sessionTokens } from "./transcripts/tokens.ts";

/** Droid's folder. `FACTORY_HOME_OVERRIDE` is undocumented, but read by Droid 0.223. */
const folder = agentFolder({ name: ".factory", homeVariable: "FACTORY_HOME_OVERRIDE" });

const hookFiles = { "hooks.json": "bare", "hooks/hooks.json": "bare", "settings.json": "wrapped" } as const;

/** Folder of an organization's settings. https://docs.factory.ai/droid-cli/settings */
const machineFolder = pathByPlatform({
  darwin: "/Library/Application Support/Factory",
  win32: "C:\\Program Files\\Factory",
  linux: "/etc/factory",
});

/**
 * Droid's transcript, tested with 0.215.0: a `session_start` line, then `message` lines, and an `agent_turn_outcome`
 * after each turn. Token counts and model are in `<id>.settings.json` in the same folder; that file is up to date at
 * Stop. The counts exclude sub-agents.
 */
export const droidTranscript = defineTranscript({
  companion: (transcriptPath) => transcriptPath.replace(/(?:\.jsonl)?$/, ".settings.json"),
  workers: { folder: dirname, fileName: /^(.+)\.jsonl$/, parent: /"callingSessionId": ?"([\w-]+)"/ },
  find({ head, tail, companion }) {
    const start = head[0]?.type === "session_start" ? head[0] : undefined;
    const settings = parseObject(companion);
    return {
      steps: tail.flatMap(readSteps),
      title: asLine(start?.sessionTitle) ?? start?.title,
      work: { startedIn: asText(start?.cwd) },
      callingSessionId: start?.callingSessionId,
      model: lastLine(tail, ({ message }) => at(message, "modelId")) ?? settings?.model,
      tokens: sessionTokens(settings?.tokenUsage),
    };
  },
});

/** Factory Droid. Tested with 0.215.0. */
export const droid = defineAgent({
  name: "droid",
  title: "Droid",
  aliases: ["factory"],
  source: "https://docs.factory.ai/reference/hooks-reference",
  transcriptPathHint: "/.factory/",
  projectVariables: ["DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR"],
  ...claudeFamily,
  echoes: [...claudeFamily.echoes, { nativeEvent: "SessionEnd", after: "SessionEnd", withinMs: 30_000 }],
  payload: claudePayload({ fields: { turnId: ["message_id"] } }),
  skipReason(event) {
    if (event.notificationType === "idle_prompt" && event.message?.startsWith("Agent stopped by user")) {
      return "the user stopped the agent";
    }
    if (event.turnId?.startsWith("task-completion:")) return reportSkipReason;
    return claudeFamily.skipReason(event);
  },
  // Without this reply, Droid 0.215.0 shows the user a row with the hook's whole command line.
  neutralReply: '{"suppressOutput":true}',
  transcript: droidTranscript,
  permissionHook: "its only hook that can decide runs for every call, before it is known whether you will be asked",
  settings: {
    folder,
    files: filesIn(folder, { user: hookFiles, project: hookFiles, local: { "settings.local.json": "wrapped" } }),
    sessions: "sessions",
    defaultEvents: { UserPromptSubmit: 5, Notification: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    forbiddenEvents: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["trailing commas", "a byte-order mark"],
    schema: droidHooksFile,
    offSwitches: { hooksDisabled: true },
    switches: (environment) => [
      {
        path: join(machineFolder(environment.platform), "settings.json"),
        off: { hooksDisabled: true, allowManagedHooksOnly: true },
      },
      // These settings also disable the hooks in a `hooks.json`.
      ...["settings.json", "settings.local.json"].map((name) => ({
        path: join(folder(environment), name),
        off: { hooksDisabled: true },
      })),
    ],
    program: {
      files: ["droid"],
      minimumVersion: { version: "0.202.0", reason: "versions before it skip hooks after a regression" },
    },
    afterInstall: ["Restart running Droid sessions, or open /hooks in them: Droid reads its hooks at start."],
  },
  plugin: claudePlugin({
    source: "https://docs.factory.ai/guides/building/building-plugins",
    folderVariable: "${DROID_PLUGIN_ROOT}",
    program: "droid",
    manifestFolder: ".factory-plugin",
    folder,
    list: join("plugins", "installed_plugins", "*.json"),
    entriesIn: (record) => {
      const id = at(record, "pluginId");
      return typeof id === "string" ? [[id, at(record, "entry")]] : [];
    },
  }),
});

const outcomes = { completed: "completed", cancelled: "interrupted", error: "failed" } as const;

/** Droid's message if the model gave no answer. The message counts neither as a failure nor as an answer. */
const emptyAnswers = "The model produced several consecutive responses with no visible output";

/** Beginnings of a tool's result after a refused plan, and after other refusals in each of Droid's languages. */
const refusals = [
  "Plan not approved",
  "Tool execution cancelled by user",
  "Esecuzione dello strumento annullata dall'utente",
  "ツール実行がユーザーによりキャンセルされました",
  "工具执行已被用户取消",
  "사용자가 도구 실행을 취소했습니다",
];

function readSteps(record: JsonObject): Step[] {
  const { type, timestamp } = record;
  if (type === "agent_turn_outcome") return [{ kind: "end", outcome: readOutcome(record.reason, outcomes) }];
  // In older transcripts of sub-agents, the message's fields are in the record itself.
  const message = asObject(record.message) ?? record;
  // Rows about hooks, and messages for the model only, are messages too.
  if (type !== "message" || message.hookEventName !== undefined || message.visibility === "llm_only") return [];
  const content = message.content ?? message.text;
  const text = spokenText(content);
  const isForUserOnly = message.visibility === "user_only";
  if (message.role === "assistant") {
    return isForUserOnly ? [] : [{ kind: "answer", at: timestamp, text }, ...callSteps(content, timestamp)];
  }
  if (message.role !== "user") return [];
  if (text === undefined) return resultSteps(content, timestamp);
  if (asText(record.id)?.startsWith("task-completion:")) return [{ kind: "task-end", id: taskIdIn(text) }];
  if (!isForUserOnly) return [{ kind: "prompt", at: timestamp }];
  // Droid's own messages to the user are also `user` messages, for example about a rejected key.
  return text.startsWith(emptyAnswers) ? [] : [{ kind: "complaint", at: timestamp, text }];
}

function callSteps(content: unknown, timestamp: unknown): Step[] {
  return findBlocks(content, "tool_use").map(
    ({ id, name, input }): Step => ({ kind: "call", id, tool: name, input, at: timestamp }),
  );
}

function resultSteps(content: unknown, timestamp: unknown): Step[] {
  return findBlocks(content, "tool_result").flatMap(({ tool_use_id: id, is_error, content: result }): Step[] => {
    const text = readText(result) ?? "";
    const isRefused = refusals.some((words) => text.replace(/^Error: /, "").startsWith(words));
    const didNothing = is_error === true && !/exit code/i.test(text);
    const hasStarted = text.startsWith("Task launched in background");
    const task: Step = { kind: "task", id: taskIdIn(text), of: "agent", call: id };
    return [...(hasStarted ? [task] : []), { kind: "result", id, isRefused, didNothing, at: timestamp }];
  });
}

function taskIdIn(text: string): string | undefined {
  return /^task_id: (\S+)$/m.exec(text)?.[1];
}

/** Returns a message's text without the reminders that Droid inserts for the model. */
function spokenText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return readText(content);
  return readText(objectsIn(content).filter(({ text }) => !asText(text)?.startsWith("<system-reminder>")));
}
