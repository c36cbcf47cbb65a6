import { expect, test } from "vitest";
import { bark } from "../../src/notifiers/bark.ts";
import { feishu } from "../../src/notifiers/feishu.ts";
import { googleChat } from "../../src/notifiers/google-chat.ts";
import { matrix } from "../../src/notifiers/matrix.ts";
import { ntfy } from "../../src/notifiers/ntfy.ts";
import { otlp } from "../../src/notifiers/otlp.ts";
import { pushbullet } from "../../src/notifiers/pushbullet.ts";
import type { OutgoingRequest } from "../../src/notifiers/shared/http-notifier.ts";
import { webhook } from "../../src/notifiers/webhook.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { makeRequest } from "./contract/make-request.ts";

const payload = ({ body = "" }: OutgoingRequest) => JSON.parse(body);
const url = "https://chat.example.org/hook";
const server = "https://chat.example.org";
const room = { server, token: "t", roomId: "!room:example.org" };
const app = { appId: "cli_1", appSecret: "s", chat: "oc_1" };

const message = { event: "Stop", project: "shop", agent: "claude", at: "2026-11-20T12:00:00Z" };

/** Returns a function that makes a notifier's request for a message with this id at a given time. */
const requestsFor =
  (...[notifier, settings]: Parameters<typeof makeRequest>) =>
  (id: string, nowMs: number): OutgoingRequest =>
    makeRequest(notifier, settings, { message: { ...message, id }, thread: { key: "a".repeat(32) }, nowMs });

/** Channels with message ids, their requests, and the part of a request with the id. */
const channels: readonly [string, ReturnType<typeof requestsFor>, (request: OutgoingRequest) => unknown][] = [
  ["bark", requestsFor(bark, { deviceKey: "k" }), (request) => payload(request).id],
  ["feishu", requestsFor(feishu, app), (request) => payload(request).uuid],
  ["google-chat", requestsFor(googleChat, { url }), (request) => new URL(request.url).searchParams.get("requestId")],
  ["matrix", requestsFor(matrix, room), (request) => request.url],
  ["ntfy", requestsFor(ntfy, { topic: "agents" }), (request) => payload(request).sequence_id],
  [
    "otlp",
    requestsFor(otlp, { endpoint: server }),
    ({ body = "" }) => /"beckon.id","value":(\{[^}]+\})/.exec(body)?.[1],
  ],
  ["pushbullet", requestsFor(pushbullet, { token: "t" }), (request) => payload(request).guid],
  ["webhook", requestsFor(webhook, { url }), (request) => request.headers?.["webhook-id"]],
];

test("all attempts at a message have its id, and another message has another", async () => {
  const failures = await collectFailures(channels, ([, make, read]) => {
    const first = read(make("one", 1_000));
    expect(first).toBeTruthy();
    expect(read(make("one", 600_000))).toBe(first);
    expect(read(make("two", 1_000))).not.toBe(first);
  });
  expect(failures).toEqual([]);
});
