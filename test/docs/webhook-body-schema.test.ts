import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { webhookBodyJsonSchema } from "../../src/docs/webhook-body-schema.ts";
import { type WebhookBody, webhookBodySchema } from "../../src/notifiers/shared/webhook-body-schema.ts";

type Complete<T> = T extends object ? { readonly [Key in keyof T]-?: Complete<T[Key]> } : T;

/** Every field there is, in the schema and in a message: the compiler asks for the ones that are added to either. */
const everything: Complete<WebhookBody> & { readonly data: Complete<Omit<Message, "at">> } = {
  type: "agent.stop",
  timestamp: "2026-06-14T09:30:00.000Z",
  data: {
    id: "one",
    state: "resolved",
    event: "Stop",
    agent: "claude",
    kind: "finished",
    sessionId: "session",
    project: "shop",
    cwd: "/home/me/shop",
    title: "shop: done",
    body: "All tests pass.",
    message: "said",
    reason: "why",
    session: {
      title: "Tests",
      summary: "All tests pass.",
      lastMessage: "All tests pass.",
      tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, thinking: 5, credits: 6.5, partial: true },
      turnMs: 93_000,
      messageCount: 4,
      status: "idle",
      model: "large",
      branch: "main",
      callingSessionId: "caller",
      stillRuns: "",
      openCalls: [],
      turnOutcome: "completed",
    },
  },
};

test("the schema knows every field of an event", () => {
  expect(webhookBodySchema.parse(everything)).toEqual(everything);
});

test("the JSON schema names what is always there, and allows further fields", () => {
  expect(webhookBodyJsonSchema()).toMatchObject({
    required: ["type", "timestamp", "data"],
    properties: { data: { required: ["id", "event", "agent", "kind", "project", "title", "body", "session"] } },
  });
  expect(JSON.stringify(webhookBodyJsonSchema())).not.toContain("additionalProperties");
});
