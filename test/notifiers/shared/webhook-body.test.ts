import { expect, test } from "vitest";
import type { Message } from "../../../src/core/message.ts";
import { webhookBody } from "../../../src/notifiers/shared/webhook-body.ts";

const message: Message = {
  id: "01J",
  at: "2026-11-01T00:00:00.000Z",
  event: "Notification",
  agent: "droid",
  kind: "needs-you",
  project: "shop",
  title: "shop needs you",
  body: "Droid wants to run 1 tool",
  session: {},
};

test("a message becomes type, timestamp and data, without absent facts", () => {
  expect(JSON.parse(JSON.stringify(webhookBody(message)))).toEqual({
    type: "agent.notification",
    timestamp: "2026-11-01T00:00:00.000Z",
    data: {
      id: "01J",
      event: "Notification",
      agent: "droid",
      kind: "needs-you",
      project: "shop",
      title: "shop needs you",
      body: "Droid wants to run 1 tool",
      session: {},
    },
  });
});

test("every fact of a message is in its data", () => {
  const facts = {
    sessionId: "s-1",
    cwd: "/code/shop",
    message: "m",
    reason: "other",
    session: { title: "t", turnMs: 5 },
  };
  expect(webhookBody({ ...message, ...facts }).data).toMatchObject(facts);
});

test.each([
  ["Stop", "agent.stop"],
  ["SubagentStop", "agent.subagent-stop"],
  ["SessionEnd", "agent.session-end"],
])("%s is of type %s", (event, type) => {
  expect(webhookBody({ ...message, event }).type).toBe(type);
});
