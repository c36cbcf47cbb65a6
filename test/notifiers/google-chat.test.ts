import { expect, test } from "vitest";
import type { Thread } from "../../src/core/notifier-call.ts";
import { googleChat } from "../../src/notifiers/google-chat.ts";
import { openHostileServer } from "../world/hostile-server.ts";
import { networkCall } from "../world/network-call.ts";
import { type Payload, success } from "./cases/google-chat.ts";

test("messages of a session are replies in one thread, separate from other sessions", async () => {
  const server = await openHostileServer({ "*": success });
  const settings = googleChat.settings.parse({ url: `${server.origin}/v1/spaces/AAAA/messages` });
  const send = (id: string, thread?: Thread) =>
    googleChat.send({ ...networkCall(settings, { id }), ...(thread && { thread }) });
  const [first, other] = [{ key: "1".repeat(32) }, { key: "2".repeat(32) }];
  for (const [index, thread] of [first, first, other, undefined].entries()) {
    await send(`evt-${index}`, thread);
  }
  const keys = server.requests.map(({ body }) => (JSON.parse(body) as Payload).thread?.threadKey);
  expect(keys).toEqual([first.key, first.key, other.key, undefined]);
  for (const { path } of server.requests) expect(path).toContain("=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
});

test("a message cannot be changed, as a webhook cannot edit and a reply would ring", () => {
  expect([googleChat.update, googleChat.withdraw, googleChat.receipt]).toEqual([undefined, undefined, undefined]);
});
