import { dirname, join } from "node:path";
import { defineAgent, type Payload } from "../core/agent.ts";
import { asText, at, type JsonObject, toList, toObject } from "../core/json-value.ts";
import { type AgentRequest, readTool } from "../text/request.ts";
import { agentFolder, filesIn, pathByPlatform } from "./shared/agent-paths.ts";
import { claudeFamily, claudePayload, prompt } from "./shared/claude-family.ts";
import { hookLabels, readFolderTrust } from "./shared/gemini-family.ts";
import { defineTranscript, type Step } from "./transcripts/define-transcript.ts";
import { readCall, readToolRequest } from "./transcripts/describe-call.ts";
import { lastLine, objectsIn, partsText } from "./transcripts/record.ts";

const folder = agentFolder({ name: ".gemini", homeVariable: "GEMINI_CLI_HOME" });

const noAnswer = "[no response text]";

/** Settings of an organization. https://geminicli.com/docs/reference/configuration */
const systemSettings = pathByPlatform({
  darwin: "/Library/Application Support/GeminiCli/settings.json",
  win32: "C:\\ProgramData\\gemini-cli\\settings.json",
  linux: "/etc/gemini-cli/settings.json",
});

/**
 * Gemini CLI's chat recording. The file must be replayed: a changed message is written again with the same id, `$set`
 * replaces fields of the recording, and `$rewindTo` removes messages. Token counts cover the part read. From
 * https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingService.ts
 */
const geminiTranscript = defineTranscript({
  tokenNames: { inputAndCache: "input", output: "output", cacheRead: "cached", thinking: "thoughts" },
  workers: { folder: (transcriptPath, id) => join(dirname(transcriptPath), id), fileName: /^(.+)\.jsonl$/ },
  find({ tail }) {
    const messages = [...replay(tail).values()];
    const answers = messages.filter(({ type }) => type === "gemini");
    return {
      steps: [...messages.flatMap(readSteps), ...readAbandonedTurn(tail, messages.at(-1))],
      listAllSteps: () => messages.flatMap((message) => [...readSteps(message), ...readCalls(message)]),
      title: lastLine(tail, ({ $set }) => at($set, "summary")),
      model: lastLine(answers, ({ model }) => model),
      usages: answers.map(({ tokens }) => tokens),
    };
  },
});

/** Gemini CLI. Tested with 0.61.0. */
export const gemini = defineAgent({
  name: "gemini",
  title: "Gemini CLI",
  source: "https://geminicli.com/docs/hooks",
  transcriptPathHint: "/.gemini/",
  projectVariables: ["GEMINI_PROJECT_DIR"],
  ...claudeFamily,
  nativeEvents: {
    ...claudeFamily.nativeEvents,
    BeforeAgent: prompt,
    AfterAgent: { event: "Stop", kind: "finished" },
  },
  echoes: [{ nativeEvent: "SessionEnd", after: "SessionEnd", withinMs: 30_000 }],
  payload: claudePayload({
    fields: { answer: ["prompt_response"] },
    request: (payload) =>
      readDetails(payload) ?? (payload.message === undefined ? readToolRequest(payload) : undefined),
    readers: {
      reason: ({ prompt_response }) => (prompt_response === noAnswer ? "the model gave no answer" : undefined),
    },
    // The turn's prompt serves as the title, because Gemini may not have written the recording yet.
    title: ({ prompt }) => asText(prompt),
    noAnswer,
  }),
  // An API error or the user ended the turn; only the transcript tells which.
  classify: ({ extra }) => (extra.prompt_response === noAnswer ? "failed" : undefined),
  transcript: geminiTranscript,
  permissionHook: "its only hook that can decide runs for every call, before it is known whether you will be asked",
  settings: {
    folder,
    files: filesIn(folder, { user: { "settings.json": "wrapped" }, project: { "settings.json": "wrapped" } }),
    sessions: "tmp",
    defaultEvents: { Notification: 5, AfterAgent: 5, SessionEnd: 3 },
    // Only optional: Gemini shows a running hook for at least a second, in place of `Thinking...`.
    optionalEvents: ["BeforeAgent"],
    forbiddenEvents: {
      SessionStart: "what its hooks print becomes part of the conversation",
      BeforeModel: "every call of the model waits for its hooks",
      BeforeTool: "its hooks decide about tools, and every call waits for them",
    },
    timeoutUnit: "ms",
    entry: { labels: hookLabels },
    // Gemini refuses to start if its settings file has one of these.
    ignoresFileWith: ["trailing commas", "a byte-order mark"],
    switches: (environment) =>
      [
        systemSettings(environment.platform),
        join(folder(environment), "settings.json"),
        join(folder(environment, "project"), "settings.json"),
      ].map((path) => ({
        path,
        off: { hooksConfig: { enabled: [false, "false"] } },
        list: ["hooksConfig", "disabled"],
        // Version 0.61.0 ignores these older settings.
        olderOff: { tools: { enableHooks: [false, "false"] }, hooks: { enabled: [false, "false"] } },
        olderList: ["hooks", "disabled"],
      })),
    program: { files: ["gemini"], minimumVersion: { version: "0.26.0", reason: "it has no hooks yet" } },
    runsCommandOnce: true,
    readTrust: (request) => readFolderTrust({ title: "Gemini CLI", folder, isDefault: true }, request),
    afterInstall: [
      "Restart running Gemini sessions: hooks are read at start. Gemini runs no hooks in untrusted folders.",
    ],
  },
  plugin: {
    word: "extension",
    source: "https://geminicli.com/docs/extensions/reference",
    folderVariable: "${extensionPath}",
    manifests: ({ name, version, description }) => ({ "gemini-extension.json": { name, version, description } }),
    installCommands: (path) => [`gemini extensions install ${path}`],
    uninstallCommand: "gemini extensions uninstall beckon",
    async installedIn(environment, readValues) {
      const extensions = join(folder(environment), "extensions");
      const [enablement] = await readValues(join(extensions, "extension-enablement.json"));
      const last = toList(at(enablement, "beckon", "overrides")).at(-1);
      const isOff = typeof last === "string" && last.startsWith("!");
      const manifests = await readValues(join(extensions, "beckon", "gemini-extension.json"));
      return isOff ? [] : manifests.map(() => join(extensions, "beckon"));
    },
  },
});

/** Reads what Gemini asks for. A notification says this in its `details`, not in its message. */
function readDetails({ details }: Payload): AgentRequest | undefined {
  const { type, title, serverName, toolName, toolDisplayName, command, fileName, urls, prompt } = toObject(details);
  if (type === "exec" && asText(command)) return { tool: "Shell", main: String(command) };
  if (type === "edit" && asText(fileName)) return { tool: "Edit", path: String(fileName) };
  if (type === "mcp" && asText(serverName)) return readTool(`mcp__${serverName}__${toolName ?? toolDisplayName}`);
  if (type === "info") return readCall(title ?? "Fetch", { url: toList(urls).length > 0 ? urls : prompt });
  return asText(title) === undefined ? undefined : { main: String(title) };
}

/**
 * Rebuilds the messages as the user saw them. `$set` contains the model's list, without failed and cancelled messages.
 * This list is used only for messages before the recording's own messages.
 */
function replay(records: readonly JsonObject[]): Map<string, JsonObject> {
  const replayed = new Map<string, JsonObject>();
  let snapshot: readonly JsonObject[] = [];
  for (const record of records) {
    const messages = at(record.$set, "messages");
    if (Array.isArray(messages) && replayed.size === 0) snapshot = objectsIn(messages);
    rewind(replayed, asText(record.$rewindTo));
    const id = asText(record.id);
    if (id !== undefined) replayed.set(id, record);
  }
  const before = snapshot.flatMap((message): [string, JsonObject][] => {
    const id = asText(message.id);
    return id === undefined || replayed.has(id) ? [] : [[id, message]];
  });
  return new Map([...before, ...replayed]);
}

/** Finds the end of a turn that the model never answered. The model's list lacks the prompt of such a turn. */
function readAbandonedTurn(records: readonly JsonObject[], last: JsonObject | undefined): Step[] {
  const from = records.findLastIndex(({ id }) => id !== undefined && id === last?.id);
  const snapshot =
    from < 0 ? undefined : records.slice(from).findLast(({ $set }) => Array.isArray(at($set, "messages")));
  if (last?.type !== "user" || snapshot === undefined) return [];
  const isKept = objectsIn(at(snapshot.$set, "messages")).some(({ id }) => id === last.id);
  return isKept ? [] : [{ kind: "end", outcome: "failed", at: at(snapshot.$set, "lastUpdated") }];
}

/** Removes the message with that id and all later messages. */
function rewind(messages: Map<string, JsonObject>, to: string | undefined): void {
  if (to === undefined || !messages.has(to)) return;
  const ids = [...messages.keys()];
  for (const id of ids.slice(ids.indexOf(to))) messages.delete(id);
}

/** Reads the calls of a message, which is recorded again after they have ended. */
function readCalls({ toolCalls, timestamp }: JsonObject): Step[] {
  return objectsIn(toolCalls).flatMap(({ id, name, args, status }): Step[] => [
    { kind: "call", id, tool: name, input: args, at: timestamp },
    { kind: "result", id, didNothing: status === "error" || status === "cancelled", at: timestamp },
  ]);
}

function readSteps({ type, timestamp, content }: JsonObject): Step[] {
  const text = partsText(content);
  if (type === "gemini") return [{ kind: "answer", at: timestamp, text }];
  if (text === undefined) return [];
  switch (type) {
    case "user":
      return /^<(?:session|hook)_context>/.test(text) ? [] : [{ kind: "prompt", at: timestamp, text }];
    case "error":
      return [
        { kind: "complaint", at: timestamp, text },
        { kind: "end", outcome: "failed" },
      ];
    case "info":
      return text === "Request cancelled." ? [{ kind: "end", outcome: "interrupted" }] : [];
    default:
      return [];
  }
}
