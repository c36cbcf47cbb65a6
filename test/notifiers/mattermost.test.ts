import { describe, expect, onTestFinished, test } from "vitest";
import { type Kind, kinds } from "../../src/core/vocabulary.ts";
import { createPorts } from "../../src/io/ports.ts";
import { mattermost } from "../../src/notifiers/mattermost.ts";
import { answer, answerJson, type Behaviour } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReplies } from "./contract/describe-replies.ts";
import { makePayload } from "./contract/make-request.ts";
import { canary, type Expected } from "./contract/notifier-case.ts";
import { readMattermost, startMattermostServer } from "./mattermost-server.ts";

const fault = (status_code: number, id: string) =>
  answerJson(status_code, { id, message: `May I run the tests? ${canary}`, status_code });
const channel = "town4square4town4square4ab";
const post = "p".repeat(26);
const reference = /&(?:#\d+|\w+);/g;

/** Removes the references and the title's own bold from a text. */
const bare = (text: string): string => text.replace(/^\*\*(.*)\*\*/, "$1").replace(reference, "x");

const valid = (text: string): void => {
  expect([...text].length).toBeLessThanOrEqual(16_383);
  expect(bare(text)).not.toMatch(/[\\<>&`*_~[\]#|$]|@(?!\u200b)|^( {4}|\t)|^ *([-+=]|\d{1,9}[.)])/m);
  expect(bare(text)).not.toMatch(/:(?!\/\/)|(?<!https?):/);
};
const mentions = [
  "<!channel> <!here> <@U012AB3CD> <https://evil.example|click> @channel @all @here @user @\u200b ~town-square #tag",
  ":wave: | a | b |\n|---|---|\n    code\n\tcode\n- l\n+ l\n1. n\n2) n\na\n===\nb\n--- $x$ &lt;",
  "https://example.org/a_b?c=d&e=%20 https://evil/%zz www.evil.example/%zz javascript://x",
];
const limited: readonly [string, Behaviour, Expected] = [
  "too many, with the seconds to wait",
  answer(429, { "x-ratelimit-reset": "3" }, "limit exceeded"),
  { reason: "rate-limited", waitMs: 3_000 },
];

describe("through a webhook", () => {
  describeHttpNotifier(mattermost, {
    settings: (origin) => ({ url: `${origin}/hooks/${canary}` }),
    success: answer(200, { "content-type": "text/plain" }, "ok"),
    rejections: [
      ["a deleted webhook", fault(400, "web.incoming_webhook.invalid.app_error"), "auth"],
      ["a refused text", fault(400, "web.incoming_webhook.text.app_error"), "rejected"],
      ["a locked channel", fault(403, "web.incoming_webhook.channel_locked.app_error"), "auth"],
      limited,
      ["another answer", answerJson(200, {}), "unavailable"],
    ],
    read: ({ body }) => readMattermost(JSON.parse(body).text),
    valid: ({ body }) => valid(JSON.parse(body).text),
    mentions,
  });
});

describe("as a bot", () => {
  const settings = (server: string) => ({ server, token: canary, channel });

  describeHttpNotifier(mattermost, {
    settings,
    success: answerJson(201, { id: post }),
    rejections: [
      ["an invalid token", fault(401, "api.context.session_expired.app_error"), { reason: "auth", hinted: true }],
      ["a foreign channel", fault(403, "api.context.permissions.app_error"), { reason: "auth", hinted: true }],
      ["a long text", fault(400, "model.post.is_valid.message_length.app_error"), "rejected"],
      limited,
      ["another answer", answerJson(200, {}), "unavailable"],
    ],
    read: ({ body }) => readMattermost(JSON.parse(body).message),
    valid({ body, headers, path }) {
      const { channel_id, message } = JSON.parse(body);
      expect([path, headers["authorization"]]).toEqual(["/api/v4/posts", `Bearer ${canary}`]);
      expect(channel_id).toBe(channel);
      valid(message);
    },
    mentions,
  });

  describeChanges(mattermost, {
    start: startMattermostServer,
    withdrawn: "done",
    refusal: "auth",
    foreign: [{}, { post: "x/../../users/me" }, { post: 5 }, { id: post }],
    otherVariant: { settings: { url: "https://h.example/hooks/x" }, receipt: { post } },
  });

  const says = (status: number, id: string) => [`${status}, ${id}`, fault(status, id)] as const;
  describeReplies(mattermost, {
    settings,
    receipt: { post },
    final: [
      says(400, "api.post.update_post.permissions_time_limit.app_error"),
      says(400, "api.post.update_post.permissions_details.app_error"),
      says(400, "api.post.patch_post.can_not_update_post_in_deleted.error"),
      says(403, "api.context.permissions.app_error"),
      says(404, "app.post.get.app_error"),
      says(404, "store.sql_post.get.app_error"),
    ],
    failures: [
      [...says(401, "api.context.session_expired.app_error"), "auth"],
      [...says(403, "api.context.mfa_required.app_error"), "auth"],
      [...says(404, "api.context.404.app_error"), "auth"],
      [...says(400, "model.post.is_valid.message_length.app_error"), "rejected"],
      [...says(500, "app.post.update.app_error"), "unavailable"],
    ],
  });

  describeProbe(mattermost, {
    settings,
    asks: { method: "GET", path: "/api/v4/users/me" },
    success: answerJson(200, { id: post, username: "beckon" }),
  });

  test("after the time limit for edits a post stays unchanged, which is not a failure", async () => {
    const server = await startMattermostServer();
    onTestFinished(() => server.close());
    const call = { ...localCall(mattermost.settings.parse(server.settings), {}), ports: createPorts() };
    const receipt = await mattermost.send(call);
    server.endEdits();
    const message = { ...call.message, body: "later" };
    await mattermost.withdraw?.({ ...call, message, receipt: receipt ?? expect.fail("no receipt") });
    expect(await server.listActive()).toMatchObject([{ body: call.message.body }]);
  });
});

test("words and whole addresses stay unchanged, and markup has no effect", () => {
  const texts = {
    'May I run (it)? It\'s done - 50% - see a.b, "x"!': 'May I run (it)? It\'s done - 50% - see a.b, "x"!',
    "See https://example.org/pull/12?page=1, or (https://a.de).":
      "See https://example.org/pull/12?page=1, or (https://a.de).",
    "https://e.example/%zz": "https&#58;//e.example/%zz", // an address that would vanish
    "www.e.de e.de/%zz": "www&#46;e.de e.de&#47;%zz",
    "<https://e.example|x>": "&#60;https&#58;//e.example&#124;x&#62;",
    "@all": "@\u200ball",
  };
  const post = (body: string): string =>
    makePayload(mattermost, { url: "https://h/x" }, { message: { body, kind: "info" }, isFallback: true }).text;
  const posted = Object.keys(texts).map((body) => [body, post(body).replace(/^t\n/, "")]);
  expect(Object.fromEntries(posted)).toEqual(texts);
});

test("a message that needs the user is important, except in the fallback form", () => {
  const makePriority = (kind: Kind, isFallback: boolean) =>
    makePayload(mattermost, { url: "https://h/x" }, { message: { kind }, isFallback }).priority;
  expect(kinds.filter((kind) => makePriority(kind, false))).toEqual(["needs-you", "failed"]);
  expect(makePriority("needs-you", false)).toEqual({ priority: "important" });
  expect(makePriority("failed", false)).toEqual({ priority: "important" });
  expect(kinds.filter((kind) => makePriority(kind, true))).toEqual([]);
});
