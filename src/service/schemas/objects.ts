import * as z from "zod";
import { anyObject, formatted, openEnum, openObject, unixMs, wholeUnixMs } from "./open.ts";

export const providerTypes = ["byom", "hosted"] as const;
export const providerTypeSchema = openEnum(providerTypes);
export type ProviderType = z.output<typeof providerTypeSchema>;

/** State of a computer. The API document does not say when a computer moves from one state to another. */
export const computerStatuses = ["provisioning", "active", "error"] as const;
export const computerStatusSchema = openEnum(computerStatuses);
export type ComputerStatus = z.output<typeof computerStatusSchema>;

/** Step of provisioning a computer. The API document gives neither the required fields nor the values of `status`. */
export const provisioningStepSchema = openObject({
  id: z.string().optional(),
  name: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  installSessionId: z.string().optional(),
  startedAt: unixMs.optional(),
  completedAt: unixMs.optional(),
});

export type ProvisioningStep = z.output<typeof provisioningStepSchema>;

/** Computer that runs sessions. */
export const computerSchema = openObject({
  id: z.string(),
  name: z.string(),
  providerType: providerTypeSchema,
  createdAt: unixMs,
  hostId: formatted("uuid").optional(),
  hostname: z.string().optional(),
  status: computerStatusSchema.optional(),
  provisioningSteps: z.array(provisioningStepSchema).optional(),
  relayClientUrl: formatted("uri").optional(),
  relayAgentUrl: formatted("uri").optional(),
  remoteUser: z.string().optional(),
});

export type Computer = z.output<typeof computerSchema>;

/**
 * User of the organization. Only the id is required, and times may be any text: the API document gives neither the
 * required fields nor the format of `createdAt` and `lastSignInAt`.
 */
export const organizationUserSchema = openObject({
  id: z.string(),
  email: formatted("email").optional(),
  createdAt: z.string().optional(),
  metadata: anyObject.optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  lastSignInAt: z.string().optional(),
});

export type OrganizationUser = z.output<typeof organizationUserSchema>;

export const reasoningEfforts = ["low", "medium", "high", "off"] as const;
export const reasoningEffortSchema = openEnum(reasoningEfforts);

/** Evaluation of a criterion: `numerator` of the `denominator` (1 or more) sub-applications pass. */
export const criterionEvaluationSchema = openObject({
  numerator: z.number().meta({ minimum: 0 }),
  denominator: z.number().meta({ minimum: 1 }),
  rationale: z.string(),
});

export type CriterionEvaluation = z.output<typeof criterionEvaluationSchema>;

/**
 * One evaluation of a repository. `apps` is keyed by path, `report` by criterion id; `createdAt` is Unix milliseconds.
 */
export const readinessReportSchema = openObject({
  reportId: formatted("uuid"),
  createdAt: unixMs,
  repoUrl: z.string(),
  apps: z.record(z.string(), openObject({ description: z.string() })),
  report: z.record(z.string(), criterionEvaluationSchema),
  commitHash: z.string().optional(),
  branch: z.string().optional(),
  hasLocalChanges: z.boolean().optional(),
  hasNonRemoteCommits: z.boolean().optional(),
  modelUsed: openObject({ id: z.string(), reasoningEffort: reasoningEffortSchema }).optional(),
  agentVersion: z.string().optional(),
});

export type ReadinessReport = z.output<typeof readinessReportSchema>;

const text = z.string().optional();
const texts = z.array(z.string()).optional();
const flag = z.boolean().optional();
const integer = z.int().optional();

/**
 * Model that the organization added. `apiKey` is a secret. All fields are optional, because the API document does not
 * say which are required.
 */
export const customModelSchema = openObject({
  model: text,
  id: text,
  baseUrl: text,
  apiKey: text,
  displayName: text,
  index: integer,
  maxContextLimit: integer,
  thinkingMaxTokens: integer,
  maxOutputTokens: integer,
  enableThinking: flag,
  noImageSupport: flag,
  extraHeaders: anyObject.optional(),
  extraArgs: anyObject.optional(),
  cloudGateway: openObject({
    cloudProfile: text,
    cloudRegion: text,
    cloudGatewayBaseUrl: text,
    cloudAuthRefresh: text,
    cloudCredentialExport: text,
  }).optional(),
});

export type CustomModel = z.output<typeof customModelSchema>;

const sandboxSchema = openObject({
  enabled: flag,
  filesystem: openObject({ allowWrite: texts, allowRead: texts, denyWrite: texts, denyRead: texts }).optional(),
  network: openObject({
    allowedDomains: texts,
    allowUnixSockets: texts,
    allowAllUnixSockets: flag,
    allowLocalBinding: flag,
    httpProxyPort: integer,
    socksProxyPort: integer,
  }).optional(),
});

/** Documented properties of `settings`, all optional. */
export const controlSettingsSchema = openObject({
  sessionDefaultSettings: openObject({ model: text, specModeModel: text }).optional(),
  mcpAutonomyOverrides: anyObject.optional(),
  cloudSessionSync: flag,
  wikiCloudSync: flag,
  includeCoAuthoredByAgent: flag,
  enableAgentShield: flag,
  ideAutoConnect: flag,
  commandAllowlist: texts,
  commandDenylist: texts,
  customModels: z.array(customModelSchema).optional(),
  modelPolicy: openObject({
    allowedModelIds: texts,
    blockedModelIds: texts,
    allowCustomModels: flag,
    allowedBaseUrls: texts,
    allowAllFactoryModels: flag,
    isFastModelsAllowed: flag,
  }).optional(),
  mcpPolicy: openObject({ enabled: flag, allowlist: texts }).optional(),
  missionPolicy: openObject({ restrictedAccess: flag, allowedUserIds: texts }).optional(),
  userModelPolicies: anyObject.optional(),
  enabledPlugins: anyObject.optional(),
  extraKnownMarketplaces: anyObject.optional(),
  strictKnownMarketplaces: z.array(openObject({ repo: z.string() })).optional(),
  networkPolicy: openObject({ allowedIps: texts }).optional(),
  sandbox: sandboxSchema.optional(),
  restrictMemberVisibility: flag,
  restrictApiKeyCreationToManagers: flag,
  managedComputersEnabled: flag,
  byomComputersEnabled: flag,
  managedComputersAllowedEmails: texts,
  byomComputersAllowedEmails: texts,
  sessionRetentionDays: integer,
});

export type ControlSettings = z.output<typeof controlSettingsSchema>;

/** Picks the documented properties of a change's `settings`, if their values have the documented types. */
export function knownSettings(settings: Readonly<Record<string, unknown>>): ControlSettings {
  const known: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(controlSettingsSchema.shape)) {
    const parsed = Object.hasOwn(settings, name) ? schema.safeParse(settings[name]) : undefined;
    if (parsed?.success && parsed.data !== undefined) known[name] = parsed.data;
  }
  return known;
}

/**
 * One change of the organization-wide settings. `settings` is any object, because its properties may be added, removed
 * or renamed; `knownSettings` reads the known properties. Do not print `settings`, which can contain keys of custom
 * models.
 */
export const controlChangeSchema = openObject({
  revision: z.int(),
  settings: anyObject.describe(
    "Settings; properties may be added, removed or renamed. `ControlSettings` has the known ones.",
  ),
  user: openObject({ id: z.string(), email: z.string(), name: z.string() }),
  updatedAt: formatted("date-time"),
});

export type ControlChange = z.output<typeof controlChangeSchema>;

/** Token counts of a session. All are optional, because the API document does not say which are always present. */
export const sessionTokenUsageSchema = openObject({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheCreationTokens: z.number().optional(),
  cacheReadTokens: z.number().optional(),
  thinkingTokens: z.number().optional(),
  serviceCredits: z.number().optional(),
});

export type SessionTokenUsage = z.output<typeof sessionTokenUsageSchema>;

export const sessionTagSchema = openObject({ name: z.string(), metadata: anyObject.optional() });

/**
 * Settings of a session. All are optional, and timestamps may be any text, because the API document gives neither the
 * required fields nor the format of `archivedAt` and `providerLockTimestamp`. Only replies have token usage.
 */
export const sessionSettingsSchema = openObject({
  model: z.string().optional().describe("Model to use."),
  specModeModel: z.string().optional().describe("Model to use in specification mode."),
  providerLockTimestamp: z.string().optional().describe("Time at which the provider was locked."),
  assistantActiveTimeMs: z.number().optional().describe("Time the assistant was active, in milliseconds."),
  tokenUsage: sessionTokenUsageSchema.optional(),
  inclusiveTokenUsage: sessionTokenUsageSchema.optional(),
  childInclusiveTokenUsageBySessionId: anyObject
    .optional()
    .describe("Token usage of each child session, by session id."),
  archivedAt: z.string().optional().describe("Time at which the session was archived."),
  tags: z.array(sessionTagSchema).optional(),
  enabledToolIds: z.array(z.string()).optional().describe("Ids of tools to enable."),
  disabledToolIds: z.array(z.string()).optional().describe("Ids of tools to disable."),
});

export type SessionSettings = z.output<typeof sessionSettingsSchema>;

/** Activity of a session. The API document does not say when the activity changes. */
export const sessionStatuses = ["idle", "pending", "running"] as const;
export const sessionStatusSchema = openEnum(sessionStatuses);
export type SessionStatus = z.output<typeof sessionStatusSchema>;

/** Session as returned by `create`. Times are Unix milliseconds. */
export const sessionSchema = openObject({
  sessionId: z.string(),
  status: sessionStatusSchema,
  messageCount: z.int(),
  createdAt: wholeUnixMs,
  updatedAt: wholeUnixMs,
  title: z.string().optional(),
  completedAt: wholeUnixMs.optional(),
  computerId: z.string().optional(),
  sessionSettings: sessionSettingsSchema.optional(),
});

export type Session = z.output<typeof sessionSchema>;

/** Session in a list. Only the id is required: the API document does not give the fields of the list. */
export const listedSessionSchema = sessionSchema.partial({
  status: true,
  messageCount: true,
  createdAt: true,
  updatedAt: true,
});

export type ListedSession = z.output<typeof listedSessionSchema>;

export const messageRoles = ["user", "assistant", "tool", "system"] as const;
export const messageRoleSchema = openEnum(messageRoles);
export type MessageRole = z.output<typeof messageRoleSchema>;

export const userMessageSources = [
  "web",
  "desktop",
  "cli_tui",
  "cli_exec",
  "cli_acp",
  "chat_app",
  "issue_tracker",
  "sessions_api",
  "api",
  "automation",
  "readiness-remediation",
  "readiness-evaluation",
  "wiki-generation",
  "wiki-ci-setup",
] as const;
export const userMessageSourceSchema = openEnum(userMessageSources);

export const messageVisibilities = ["both", "llm_only", "user_only"] as const;
export const messageVisibilitySchema = openEnum(messageVisibilities);

export const vendorXPhases = ["commentary", "final_answer"] as const;
export const vendorXPhaseSchema = openEnum(vendorXPhases);

export const reasoningFields = ["reasoning", "reasoning_content"] as const;
export const reasoningFieldSchema = openEnum(reasoningFields);

/** Part of a message. */
export const messageContentSchema = openObject({ text: z.string(), id: z.string() });

/** Message. Times are Unix milliseconds. */
export const messageSchema = openObject({
  id: z.string(),
  role: messageRoleSchema,
  content: z.array(messageContentSchema),
  createdAt: unixMs,
  updatedAt: unixMs,
  parentId: z.string().optional(),
  userMessageSource: userMessageSourceSchema.optional(),
  visibility: messageVisibilitySchema.optional(),
  vendorXMessageId: z.string().optional(),
  vendorXPhase: vendorXPhaseSchema.nullish(),
  vendorXEncryptedContent: z.string().optional(),
  vendorXReasoningId: z.string().optional(),
  vendorXReasoningSummary: z.string().optional(),
  /** @deprecated Use the thinking block's signature fields, together with its signature provider field. */
  vendorYThoughtSignature: z.string().optional().meta({ deprecated: true }),
  chatCompletionReasoningField: reasoningFieldSchema.optional(),
  chatCompletionReasoningContent: z.string().optional(),
  isUserVisible: z.boolean().optional(),
  isError: z.boolean().optional(),
});

export type Message = z.output<typeof messageSchema>;

/** Message in a list. Only the id is required: the API document does not give the fields of the list. */
export const listedMessageSchema = messageSchema.partial({
  role: true,
  content: true,
  createdAt: true,
  updatedAt: true,
});

export type ListedMessage = z.output<typeof listedMessageSchema>;

/**
 * `pagination` of every `/api/v0` list. `nextCursor` may be absent or null, because the API document does not show the
 * last page.
 */
export const paginationSchema = openObject({ hasMore: z.boolean(), nextCursor: z.string().nullish() });
export type Pagination = z.output<typeof paginationSchema>;
