import * as z from "zod";
import type { HttpPort } from "../core/ports.ts";
import { getJson } from "./get.ts";
import type { ServiceSettings } from "./settings.ts";

/** Which of the service's sessions, and how to ask for it. */
export interface SessionQuery {
  readonly access: Pick<ServiceSettings, "baseUrl" | "apiKey">;
  /** Must be one of `isServiceId`. */
  readonly sessionId: string;
  readonly http: HttpPort;
  readonly signal: AbortSignal;
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
const sessionsPage = z.object({ sessions: z.array(z.unknown()), pagination });
const messagesPage = z.object({ messages: z.array(z.unknown()), pagination });

const maxSessionPages = 3;
const maxMessagePages = 4;

/**
 * The session, from the list of all: the interface has no request for a single one. Looks at 300 sessions at most, in
 * the order in which the service gives them; undefined where it is not among them.
 * @throws {ServiceError}
 */
export async function findSession({ sessionId, ...query }: SessionQuery): Promise<Session | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < maxSessionPages; page += 1) {
    const reply = await getJson({
      ...query,
      path: ["sessions"],
      query: { limit: "100", cursor },
      reply: sessionsPage,
    });
    const found = valid(sessionSchema, reply.sessions).find((session) => session.sessionId === sessionId);
    cursor = nextCursor(reply.pagination);
    if (found || cursor === undefined) return found;
  }
  return undefined;
}

/**
 * The text of the newest message of the assistant's that the user can see. The interface does not say in which order it
 * lists messages: newest first, one page is enough; oldest first, the end of the list must be reached, and where it is
 * too far away (200 messages) nothing is better than an old answer.
 * @throws {ServiceError}
 */
export async function newestAnswer({ sessionId, ...query }: SessionQuery): Promise<string | undefined> {
  const messages: Message[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxMessagePages; page += 1) {
    const reply = await getJson({
      ...query,
      path: ["sessions", sessionId, "messages"],
      query: { role: "assistant", limit: "50", cursor },
      reply: messagesPage,
    });
    messages.push(...valid(messageSchema, reply.messages));
    cursor = nextCursor(reply.pagination);
    if (cursor === undefined || (isNewestFirst(messages) && messages.some(isAnswer))) return newestText(messages);
  }
  return isNewestFirst(messages) ? newestText(messages) : undefined;
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

function nextCursor({ hasMore, nextCursor: next }: z.output<typeof pagination>): string | undefined {
  return hasMore && next ? next : undefined;
}

/** The items that can be used; one broken item does not cost the others. */
function valid<Schema extends z.ZodType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
