import * as z from "zod";
import type { HttpPort } from "../core/http-port.ts";
import { transportSettings } from "./client.ts";
import { listMessages, listSessions } from "./resources/session-endpoints.ts";
import type { ServiceSettings } from "./settings.ts";
import { Transport } from "./transport.ts";

/** Which of the service's sessions, and how to ask for it. */
export interface SessionQuery {
  /** From `lookupTransport`. */
  readonly transport: Transport;
  /** Must be one of `isServiceId`. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** Room for a full page of sessions or messages. */
const maxReplyBytes = 1024 * 1024;

/**
 * The way to the service for a lookup: asks each thing once, for there is no time to ask again.
 * @throws {ArgumentError} for settings that cannot be used
 */
export function lookupTransport(
  access: Pick<ServiceSettings, "baseUrl" | "apiKey">,
  http: HttpPort,
  timeoutMs: number,
) {
  const { baseUrl, apiKey } = access;
  return new Transport(transportSettings({ baseUrl, apiKey, http, timeoutMs, attempts: 1, maxReplyBytes }));
}

const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().optional().catch(undefined);

/** A session as far as beckon uses it; a field of another type than the interface says counts as absent. */
const sessionSchema = z.object({
  sessionId: z.string(),
  title: text,
  status: text,
  messageCount: count,
  sessionSettings: z
    .object({ model: text, tokenUsage: z.record(z.string(), z.unknown()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
export type Session = z.output<typeof sessionSchema>;

const messageSchema = z.object({
  role: text,
  createdAt: z.number(),
  visibility: text,
  isUserVisible: z.boolean().optional().catch(undefined),
  content: z.array(z.object({ text }).catch({ text: undefined })).catch([]),
});
type Message = z.output<typeof messageSchema>;

const pagination = z
  .object({ hasMore: z.boolean().catch(false), nextCursor: text })
  .catch({ hasMore: false, nextCursor: undefined });
/** The client's own operations; one broken item must not cost the others, so items are checked one by one. */
const sessions = { ...listSessions, reply: z.object({ sessions: z.array(z.unknown()), pagination }) };
const messages = { ...listMessages, reply: z.object({ messages: z.array(z.unknown()), pagination }) };

const maxSessionPages = 3;
const maxMessagePages = 4;

/**
 * The session, from the list of all: the interface has no request for a single one. Looks at 300 sessions at most, in
 * the order in which the service gives them; undefined where it is not among them.
 * @throws {ServiceError}
 */
export async function findSession({ transport, sessionId, signal }: SessionQuery): Promise<Session | undefined> {
  let pages = 0;
  for await (const { items } of transport.list(sessions, { limit: 100 }, { signal }).pages()) {
    const found = valid(sessionSchema, items).find((session) => session.sessionId === sessionId);
    pages += 1;
    if (found || pages === maxSessionPages) return found;
  }
  return undefined;
}

/**
 * The text of the newest message of the assistant's that the user can see. The interface does not say in which order it
 * lists messages: newest first, one page is enough; oldest first, the end of the list must be reached, and where it is
 * too far away (200 messages) nothing is better than an old answer.
 * @throws {ServiceError}
 */
export async function newestAnswer({ transport, sessionId, signal }: SessionQuery): Promise<string | undefined> {
  const read: Message[] = [];
  let pages = 0;
  let isEnd = false;
  const list = transport.list(messages, { role: "assistant", limit: 50 }, { signal }, { sessionId });
  for await (const page of list.pages()) {
    read.push(...valid(messageSchema, page.items));
    isEnd = page.next === undefined;
    pages += 1;
    if (pages === maxMessagePages || (isNewestFirst(read) && read.some(isAnswer))) break;
  }
  return isEnd || isNewestFirst(read) ? newestText(read) : undefined;
}

function isNewestFirst(messages: readonly Message[]): boolean {
  return (messages[0]?.createdAt ?? 0) > (messages.at(-1)?.createdAt ?? 0);
}

function newestText(messages: readonly Message[]): string | undefined {
  const newest = messages
    .filter(isAnswer)
    .reduce<Message | undefined>((a, b) => (a === undefined || b.createdAt > a.createdAt ? b : a), undefined);
  return newest && textOf(newest);
}

/** Visible and not only a call of a tool. The role is checked again because a filter can be left unheeded. */
function isAnswer(message: Message): boolean {
  const isAssistants = message.role === undefined || message.role === "assistant";
  const isVisible = message.isUserVisible !== false && (message.visibility ?? "both") === "both";
  return isAssistants && isVisible && textOf(message).trim() !== "";
}

function textOf({ content }: Message): string {
  return content.flatMap((part) => part.text ?? []).join("\n");
}

/** The items that can be used; one broken item does not cost the others. */
function valid<Schema extends z.ZodType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
