import * as z from "zod";
import { computerId, cursor, lengthBetween, limit } from "../arguments.ts";
import { type Endpoint, type ListEndpoint, v0Paging } from "../endpoint.ts";
import { listedMessageSchema, messageSchema } from "../schemas/sessions.ts";
import { anyObject, openObject } from "../schemas/open.ts";
import { paginationSchema } from "../schemas/pagination.ts";
import { listedSessionSchema, sessionSchema } from "../schemas/session.ts";

/** Roles by which messages can be filtered; `system` is none of them. */
export const messageFilterRoles = ["user", "assistant", "tool"] as const;

const texts = z.array(z.string()).optional();
/** Settings for a new session: those of a reply without the token counts. */
const newSessionSettings = z.strictObject({
  model: z.string().optional().describe("Model."),
  specModeModel: z.string().optional().describe("Model of the specification mode."),
  providerLockTimestamp: z.string().optional().describe("Timestamp of the provider lock."),
  assistantActiveTimeMs: z.number().optional().describe("Time the assistant was active, in milliseconds."),
  childInclusiveTokenUsageBySessionId: anyObject.optional().describe("Token usage of child sessions, by their ids."),
  archivedAt: z.string().optional().describe("When it was archived."),
  tags: z
    .array(z.strictObject({ name: z.string(), metadata: anyObject.optional() }))
    .optional()
    .describe("Tags, each with a name and any metadata."),
  enabledToolIds: texts.describe("Tools that are switched on."),
  disabledToolIds: texts.describe("Tools that are switched off."),
});

const shared = { base: "baseUrl", status: 200 } as const;

export const listSessions = {
  ...shared,
  name: "sessions.list",
  summary: "Sessions.",
  method: "GET",
  path: "/api/v0/sessions",
  query: z.strictObject({ limit, cursor, computerId: computerId.optional() }),
  reply: openObject({ sessions: z.array(listedSessionSchema), pagination: paginationSchema }),
  items: "sessions",
  paging: v0Paging,
} as const satisfies ListEndpoint;

export const createSession = {
  ...shared,
  name: "sessions.create",
  summary: "Starts a session on a computer.",
  method: "POST",
  path: "/api/v0/sessions",
  body: z.strictObject({
    computerId,
    cwd: lengthBetween(1, 4096).optional().describe("Working directory on the computer, 1 to 4096 characters."),
    sessionSettings: newSessionSettings.optional().describe("Settings of the session."),
  }),
  status: 201,
  reply: sessionSchema,
} as const satisfies Endpoint;

export const listMessages = {
  ...shared,
  name: "sessions.messages",
  summary: "Messages of a session.",
  method: "GET",
  path: "/api/v0/sessions/{sessionId}/messages",
  query: z.strictObject({
    limit,
    cursor,
    computerId: computerId.optional(),
    role: z
      .enum(messageFilterRoles, { error: `must be one of ${messageFilterRoles.join(", ")}` })
      .optional()
      .describe("Only messages of this role."),
  }),
  reply: openObject({ messages: z.array(listedMessageSchema), pagination: paginationSchema }),
  items: "messages",
  paging: v0Paging,
} as const satisfies ListEndpoint;

export const getMessage = {
  ...shared,
  name: "sessions.message",
  summary: "One message of a session.",
  method: "GET",
  path: "/api/v0/sessions/{sessionId}/messages/{messageId}",
  query: z.strictObject({ computerId: computerId.optional() }),
  reply: messageSchema,
} as const satisfies Endpoint;
