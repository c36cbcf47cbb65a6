import { dirname, join } from "node:path";
import * as z from "zod";
import { type AgentState, defineAgent, type Payload, readToolInput } from "../core/agent.ts";
import type { InstallEnvironment, Trust, TrustRequest } from "../core/agent-settings.ts";
import { type AgentEvent, pushType, type ServerDialog } from "../core/event.ts";
import { asObject, asText, at, type JsonObject, parseObject, toList, toObject } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { isMateMessage, isProgramText, recordedAuthor } from "../core/prompt-author.ts";
import { claudeHook, optionalMembers } from "./schemas/hooks.ts";
import {
  agentFolder,
  claudeFiles,
  editorFolders,
  filesIn,
  listAncestors,
  pathByPlatform,
} from "./shared/agent-paths.ts";
import { claudePlugin, extendedClaudeFamily, outputIsContext } from "./shared/claude-family.ts";
import { defineTranscript, type Step } from "./transcripts/define-transcript.ts";
import { describeForm, describeWhole, findCommand, type ToolForm } from "./transcripts/describe-call.ts";
import { asCount, findBlocks, lastLine, parseRecords, readText, shortLine } from "./transcripts/record.ts";
import { findDone, turnFacts } from "./transcripts/turn.ts";

const folder = agentFolder({ name: ".claude", pathVariable: "CLAUDE_CONFIG_DIR" });

/**
 * File in which Claude Code keeps its state and the user's MCP servers. It is next to the default folder, but inside
 * any other folder.
 */
function stateFile(environment: InstallEnvironment): string {
  const isDefaultFolder = folder(environment) === join(environment.home, ".claude");
  return join(isDefaultFolder ? environment.home : folder(environment), ".claude.json");
}

/** Folder of an organization's managed settings. https://code.claude.com/docs/en/settings */
const managedFolder = pathByPlatform({
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
  linux: "/etc/claude-code",
});

/**
 * Reads the dialog of an MCP server. `Elicitation` opens it, and says what the server asks; a notification follows if
 * nobody answers within 6 s. Another one comes with the answer, and one when the server confirms a visited link.
 */
function readDialog({ nativeEvent, notificationType = "", message = "", extra }: AgentEvent): ServerDialog | undefined {
  const isOpening = nativeEvent === "Elicitation";
  if (!isOpening && !notificationType.startsWith("elicitation_")) return undefined;
  const [, named, confirmed] = /\bserver "(.+)"(?: confirmed elicitation (\S+))?/.exec(message) ?? [];
  const server = shortLine(isOpening ? extra.mcp_server_name : named);
  return omitUndefined<ServerDialog>({
    isAnswered: isOpening || notificationType.endsWith("_dialog") ? undefined : true,
    server,
    id: isOpening ? (asText(extra.elicitation_id) ?? "") : confirmed,
    tools: server === undefined ? "mcp__" : `mcp__${server.replace(/[^\w-]/g, "_")}__`,
  });
}

/** Folder of the desktop app's settings. */
function desktopApp({ home, platform, env }: InstallEnvironment): string {
  if (platform === "darwin") return join(home, "Library", "Application Support", "Claude");
  return platform === "win32" ? join(env["APPDATA"] ?? home, "Claude") : join(home, ".config", "Claude");
}

/**
 * Claude Code's own tools whose calls may be answered outside the agent. Tools that change the mode are left out; those
 * that end a plan or ask a question have forms.
 */
const answerableTools: Readonly<Record<string, ToolForm>> = {
  Bash: { main: "command", isShell: true, said: ["description"] },
  Edit: { main: "file_path", removed: "old_string", added: "new_string" },
  MultiEdit: { main: "file_path" },
  NotebookEdit: { main: "notebook_path" },
  WebFetch: { main: "url" },
  WebSearch: { main: "query" },
  Write: { main: "file_path", added: "content" },
};

/** Tools that have forms, as a matcher of hooks names them. */
const formTools = "AskUserQuestion|ExitPlanMode";

/** True for a command that asks to run outside of the sandbox. */
function leavesSandbox(payload: Payload): boolean {
  return ![undefined, false].includes(at(readToolInput(payload), "dangerouslyDisableSandbox") as undefined);
}

const subAgentFolder = (transcriptPath: string): string => join(transcriptPath.replace(/\.jsonl$/, ""), "subagents");

/**
 * Claude Code's transcript, tested with 2.1.197 and 2.1.330. Token counts cover only the part that was read. An API
 * message on several lines counts once.
 */
export const claudeTranscript = defineTranscript({
  tokenNames: {
    input: "input_tokens",
    output: "output_tokens",
    cacheRead: "cache_read_input_tokens",
    cacheWrite: "cache_creation_input_tokens",
  },
  subAgents: {
    findPath: (transcriptPath, id) => join(subAgentFolder(transcriptPath), `agent-${id}.jsonl`),
    folder: subAgentFolder,
    fileName: /^agent-([\w-]+)\.jsonl$/,
    read(text, isDoneWanted) {
      // All lines of this file have the mark of a sub-agent, and `readSteps` would skip marked lines.
      const steps = parseRecords(text).flatMap((record) => readSteps({ ...record, isSidechain: false }));
      return { ...turnFacts(steps, false).work, ...(isDoneWanted && { done: findDone(steps) }) };
    },
  },
  // Since 2.1.331. Sessions of the SDK are said to have the file without a status.
  state: {
    path: (transcriptPath, pid) => join(dirname(dirname(dirname(transcriptPath))), "sessions", `${pid}.json`),
    read({ status, waitingFor, statusUpdatedAt, sessionId, procStart: startTicks }) {
      const atMs = asCount(statusUpdatedAt);
      const state = isStatus(status) && atMs ? { status, waitingFor: shortLine(waitingFor), atMs } : undefined;
      return { state, sessionId, startTicks };
    },
  },
  promptAuthor(tail, turnId) {
    const lines = parseRecords(tail).filter(({ type, promptId }) => type === "user" && asText(promptId));
    const first = lines.findIndex(({ promptId }) => promptId === turnId);
    const typed = lines.filter(({ promptId, message }) => promptId === turnId && readText(at(message, "content")));
    const authors = new Set(typed.map(recordedAuthor));
    // The program may add its own lines to a user's prompt.
    const author = authors.has("person") ? "person" : authors.size === 1 ? [...authors][0] : undefined;
    return { author, hasEarlier: first > 0 || (first < 0 && lines.length > 0) };
  },
  find: ({ head, all, tail }) => ({
    steps: withBudget(tail.flatMap(readSteps), all),
    title:
      lastLine(all, ({ type, customTitle }) => type === "custom-title" && customTitle) ??
      lastLine(all, ({ type, aiTitle }) => type === "ai-title" && aiTitle) ??
      lastLine(all, ({ type, summary }) => type === "summary" && summary),
    branch: lastLine(all, ({ gitBranch }) => gitBranch !== "HEAD" && gitBranch),
    model: lastLine(tail, readModel),
    usages: usagesIn(tail),
    work: {
      startedIn: asText(head.find(({ cwd }) => asText(cwd))?.cwd),
      origin: readOrigin(asText(all.findLast(({ entrypoint }) => asText(entrypoint))?.entrypoint)),
    },
  }),
});

function isStatus(status: unknown): status is AgentState["status"] {
  return status === "idle" || status === "busy" || status === "waiting";
}

/** Tells where a session was started, by Claude Code's own word. A word other than `cli` and `sdk-…` names an app. */
function readOrigin(entrypoint: string | undefined) {
  if (entrypoint === undefined || entrypoint === "cli") return entrypoint && "terminal";
  return /^sdk-|-action$/.test(entrypoint) ? "program" : "app";
}

const texts = [
  ...["$schema", "apiKeyHelper", "proxyAuthHelper", "awsCredentialExport", "awsAuthRefresh", "gcpAuthRefresh"],
  ...["model", "prUrlTemplate", "otelHeadersHelper", "outputStyle", "language", "advisorModel", "agent"],
  ...["minimumVersion", "requiredMinimumVersion", "requiredMaximumVersion", "plansDirectory", "autoMemoryDirectory"],
  ...["claudeMd", "pluginTrustMessage"],
];

const switches = [
  ...["respectGitignore", "wslInheritsWindowsSettings", "includeCoAuthoredBy", "includeGitInstructions"],
  ...["enforceAvailableModels", "enableAllProjectMcpServers", "disableClaudeAiConnectors", "disableBundledSkills"],
  ...["disableAllHooks", "disableAgentView", "disableRemoteControl", "disableWorkflows", "disableArtifact"],
  ...["enableArtifact", "enableWorkflows", "workflowKeywordTriggerEnabled", "disableSkillShellExecution"],
  ...["respondToBashCommands", "allowManagedHooksOnly", "allowManagedPermissionRulesOnly"],
  ...["allowManagedMcpServersOnly", "allowAllClaudeAiMcps", "disableSideloadFlags", "forceRemoteSettingsRefresh"],
  ...["skipWebFetchPreflight", "spinnerTipsEnabled", "syntaxHighlightingDisabled", "terminalTitleFromRename"],
  ...["alwaysThinkingEnabled", "fastMode", "fastModePerSessionOptIn", "promptSuggestionEnabled"],
  ...["awaySummaryEnabled", "showClearContextOnPlanAccept", "channelsEnabled", "prefersReducedMotion"],
  ...["doneMeansMerged", "autoMemoryEnabled", "autoDreamEnabled", "showThinkingSummaries"],
  ...["skipDangerousModePermissionPrompt", "skipWorkflowUsageWarning", "verbose", "autoCompactEnabled"],
  ...["precomputeCompactionEnabled", "switchModelsOnFlag", "autoScrollEnabled", "wheelScrollAccelerationEnabled"],
  ...["fileCheckpointingEnabled", "showTurnDuration", "showMessageTimestamps", "terminalProgressBarEnabled"],
  ...["todoFeatureEnabled", "remoteControlAtStartup", "isolatePeerMachines", "autoUploadSessions"],
  ...["inputNeededNotifEnabled", "agentPushNotifEnabled"],
];

const lists = [
  ...["fallbackModel", "availableModels", "enabledMcpjsonServers", "disabledMcpjsonServers", "allowedHttpHookUrls"],
  ...["httpHookAllowedEnvVars", "pluginSuggestionMarketplaces", "companyAnnouncements", "claudeMdExcludes"],
];

/** Events whose hooks Claude Code validates. Claude Code drops unknown events before validating. */
const checkedEvents = [
  ...["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit"],
  ...["UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop"],
  ...["PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated"],
  ...["TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove"],
  ...["InstructionsLoaded", "CwdChanged", "FileChanged", "MessageDisplay"],
];

/** Claude Code. Tested with 2.1.197 and 2.1.329. */
export const claude = defineAgent({
  name: "claude",
  title: "Claude Code",
  source: "https://code.claude.com/docs/en/hooks",
  transcriptPathHint: "/.claude/",
  projectVariables: ["CLAUDE_PROJECT_DIR"],
  ...extendedClaudeFamily,
  // Auto mode denied a call, and the agent continues. Meant for routes that name this event in `on`.
  nativeEvents: {
    ...extendedClaudeFamily.nativeEvents,
    PermissionDenied: { event: "Notification", kind: "info" },
    Elicitation: { event: "Notification", kind: "needs-you" },
  },
  readDialog,
  // The texts are those of 2.1.332.
  notificationKinds: {
    ...extendedClaudeFamily.notificationKinds,
    [pushType]: "finished",
    agent_completed: "finished",
    computer_use_enter: "info",
    computer_use_exit: "info",
    model_refusal_fallback: "info",
    // "Usage limit reset — Claude is continuing your task". The other types of this name need the user: "Usage limit
    // reset — press enter to continue", "Automatic continue stopped — …; the task will not resume on its own".
    quota_auto_resume_fired: "info",
    elicitation_url_dialog: "needs-you",
    plugin_notification: "needs-you",
  },
  classify({ notificationType = "", message = "" }) {
    if (notificationType === "agent_completed" && /\bfailed\b/.test(message.replaceAll(/"[^"]*"/g, "")))
      return "failed";
    return /_resolved$/.test(notificationType) ? "info" : undefined;
  },
  skipReason(event) {
    if (event.event === "SubagentStop" && event.extra.agent_type === "") return "a compaction, not a sub-agent";
    return extendedClaudeFamily.skipReason(event);
  },
  transcript: claudeTranscript,
  // Measured with 2.1.331: the main session's dialog stays open beside the hook, a background sub-agent's comes after it.
  permissionHook: {
    event: "PermissionRequest",
    describe: (payload) => (leavesSandbox(payload) ? undefined : describeWhole(payload, answerableTools)),
    // An approved plan also grants the permissions in `allowedPrompts`.
    forms: {
      matchers: { forms: formTools, others: `^(?!(?:${formTools})$)` },
      describe: (form) => ({
        lines: describeForm(form, "plan"),
        ...(form.input.allowedPrompts !== undefined && { denyOnly: "the plan asks for permissions too" }),
      }),
    },
    findCommand: (payload) => findCommand(payload, answerableTools),
    serial: ({ agent_id }) => agent_id !== undefined,
    variables: ["CLAUDECODE"],
  },
  settings: {
    folder,
    files: filesIn(folder, claudeFiles),
    servers: (environment) => [{ path: stateFile(environment), shape: "servers" }],
    sessions: "projects",
    defaultEvents: {
      ...{ UserPromptSubmit: 5, Notification: 5, Elicitation: 5 },
      ...{ Stop: 5, StopFailure: 5, SubagentStop: 5, SessionEnd: 3 },
    },
    optionalEvents: ["PermissionRequest", "PermissionDenied"],
    // If a file has an unknown event, some versions open a dialog at every start, and older ones reject the file.
    since: {
      UserPromptSubmit: "1.0.54",
      StopFailure: "2.1.78",
      PermissionRequest: "2.0.45",
      PermissionDenied: "2.1.89",
      SessionEnd: "1.0.85",
      Elicitation: "2.1.76",
    },
    forbiddenEvents: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["comments", "trailing commas"],
    schema: claudeSettings,
    offSwitches: { disableAllHooks: true },
    switches: ({ platform }) =>
      ["managed-settings.json", join("managed-settings.d", "*.json")].map((name) => ({
        path: join(managedFolder(platform), name),
        off: { disableAllHooks: true, allowManagedHooksOnly: true },
      })),
    program: {
      files: ["claude"],
      minimumVersion: { version: "2.1.78", reason: "it has no StopFailure yet, so failed turns do not notify" },
    },
    runsCommandOnce: true,
    otherProgram: {
      title: "Claude Code's desktop app or editor extension",
      event: "PermissionRequest",
      paths: (environment) => [
        desktopApp(environment),
        join(desktopApp(environment), "claude-code", "*"),
        ...editorFolders.map((folder) => join(environment.home, folder, "extensions", "anthropic.claude-code-*")),
      ],
    },
    readTrust: readClaudeTrust,
    afterInstall: ["Claude Code holds back all hooks in a folder until you trust the folder."],
  },
  plugin: claudePlugin({
    source: "https://code.claude.com/docs/en/plugins-reference",
    folderVariable: "${CLAUDE_PLUGIN_ROOT}",
    program: "claude",
    manifestFolder: ".claude-plugin",
    folder,
    list: join("plugins", "installed_plugins.json"),
    entriesIn: (list) =>
      Object.entries(toObject(at(list, "plugins"))).flatMap(([id, entries]) =>
        toList(entries).map((entry) => [id, entry] as const),
      ),
  }),
});

/**
 * Reads whether Claude Code trusts the project folder or a parent of it. Not all versions record trust in the state
 * file, so only a yes is reliable.
 * https://github.com/anthropics/claude-code/issues/90220
 */
async function readClaudeTrust({ environment, readValue }: TrustRequest): Promise<Trust> {
  const { project } = environment;
  const state = await readValue(stateFile(environment));
  const isTrusted = (path: string) => at(state, "projects", path, "hasTrustDialogAccepted") === true;
  if (listAncestors(project).some(isTrusted)) return { state: "trusted", detail: `${project} is trusted` };
  return {
    state: "unknown",
    detail: `whether ${project} is trusted cannot be seen from here`,
    cure: "Start Claude Code there: it asks once, and holds hooks back until you have said yes. /hooks lists them.",
  };
}

/** Beginnings of `user` lines that no user typed: commands run by the program, and their output. */
const notPrompts = ["<command-name>", "<local-command-", "<bash-"];

function readSteps({ type, timestamp, message, ...record }: JsonObject): Step[] {
  if (record.isMeta === true || record.isSidechain === true || record.isCompactSummary === true) return [];
  const content = at(message, "content");
  const text = readText(content);
  if (type === "user" && text === undefined) return resultSteps(content, record, timestamp);
  const author = recordedAuthor(record);
  if (type === "user") return author === "program" ? reportSteps(text) : userSteps(text ?? "", timestamp, author);
  if (type === "attachment") return attachmentSteps(toObject(record.attachment));
  if (type !== "assistant") return [];
  const answer: Step = { kind: "answer", at: timestamp, text, id: at(message, "id") };
  if (record.isApiErrorMessage === true) return [answer, { kind: "end", outcome: "failed" }];
  const calls = findBlocks(content, "tool_use").map(
    ({ id, name, input }): Step => ({
      ...{ kind: "call", id, tool: name, input: asObject(input), at: timestamp },
      isSpawn: name === "Agent" || name === "Task",
    }),
  );
  const isTurnEnd = at(message, "stop_reason") === "end_turn";
  return [answer, ...calls, ...(isTurnEnd ? [{ kind: "end", outcome: "completed" } as const] : [])];
}

function attachmentSteps(attachment: JsonObject): Step[] {
  const { type, maxTurns } = attachment;
  if (type !== "max_turns_reached") return hookSteps(attachment);
  return [{ kind: "end", outcome: "failed", text: `Reached max turns (${maxTurns})` }];
}

/** Adds a failure to the last turn if it has not ended, and the session's cost has used up the budget. */
function withBudget(steps: readonly Step[], all: readonly JsonObject[]): readonly Step[] {
  const total = at(
    all.findLast(({ attachment }) => at(attachment, "type") === "budget_usd"),
    "attachment",
    "total",
  );
  const cost = all.findLast(({ type }) => type === "cost-state")?.totalCostUSD;
  const last = steps.findLast(({ kind }) => kind === "end" || kind === "prompt");
  if (typeof total !== "number" || typeof cost !== "number" || cost < total || last?.kind === "end") return steps;
  return [...steps, { kind: "end", outcome: "failed", text: `Exceeded USD budget (${total})` }];
}

/** Reads the output of a hook that wants the user to be asked about a call. */
function hookSteps({ hookEvent, toolUseID, stdout }: JsonObject): Step[] {
  const decision = at(parseObject(asText(stdout) ?? ""), "hookSpecificOutput");
  const reason = asText(at(decision, "permissionDecisionReason"));
  const isQuestion = hookEvent === "PreToolUse" && at(decision, "permissionDecision") === "ask";
  return isQuestion && reason !== undefined ? [{ kind: "hook-question", id: toolUseID, reason }] : [];
}

function userSteps(text: string, timestamp: unknown, author: "person" | undefined): Step[] {
  if (text.startsWith("[Request interrupted by user")) return [{ kind: "end", outcome: "interrupted", at: timestamp }];
  if (author === undefined && isProgramText(text)) return reportSteps(text);
  return notPrompts.some((beginning) => text.startsWith(beginning)) ? [] : [{ kind: "prompt", at: timestamp, text }];
}

/** Reads a message from the program to the model. A message of another agent may start a turn. */
function reportSteps(text = ""): Step[] {
  const [, task] = /^<task-notification>[\s\S]*?<task-id>([^<]+)</.exec(text) ?? [];
  return [
    { kind: "report", isMates: isMateMessage(text.trimStart()) },
    { kind: "task-end", id: task },
  ];
}

function resultSteps(content: unknown, { toolUseResult }: JsonObject, timestamp: unknown): Step[] {
  const results = findBlocks(content, "tool_result").map(({ tool_use_id: id, is_error, content: result }) => {
    // A command with an exit code has run.
    const didNothing = is_error === true && !readText(result)?.startsWith("Exit code");
    return { kind: "result", id, didNothing, at: timestamp } as const;
  });
  const shell = at(toolUseResult, "backgroundTaskId");
  const isLaunched = at(toolUseResult, "status") === "async_launched";
  const [agent, name] = [isLaunched && at(toolUseResult, "agentId"), at(toolUseResult, "description")];
  return [
    { kind: "task", id: shell, of: "shell", call: results[0]?.id },
    { kind: "task", id: agent, of: "agent", name },
    ...results,
  ];
}

function readModel({ isSidechain, message }: JsonObject): unknown {
  const model = at(message, "model");
  // `<synthetic>` messages come from the program, not the model.
  return isSidechain !== true && model !== "<synthetic>" && model;
}

/** Collects the token counts of each API message; the last line of a message counts. */
function usagesIn(records: readonly JsonObject[]): Iterable<unknown> {
  const messages = records.filter(({ type }) => type === "assistant").map(({ message }) => asObject(message) ?? {});
  const counted = messages.filter(({ usage }) => asObject(usage));
  return new Map(counted.map((message) => [asText(message.id) ?? message, message.usage])).values();
}

/**
 * Makes the schema of Claude Code's settings files. It does not check the names of modes and the like, because they
 * change with every version. Taken from 2.1.197. That version silently ignores a whole file that does not match.
 */
function claudeSettings() {
  const text = z.string();
  const isOn = z.boolean();
  const group = z.looseObject({ matcher: text.optional(), hooks: z.array(claudeHook()) });
  return z.looseObject({
    ...optionalMembers(texts, text),
    ...optionalMembers(switches, isOn),
    ...optionalMembers(lists, z.array(text)),
    hooks: z.looseObject(optionalMembers(checkedEvents, z.array(group))).optional(),
    permissions: permissions().optional(),
    // Claude Code converts all values to texts.
    env: z.record(text, z.unknown()).optional(),
    cleanupPeriodDays: z.int().positive().optional(),
    statusLine: command({ padding: z.number().optional(), hideVimModeIndicator: isOn.optional() }).optional(),
    subagentStatusLine: command({}).optional(),
    fileSuggestion: command({}).optional(),
    attribution: z.looseObject({ ...optionalMembers(["commit", "pr"], text), sessionUrl: isOn.optional() }).optional(),
    enabledPlugins: z.record(text, z.union([z.array(text), isOn])).optional(),
    extraKnownMarketplaces: z.record(text, z.looseObject({ source: z.looseObject({}) })).optional(),
    modelOverrides: z.record(text, text).optional(),
    skillOverrides: z.record(text, text).optional(),
    pluginConfigs: z.record(text, z.looseObject({})).optional(),
    sandbox: z.looseObject(optionalMembers(["enabled", "autoAllowBashIfSandboxed"], isOn)).optional(),
    spinnerVerbs: z.looseObject({ mode: text, verbs: z.array(text) }).optional(),
    spinnerTipsOverride: z.looseObject({ excludeDefault: isOn.optional(), tips: z.array(text) }).optional(),
    worktree: z.looseObject(optionalMembers(["symlinkDirectories", "sparsePaths"], z.array(text))).optional(),
    voice: z.looseObject(optionalMembers(["enabled", "autoSubmit"], isOn)).optional(),
    feedbackSurveyRate: z.number().min(0).max(1).optional(),
  });
}

/**
 * Makes the schema of permissions. If a rule is broken, versions before 2.1.122 ignore the whole file, and later
 * versions ignore only the rule.
 */
function permissions() {
  const error = "must be a tool's name, with or without a pattern in parentheses";
  const isRule = (rule: unknown) => typeof rule === "string" && /^[^()]+(?:\(.+\))?$/s.test(rule);
  const rule = z.unknown().refine(isRule, { error, params: { isTolerated: true } });
  return z.looseObject({
    ...optionalMembers(["allow", "deny", "ask"], z.array(rule)),
    ...optionalMembers(["defaultMode", "disableBypassPermissionsMode"], z.string()),
    additionalDirectories: z.array(z.string()).optional(),
  });
}

function command(members: z.ZodRawShape) {
  return z.looseObject({ ...members, type: z.literal("command"), command: z.string() });
}
