import * as z from "zod";
import { computerId, lengthBetween } from "../arguments.ts";
import type { CallOptions } from "../call-options.ts";
import { type BodyOf, type Endpoint, type ListEndpoint, type ListOf, type QueryOf, v0List } from "../endpoint.ts";
import { anyObject, openEnum, openObject, unixMs, wholeUnixMs } from "../open-schema.ts";
import type { ServiceCall } from "../service-call.ts";
import { Resource } from "../transport.ts";

/** Roles for filtering messages; `system` cannot be filtered. */
export const messageFilterRoles = ["user", "assistant", "tool"] as const;

const queriedComputer = computerId.optional().describe("Id of a connected computer, to query that computer directly.");

/** Token counts of a session. All are optional, because the API document does not say which are always present. */
export const sessionTokenUsageSchema = openObject({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheCreationTokens: z.number().optional(),
  cacheReadTokens: z.number().optional(),
  thinkingTokens: z.number().optional(),
  serviceCredits: z.number().optional(),
});

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

/** Settings for a new session: those that a reply has, without its token counts. */
const newSessionSettings = sessionSettingsSchema
  .omit({ tokenUsage: true, inclusiveTokenUsage: true })
  .extend({
    tags: z.array(sessionTagSchema.strict()).optional().describe("Tags, each with a name and optional metadata."),
  })
  .strict();

/** Activity of a session. The API document does not say when the activity changes. */
export const sessionStatuses = ["idle", "pending", "running"] as const;
export const sessionStatusSchema = openEnum(sessionStatuses);

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

/** Session in a list. Only the id is required: the API document does not give the fields of the list. */
export const listedSessionSchema = sessionSchema.partial({
  status: true,
  messageCount: true,
  createdAt: true,
  updatedAt: true,
});

export const listSessions = {
  ...v0List("sessions", listedSessionSchema, { computerId: queriedComputer }),
  name: "sessions.list",
  summary: "List sessions.",
  path: "/api/v0/sessions",
} as const satisfies ListEndpoint;

export const createSession = {
  name: "sessions.create",
  summary: "Start a session on a computer.",
  method: "POST",
  base: "baseUrl",
  path: "/api/v0/sessions",
  body: z.strictObject({
    computerId,
    cwd: lengthBetween(1, 4096).optional().describe("Working directory on the computer, 1 to 4096 characters."),
    sessionSettings: newSessionSettings.optional().describe("Settings of the session."),
  }),
  status: 201,
  reply: sessionSchema,
} as const satisfies Endpoint;

export const messageRoles = ["user", "assistant", "tool", "system"] as const;
export const messageRoleSchema = openEnum(messageRoles);

/** Part of a message. */
export const messageContentSchema = openObject({ text: z.string(), id: z.string() });

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

/** Message in a list. Only the id is required: the API document does not give the fields of the list. */
export const listedMessageSchema = messageSchema.partial({
  role: true,
  content: true,
  createdAt: true,
  updatedAt: true,
});

export const listMessages = {
  ...v0List("messages", listedMessageSchema, {
    computerId: queriedComputer,
    role: z
      .enum(messageFilterRoles, { error: `must be one of ${messageFilterRoles.join(", ")}` })
      .optional()
      .describe("Only messages of this role."),
  }),
  name: "sessions.messages",
  summary: "List the messages of a session.",
  path: "/api/v0/sessions/{sessionId}/messages",
} as const satisfies ListEndpoint;

export const getMessage = {
  name: "sessions.message",
  summary: "Show one message of a session.",
  method: "GET",
  base: "baseUrl",
  path: "/api/v0/sessions/{sessionId}/messages/{messageId}",
  query: z.strictObject({ computerId: queriedComputer }),
  status: 200,
  reply: messageSchema,
} as const satisfies Endpoint;

/** Agent sessions and their messages. The API document names neither the roles needed nor the order of the lists. */
export class Sessions extends Resource {
  /** Lists all sessions, or those on one computer, `limit` sessions per page. */
  list(query: QueryOf<typeof listSessions> = {}, options?: CallOptions): ListOf<typeof listSessions> {
    return this.transport.list(listSessions, query, options);
  }

  /** Starts a session, and returns it. Never retried. */
  create(body: BodyOf<typeof createSession>, options?: CallOptions): ServiceCall<Session> {
    return this.transport.call(createSession, { body }, options);
  }

  /** Lists a session's messages, `limit` per page, optionally only those of a `role` other than `system`. */
  messages(
    sessionId: string,
    query: QueryOf<typeof listMessages> = {},
    options?: CallOptions,
  ): ListOf<typeof listMessages> {
    return this.transport.list(listMessages, query, options, { sessionId });
  }

  /** Gets one message. */
  message(
    sessionId: string,
    messageId: string,
    query: QueryOf<typeof getMessage> = {},
    options?: CallOptions,
  ): ServiceCall<Message> {
    return this.transport.call(getMessage, { ids: { sessionId, messageId }, query }, options);
  }
}

export type SessionTokenUsage = z.output<typeof sessionTokenUsageSchema>;

export type SessionSettings = z.output<typeof sessionSettingsSchema>;

export type SessionStatus = z.output<typeof sessionStatusSchema>;

export type Session = z.output<typeof sessionSchema>;

export type ListedSession = z.output<typeof listedSessionSchema>;

export type MessageRole = z.output<typeof messageRoleSchema>;

export type Message = z.output<typeof messageSchema>;

export type ListedMessage = z.output<typeof listedMessageSchema>;
