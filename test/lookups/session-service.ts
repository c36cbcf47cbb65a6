import type { ServerResponse } from "node:http";
import type { BeckonError } from "../../src/core/errors.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { service } from "../../src/lookups/service.ts";
import type { ServiceSettings } from "../../src/service/profile.ts";
import { json, makeEvent, ports, serve } from "./loopback.ts";

export const apiKey = "key-3f9c1d7e5a";
export const sessionId = "df989497-3596-425b-b5ab-1ff5be52c8e6";
/** A session as the service returns it. */
export const session = {
  sessionId,
  status: "idle",
  messageCount: 12,
  createdAt: 1,
  updatedAt: 2,
  title: "fix the\nlogin",
  sessionSettings: {
    model: "model-a",
    tokenUsage: {
      inputTokens: 10,
      outputTokens: 9,
      cacheReadTokens: 8,
      cacheCreationTokens: 7,
      thinkingTokens: 6,
      serviceCredits: 5,
    },
    inclusiveTokenUsage: { inputTokens: 1000 },
  },
};
/** Facts that the lookup makes from `session`. */
export const sessionFacts = {
  title: "fix the login",
  status: "idle",
  messageCount: 12,
  model: "model-a",
  tokens: { input: 10, output: 9, cacheRead: 8, cacheWrite: 7, thinking: 6, credits: 5 },
};
/** Makes this many unrelated sessions. */
export const others = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...session, sessionId: `other-${n}`, title: "not this" }));
/** Makes a message of the assistant as the service returns it. */
export const message = (createdAt: number, text: string, more: object = {}) => ({
  id: `m${createdAt}`,
  role: "assistant",
  content: [{ text, id: "c1" }],
  createdAt,
  updatedAt: createdAt,
  ...more,
});
/** Pagination of a last page. */
const end = { hasMore: false, nextCursor: "" };

/** Answers a request for a page. */
export type Answer = (response: ServerResponse, cursor: string | null) => void;
export const goodSessions: Answer = (response) =>
  json(response, { sessions: [...others(3), session], pagination: end });
export const goodMessages: Answer = (response) =>
  json(response, { messages: [message(2, "The login works again. More."), message(1, "older")], pagination: end });

/** Starts a service on this machine that answers requests for sessions and for messages. */
export function start(sessions: Answer, messages: Answer) {
  return serve((url, response) => {
    const answer = url.pathname.endsWith("/messages") ? messages : sessions;
    answer(response, url.searchParams.get("cursor"));
  });
}

/** Runs the lookup against a service; nothing is thrown. */
export async function find(
  baseUrl: string,
  fields: Partial<AgentEvent> = {},
  budgetMs = 5000,
  settings: Partial<ServiceSettings> = {},
) {
  const reported: BeckonError[] = [];
  const call = {
    event: makeEvent({ sessionId, ...fields }),
    settings: { baseUrl, apiKey, ...settings },
    ports,
    signal: AbortSignal.timeout(budgetMs),
    report: (problem: BeckonError) => reported.push(problem),
  };
  const outcome = await service.find(call).then(
    (facts) => ({ facts, error: undefined }),
    (error: BeckonError) => ({ facts: undefined, error }),
  );
  return { ...outcome, reported };
}
