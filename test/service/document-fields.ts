/**
 * Type of a documented field. `?` marks optional fields: those documented as such, and all fields of objects for which
 * the API document does not say which are required.
 */
export type FieldType =
  `${"string" | "number" | "integer" | "boolean" | "object" | "array"}${"" | " or null"}${"" | "?"}`;
export type Fields = Readonly<Record<string, FieldType>>;

const same = <Type extends FieldType>(type: Type, names: string): Record<string, Type> =>
  Object.fromEntries(names.split(" ").map((name) => [name, type]));

const counts = same("number", "billable_tokens input_tokens output_tokens");
const output = same("number", "files_created files_edited git_commits git_prs_created");
const cached = same("number", "cache_read_tokens cache_write_tokens");
const names = same("string?", "email createdAt firstName lastName lastSignInAt");
const steps = same("string?", "id name status error installSessionId");
const session: Fields = {
  ...same("string", "sessionId status"),
  ...same("integer", "messageCount createdAt updatedAt"),
  ...same("string?", "title computerId"),
  completedAt: "integer?",
  sessionSettings: "object?",
};
const message: Fields = {
  ...same("string", "id role"),
  content: "array",
  ...same("number", "createdAt updatedAt"),
  ...same("string?", "parentId userMessageSource visibility vendorXMessageId vendorXEncryptedContent"),
  ...same("string?", "vendorXReasoningId vendorXReasoningSummary vendorYThoughtSignature"),
  ...same("string?", "chatCompletionReasoningField chatCompletionReasoningContent"),
  vendorXPhase: "string or null?",
  ...same("boolean?", "isUserVisible isError"),
};

const tokenUsage = "inputTokens outputTokens cacheCreationTokens cacheReadTokens thinkingTokens serviceCredits";
const spanned = same("string", "org_id start_date end_date");

export const documentedFields: Readonly<Record<string, Fields>> = {
  analyticsMeta: spanned,
  pagedAnalyticsMeta: { ...spanned, has_more: "boolean", next_cursor: "string or null?" },
  creditsRow: { date: "string", ...counts, ...cached, ...same("array", "by_model by_user") },
  modelCredits: { ...same("string", "model_id model_tier"), ...counts },
  userCredits: { user_id: "string", user_email: "string or null", billable_tokens: "number", by_model: "array" },
  creditsByModelRow: { ...same("string", "date group_key"), ...counts },
  toolUsageRow: {
    date: "string",
    ...same("number", "tool_calls mcp_users_with_mcp skills_invocations slash_commands_invocations hooks_invocations"),
    ...same("number", "web_users autonomy_ratio_avg autonomy_ratio_p50 autonomy_ratio_p90"),
    ...same("number", "tool_calls_per_session_avg user_turns_per_session_avg"),
    ...same("array", "by_tool mcp_by_server skills_by_name slash_commands_by_name hooks_by_event"),
    tool_autonomy_level_ratio: "object",
  },
  toolCount: { tool: "string", invocations: "number" },
  serverCount: { server: "string", invocations: "number" },
  nameCount: { name: "string", count: "number" },
  hookCount: { ...same("string", "event matcher command"), count: "number" },
  autonomyLevelRatio: same("number", "auto_high auto_medium auto_low manual"),
  toolUsageByToolRow: { ...same("string", "date group_key"), tool_calls: "number" },
  activityRow: {
    date: "string",
    ...same("number", "daily_active_users weekly_active_users monthly_active_users sessions messages user_messages"),
    daily_active_users_by_client: "object",
  },
  activityByClientRow: { ...same("string", "date group_key"), daily_active_users: "number" },
  productivityRow: { date: "string", ...output, ...same("array", "by_extension by_language") },
  extensionCount: { extension: "string", count: "number" },
  languageCount: { language: "string", count: "number" },
  userRow: {
    ...same("string", "user_id date primary_model primary_model_tier delegation_level"),
    user_email: "string or null",
    ...same("number", "tool_calls billable_tokens files_created files_edited git_commits git_prs_created mcp_calls"),
    ...same("number", "skill_calls slash_commands hooks sessions messages user_messages assistant_messages"),
    autonomy_ratio: "number",
    languages: "array",
  },
  readinessReport: {
    ...same("string", "reportId repoUrl"),
    createdAt: "number",
    ...same("object", "apps report"),
    ...same("string?", "commitHash branch agentVersion"),
    ...same("boolean?", "hasLocalChanges hasNonRemoteCommits"),
    modelUsed: "object?",
  },
  criterionEvaluation: { ...same("number", "numerator denominator"), rationale: "string" },
  controlChange: { revision: "integer", ...same("object", "settings user"), updatedAt: "string" },
  controlSettings: {
    ...same("object?", "sessionDefaultSettings mcpAutonomyOverrides modelPolicy mcpPolicy missionPolicy"),
    ...same("object?", "userModelPolicies enabledPlugins extraKnownMarketplaces networkPolicy sandbox"),
    ...same("boolean?", "cloudSessionSync wikiCloudSync includeCoAuthoredByAgent enableAgentShield ideAutoConnect"),
    ...same("boolean?", "restrictMemberVisibility restrictApiKeyCreationToManagers"),
    ...same("boolean?", "managedComputersEnabled byomComputersEnabled"),
    ...same("array?", "commandAllowlist commandDenylist customModels strictKnownMarketplaces"),
    ...same("array?", "managedComputersAllowedEmails byomComputersAllowedEmails"),
    sessionRetentionDays: "integer?",
  },
  customModel: {
    ...same("string?", "model id baseUrl apiKey displayName"),
    ...same("integer?", "index maxContextLimit thinkingMaxTokens maxOutputTokens"),
    ...same("boolean?", "enableThinking noImageSupport"),
    ...same("object?", "extraHeaders extraArgs cloudGateway"),
  },
  session,
  listedSession: { ...session, status: "string?", ...same("integer?", "messageCount createdAt updatedAt") },
  sessionSettings: {
    ...same("string?", "model specModeModel providerLockTimestamp archivedAt"),
    assistantActiveTimeMs: "number?",
    ...same("object?", "tokenUsage inclusiveTokenUsage childInclusiveTokenUsageBySessionId"),
    ...same("array?", "tags enabledToolIds disabledToolIds"),
  },
  sessionTokenUsage: same("number?", tokenUsage),
  message,
  listedMessage: { ...message, role: "string?", content: "array?", ...same("number?", "createdAt updatedAt") },
  messageContent: same("string", "text id"),
  computer: {
    ...same("string", "id name providerType"),
    createdAt: "number",
    ...same("string?", "hostId hostname status relayClientUrl relayAgentUrl remoteUser"),
    provisioningSteps: "array?",
  },
  provisioningStep: { ...steps, ...same("number?", "startedAt completedAt") },
  organizationUser: { id: "string", ...names, metadata: "object?" },
  pagination: { hasMore: "boolean", nextCursor: "string or null?" },
};
