import * as z from "zod";
import { anyObject, openEnum, openObject, unixMs, wholeUnixMs } from "./open.ts";

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
