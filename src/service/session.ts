import * as z from "zod";
import type { HttpPort } from "../core/http-port.ts";
import { transportSettings } from "./client.ts";
import type { List } from "./list.ts";
import { nodeHeaders } from "./node-headers.ts";
import type { Page } from "./paging.ts";
import type { ServiceSettings } from "./profile.ts";
import { listMessages, listSessions } from "./resources/sessions.ts";
import { Transport } from "./transport.ts";

/** Id of a session, with the transport for requesting that session. */
export interface SessionQuery {
  /** Transport from `lookupTransport`. */
  readonly transport: Transport;
  /** Id that passes `isServiceId`. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** Largest reply, 1 MiB: more than the first pages need, and little memory for the worker. */
const maxReplyBytes = 1024 * 1024;

/**
 * Makes a transport for a lookup. It does not retry, because a lookup has no time for retries.
 * @throws {ArgumentError} for invalid settings
 */
export function lookupTransport(settings: ServiceSettings, http: HttpPort, timeoutMs: number): Transport {
  const options = { ...settings, timeoutMs, maxRetries: 0, maxReplyBytes };
  return new Transport(transportSettings(options, http, nodeHeaders()));
}

const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().optional().catch(undefined);

/** Fields of a session that beckon uses. A field whose value has the wrong type counts as absent. */
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
/**
 * Operation that lists sessions, changed so that it does not check items. Items are checked one by one later, so that
 * one invalid item does not cost the valid items.
 */
const sessions = { ...listSessions, reply: z.object({ sessions: z.array(z.unknown()), pagination }) };

/** Operation that lists messages, changed in the same way. */
const messages = { ...listMessages, reply: z.object({ messages: z.array(z.unknown()), pagination }) };

/**
 * Page sizes for searching 300 sessions. The first page is small, because the session of a recent event is mostly among
 * the newest, and a large page may take longer than a lookup may.
 */
export const sessionPageSizes = [20, 100, 100, 80] as const;

/** Page sizes for reading up to 160 messages of a session. */
export const messagePageSizes = [10, 50, 50, 50] as const;

/**
 * Finds a session in the list of all sessions, because the API cannot return a single session. Also returns the number
 * of sessions searched.
 * @param sizes page sizes
 * @throws {ServiceError}
 */
export async function findSession(
  { transport, sessionId, signal }: SessionQuery,
  sizes: readonly number[] = sessionPageSizes,
): Promise<{ readonly session: Session | undefined; readonly searched: number }> {
  let searched = 0;
  const load = (limit: number) => transport.list(sessions, { limit }, { signal });
  for await (const { items } of readPages(load, sizes)) {
    const session = valid(sessionSchema, items).find((candidate) => candidate.sessionId === sessionId);
    searched += items.length;
    if (session) return { session, searched };
  }
  return { session: undefined, searched };
}

/**
 * Finds the text of the assistant's newest visible message. The API document does not define the order of messages. If
 * the newest come first, reads pages until one has an answer. If the oldest come first, reads the list to its end. If
 * such a list has more than 160 messages, the result is undefined rather than an old answer.
 * @throws {ServiceError}
 */
export async function newestAnswer({ transport, sessionId, signal }: SessionQuery): Promise<string | undefined> {
  const read: Message[] = [];
  let isEnd = false;
  const load = (limit: number) => transport.list(messages, { role: "assistant", limit }, { signal }, { sessionId });
  for await (const page of readPages(load, messagePageSizes)) {
    read.push(...valid(messageSchema, page.items));
    isEnd = page.next === undefined && page.incomplete === undefined;
    if (isNewestFirst(read) && read.some(isAnswer)) break;
  }
  if (!isEnd && !isNewestFirst(read)) return undefined;
  const [newest] = read.filter(isAnswer).sort((a, b) => b.createdAt - a.createdAt);
  return newest && readText(newest);
}

/** Yields pages of the given sizes, until there are no more sizes or no more pages. */
async function* readPages<Item, Reply>(
  list: (limit: number) => List<Item, Reply>,
  sizes: readonly number[],
): AsyncGenerator<Page<Item, Reply>> {
  let cursor: string | undefined;
  for (const limit of sizes) {
    const page: Page<Item, Reply> = await list(limit).page(cursor);
    yield page;
    cursor = page.next;
    if (cursor === undefined) return;
  }
}

function isNewestFirst(messages: readonly Message[]): boolean {
  return (messages[0]?.createdAt ?? 0) > (messages.at(-1)?.createdAt ?? 0);
}

/** Tells if a message is a visible text of the assistant. Checks the role: the service may ignore the filter. */
function isAnswer(message: Message): boolean {
  const isAssistants = message.role === undefined || message.role === "assistant";
  const isVisible = message.isUserVisible !== false && message.visibility !== "llm_only";
  return isAssistants && isVisible && readText(message).trim() !== "";
}

function readText({ content }: Message): string {
  return content.flatMap((part) => part.text ?? []).join("\n");
}

/** Picks the items that match the schema. */
function valid<Item extends object>(schema: z.ZodType<Item>, items: readonly unknown[]): Item[] {
  return items.flatMap((item) => schema.safeParse(item).data ?? []);
}
