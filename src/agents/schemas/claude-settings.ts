import * as z from "zod";
import { claudeHook, optionalMembers } from "./hooks.ts";

/** Events whose hooks Claude Code validates. Claude Code drops unknown events before validating. */
const checkedEvents = [
  ...["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit"],
  ...["UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop"],
  ...["PreCompact", "PostCompact", "PermissionRequest", "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated"],
  ...["TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove"],
  ...["InstructionsLoaded", "CwdChanged", "FileChanged", "MessageDisplay"],
];

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

/**
 * Makes the schema of Claude Code's settings files. It does not check the names of modes and the like, because they
 * change with every version. Taken from 2.1.197. That version silently ignores a whole file that does not match.
 */
export function claudeSettings() {
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
  const rule = z.unknown().refine(isRule, { error, params: { isTolerated: true } });
  return z.looseObject({
    ...optionalMembers(["allow", "deny", "ask"], z.array(rule)),
    ...optionalMembers(["defaultMode", "disableBypassPermissionsMode"], z.string()),
    additionalDirectories: z.array(z.string()).optional(),
  });
}

function isRule(rule: unknown): boolean {
  return typeof rule === "string" && /^[^()]+(?:\(.+\))?$/s.test(rule);
}

function command(members: z.ZodRawShape) {
  return z.looseObject({ ...members, type: z.literal("command"), command: z.string() });
}
