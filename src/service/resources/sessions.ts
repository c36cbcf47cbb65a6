import * as z from "zod";
import { computerId, lengthBetween } from "../arguments.ts";
import type { CallOptions } from "../call-options.ts";
import { type BodyOf, type Endpoint, type ListEndpoint, type ListOf, type QueryOf, v0List } from "../endpoint.ts";
import {
  listedMessageSchema,
  listedSessionSchema,
  type Message,
  messageSchema,
  type Session,
  sessionSchema,
  sessionSettingsSchema,
  sessionTagSchema,
} from "../schemas/objects.ts";
import type { ServiceCall } from "../service-call.ts";
import { Resource } from "../transport.ts";

/** Roles for filtering messages; `system` cannot be filtered. */
export const messageFilterRoles = ["user", "assistant", "tool"] as const;

const queriedComputer = computerId.optional().describe("Id of a connected computer, to query that computer directly.");

/** Settings for a new session: those that a reply has, without its token counts. */
const newSessionSettings = sessionSettingsSchema
  .omit({ tokenUsage: true, inclusiveTokenUsage: true })
  .extend({
    tags: z.array(sessionTagSchema.strict()).optional().describe("Tags, each with a name and optional metadata."),
  })
  .strict();

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
